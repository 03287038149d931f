"""Where a formula between dollars ends, and whether it is one at all: pages have prices in dollars too."""

from __future__ import annotations

import re

MATH_ENVIRONMENTS = frozenset(
    "equation align aligned gather gathered multline alignat eqnarray displaymath math split cases flalign array "
    "matrix pmatrix bmatrix Bmatrix vmatrix Vmatrix smallmatrix subequations alignedat dcases".split()
)
"""Environments of LaTeX that hold a formula wherever they stand; each may have a star."""

_SAYS_MATH = re.compile(r"\\[A-Za-z,;:!{|\\]|[\^_=≈]|[A-Za-z0-9)\]] ?[-+*/<>×·] ?[A-Za-z0-9(\[\\]")
_WORDS = re.compile(r"(?<![\\A-Za-z_{])[a-z]{2,}[,.]? +[a-z]{2,}(?![A-Za-z{(])", re.IGNORECASE)
_SHORT = 12
_LOWER = re.compile(r"\s|[a-z]{2}")
_NOT_FIRST = frozenset(")]},.;:!?，。；：、！？）」』】”")
_WRITTEN = re.compile(r"[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]{2}|[，。；：、]")
_IN_WORDS = re.compile(r"\\(?:text|mathrm|textbf|mbox|operatorname|textit|mathbf)\s?\{[^{}]*\}")


def says_math(text: str) -> bool:
    """Whether something before or after a dollar looks like a formula, not like words or a price.

    >>> says_math(r"\\\\frac{1}{2}"), says_math("x_1"), says_math("5 and more"), says_math(" d ")
    (True, True, False, True)
    """
    if _SAYS_MATH.search(text):
        return True
    inside = text.strip()
    return len(inside) <= _SHORT and not inside[:1].isdigit() and not _LOWER.search(inside)


def is_formula(inside: str, after: str) -> bool:
    """Whether what stands between two dollars is a formula; ``after`` is the character behind the second one.

    >>> is_formula("5 and ", "7"), is_formula("x", "."), is_formula(" d_k ", " "), is_formula("0.5", ",")
    (False, True, True, True)
    """
    if not inside.strip() or inside.count("`") % 2 or inside.lstrip()[0] in _NOT_FIRST:
        return False
    if not _SAYS_MATH.search(inside) and _WRITTEN.search(_IN_WORDS.sub("", inside)):
        return False
    is_tight = not inside[0].isspace() and not inside[-1].isspace() and not after.isdigit()
    if is_tight:
        return not (inside[0].isdigit() and _WORDS.search(inside) and "\\" not in inside)
    return says_math(inside) and not after.isdigit()


def next_dollar(text: str, start: int) -> int:
    r"""Where the next dollar stands that no backslash is before, or the length of the text.

    >>> next_dollar(r"5 \$ + x$", 0)
    8
    """
    while (found := text.find("$", start)) >= 0:
        slashes = found
        while slashes > start and text[slashes - 1] == "\\":
            slashes -= 1
        if (found - slashes) % 2 == 0:
            return found
        start = found + 1
    return len(text)


def next_double(text: str, start: int) -> int:
    """Where the next two dollars stand side by side, or -1."""
    while (found := next_dollar(text, start)) < len(text):
        if text.startswith("$$", found):
            return found
        start = found + 1
    return -1
