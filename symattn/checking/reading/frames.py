"""Matrices in frames that are drawn: ``┌ ┐``, ``│ 0.5 0.2 │``, ``└ ┘``."""

from __future__ import annotations

import re
from typing import Final

_CORNERS: Final = re.compile(r"[┌┐└┘╔╗╚╝╭╮╰╯]")
_DRAWN: Final = re.compile(r"[┌┐└┘├┤┬┴┼─━═╔╗╚╝╭╮╰╯]")
_ROW: Final = re.compile(r"[│║]([^│║\n]*\d[^│║\n]*)[│║]([^\n]*)")


def without_frames(text: str) -> str:
    """The same lines with blanks for what is drawn around numbers, and for what is said beside them.

    >>> without_frames("A = ┌     ┐\\n    │ 1 2 │ <- cat\\n    └     ┘").split("\\n")
    ['A =        ', '      1 2         ', '           ']
    """
    if not _ROW.search(text):
        return text
    lines = []
    for line in text.split("\n"):
        framed = _CORNERS.search(line)
        lines.append(_DRAWN.sub(" ", line) if framed else _ROW.sub(_bare, line))
    return "\n".join(lines)


def _bare(found: re.Match[str]) -> str:
    return f" {found[1]} {' ' * len(found[2])}"
