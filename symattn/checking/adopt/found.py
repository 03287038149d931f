"""What search found in a document, as a formula of the formula language over the names of a scenario.

>>> found_text("softmax([3] V.T)[2, :]", {"[3]": "S", "V": "V"}, 3)
'softmax(S V.T)[1]'
>>> found_text("softmax(causal_mask(Q' K / sqrt(2)))", {"Q'": "Q_prime", "K": "K"}, 4)
'softmax((Q_prime K / sqrt(2)) + causal_mask(4))'
"""

from __future__ import annotations

import re
from collections.abc import Mapping

_PLACE = re.compile(r"(?<=[\w)\]])\[(\d+), (\d+|:)\]")
_UNKNOWN = re.compile(r"(?<![\w)\]])\[\d+\](?![\w\[])")
_MASK = "causal_mask("


def found_text(text: str, names: Mapping[str, str], rows: int) -> str:
    """The formula; what has no name of the scenario stays as it is, and is refused where the formula is read.

    ``rows`` is how many rows what is masked has.
    """
    known = sorted((re.escape(name) for name in names if name), key=len, reverse=True)
    if known:
        name = re.compile(rf"(?<![\w'\])])(?:{'|'.join(known)})(?![\w'^,])")
        text = name.sub(lambda found: names[found[0]], text)
    if _UNKNOWN.search(text):
        return f"unknown({text})"
    text = _PLACE.sub(_from_zero, text)
    return _masked(text.replace("eps=", "epsilon="), rows)


def _from_zero(found: re.Match[str]) -> str:
    """Places that count from 1, as the formula language has them in brackets."""
    row, column = int(found[1]) - 1, found[2]
    return f"[{row}]" if column == ":" else f"[{row}, {int(column) - 1}]"


def _masked(text: str, rows: int) -> str:
    """``causal_mask(S)`` is S with a mask added."""
    start = text.find(_MASK)
    if start < 0:
        return text
    depth, end = 1, start + len(_MASK)
    while end < len(text) and depth:
        depth += (text[end] == "(") - (text[end] == ")")
        end += 1
    inside = text[start + len(_MASK) : end - 1]
    inside = inside if re.fullmatch(r"\w+", inside) else f"({inside})"
    return f"{text[:start]}{inside} + causal_mask({rows}){text[end:]}"
