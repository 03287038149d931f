r"""Read a step as its author types it: a name, ``=`` and a formula, or several of them in one line.

>>> equations("Q, K = X @ A, X @ B  # two at once")
(('Q', 'X @ A'), ('K', 'X @ B'))
>>> equations(r"$Q = K = \hat{X}$"), equations("S := Q K^T;"), equations("Q K^T = S")
((('Q', '\\hat{X}'), ('K', '\\hat{X}')), (('S', 'Q K^T'),), (('S', 'Q K^T'),))
>>> equations("Q = X A, K = X B")
(('Q', 'X A'), ('K', 'X B'))
"""

from __future__ import annotations

import re
from collections.abc import Collection

from symattn.base.errors import FormulaError, cut, shown
from symattn.read.formula.names import defined_name
from symattn.read.formula.reader import is_name

_SIGN = re.compile(r":=|←|≔|\\(?:leftarrow|gets|coloneqq)(?![A-Za-z])|(?<![=<>!:])[=＝](?!=)")
_COMMA = re.compile("[,，]")
_STOP = re.compile("[,，;；]")
_REMARK = re.compile(r"\s*#.*", re.DOTALL)
_AT_END = re.compile(r"(?<![.\\,])\s*[.,;。，；]\s*\Z")
_DELIMITED = re.compile(r"\s*(\$\$?|\\\(|\\\[)(.*?)(\$\$?|\\\)|\\\])\s*\Z", re.DOTALL)


def is_equation(text: str) -> bool:
    """Return whether a text defines something, and is not just a name.

    >>> is_equation("S = Q K^T"), is_equation("S <- Q"), is_equation("S ← Q")
    (True, False, True)
    """
    return "=" in text or _SIGN.search(text) is not None


def equations(text: str, taken: Collection[str] = ()) -> tuple[tuple[str, str], ...]:
    """Return the names that a text defines, each with its formula; ``taken`` are names that are already defined.

    Raises :class:`~symattn.base.errors.FormulaError` if names and formulas cannot be matched.
    """
    plain = _plain(text)
    parts = _apart(plain, _STOP)
    if len(parts) > 1 and all(len(_apart(part, _SIGN)) > 1 for part in parts):
        return tuple(each for part in parts for each in equations(part, taken))
    *before, formula = _apart(plain, _SIGN)
    if not before:
        raise FormulaError(f"expected name = formula, came {shown(text)}")
    names = [defined_name(each) for each in before]
    if all(map(is_name, names)):
        return tuple((name, formula) for name in names)
    if len(before) > 1:
        raise FormulaError(
            f"{cut(plain)}: expected name = formula, with one = only: write {cut(f'{before[0]} = {before[1]}')}, and "
            "what it gives is worked out; figures of a source to compare it with stand in [printed]"
        )
    several = [defined_name(each) for each in _apart(before[0], _COMMA)]
    if len(several) > 1 and all(map(is_name, several)):
        formulas = _apart(formula, _COMMA)
        if len(formulas) != len(several):
            raise FormulaError(
                f"{cut(plain)}: before = stand {len(several)} names, behind it as many formulas are expected, as in "
                "Q, K = X @ A, X @ B"
            )
        return tuple(zip(several, formulas, strict=True))
    turned = defined_name(formula)
    # Q K^T = S defines S. A word before = was meant as the name, and is refused as one.
    if is_name(turned) and turned not in taken and not before[0].isidentifier():
        return ((turned, before[0]),)
    return ((names[0], formula),)


def formula_of(text: str) -> str:
    """Return the formula of a step, or the text itself, which may be a formula alone.

    >>> formula_of("Q = X @ W_Q"), formula_of("softmax(S, axis=1)")
    ('X @ W_Q', 'softmax(S, axis=1)')
    """
    name, *formulas = _apart(_plain(text), _SIGN)
    return formulas[0] if len(formulas) == 1 and is_name(defined_name(name)) else text


def _plain(text: str) -> str:
    """Strip LaTeX's math delimiters, a remark, and final punctuation from a text."""
    plain = _AT_END.sub("", _REMARK.sub("", text))
    if around := _DELIMITED.match(plain):
        plain = _AT_END.sub("", around[2])
    return plain.strip()


def _apart(text: str, marks: re.Pattern[str]) -> list[str]:
    """Split a text at marks outside of parentheses.

    >>> _apart("f(x, y), [1, 2]", _COMMA)
    ['f(x, y)', '[1, 2]']
    """
    found, start, depth, place = [], 0, 0, 0
    while place < len(text):
        mark = marks.match(text, place) if depth == 0 else None
        # \, and \; are gaps of LaTeX
        if mark and not (place and text[place - 1] == "\\" and mark[0] in ",;"):
            found.append(text[start:place].strip())
            start = place = mark.end()
            continue
        depth = max(0, depth + (text[place] in "([{（［｛") - (text[place] in ")]}）］｝"))
        place += 1
    return [*found, text[start:].strip()]
