"""What may have gone wrong in working out one number: a sign, a term, a factor, a power, a root, another logarithm.

Each formula that differs by one of these from the one that is stated is worked out; the one that gives the printed
figure tells what was done.

>>> from symattn.checking.following.evaluate import Appraiser
>>> from symattn.checking.following.scope import Memory
>>> two, half, printed = (FigureRead(x, Fraction(x), Fraction(1, 100), 0, 0) for x in ("3.38", "0.50", "3.88"))
>>> difference = Combined("-", (two, half), 0, 0)
>>> [one.said for one in slips_of_arithmetic(difference, Appraiser(Memory()).value, printed)]
['The sign of 0.50 was changed.']
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import islice

from symattn.checking.following.judging import units_off
from symattn.checking.following.rows import NoFit
from symattn.checking.following.scope import digits
from symattn.checking.following.worlds import Worlds
from symattn.checking.model import Explained
from symattn.checking.reading.shown import shown
from symattn.checking.reading.tree import Combined, Expressed, FigureRead

MOST_CHANGES = 80
"""How many formulas are tried."""

FEWEST = 2
"""A figure of fewer digits agrees with some formula by accident."""

BESIDE = 1.5
"""How many units of its last place a longer figure may be off, too: whoever made a slip may have rounded on the way."""

LONG = 30
"""A piece of a formula that is longer is not named."""

ChangedFormula = tuple[Expressed, str, str]
"""A formula with one thing done otherwise, what that is called, and a sentence."""


def slips_of_arithmetic(
    formula: Expressed, worth: Callable[[Expressed], Worlds], printed: FigureRead
) -> Iterator[Explained]:
    """Yield what gives a printed number in place of what its formula gives, the likeliest first."""
    if len(digits(printed)) < FEWEST:
        return
    room = BESIDE if len(digits(printed)) > FEWEST else 0.5
    for changed, name, what in islice(_changes(formula), MOST_CHANGES):
        try:
            value = worth(changed)
        except NoFit:
            continue
        if value.axes:
            continue
        if any(units_off(printed, x, printed.unit) <= room for x in (value.true[0][0], value.carried[0][0])):
            yield Explained(f"slip:{name}", what)


def _changes(written: Expressed) -> Iterator[ChangedFormula]:
    """Yield the formulas in which one thing is done otherwise."""
    if isinstance(written, FigureRead) and written.text.startswith("-") and written.value is not None:
        positive = replace(written, text=written.text[1:], value=-written.value)
        yield positive, "sign", f"The minus sign of {written.text} was lost."
    if not isinstance(written, Combined):
        return
    yield from _here(written)
    for place, inner in enumerate(written.args):
        for changed, name, what in _changes(inner):
            args = (*written.args[:place], changed, *written.args[place + 1 :])
            yield replace(written, args=args), name, what


def _here(one: Combined) -> Iterator[ChangedFormula]:
    match one.op, one.args:
        case "+", (left, right):
            yield replace(one, op="-"), "sign", f"The sign of {_named(right)} was changed."
            yield left, "left_out", f"{_named(right)} was left out."
            yield right, "left_out", f"{_named(left)} was left out."
        case "-", (left, right):
            yield replace(one, op="+"), "sign", f"The sign of {_named(right)} was changed."
            yield left, "left_out", f"{_named(right)} was left out."
            yield replace(one, op="neg", args=(right,)), "left_out", f"{_named(left)} was left out."
        case "neg", (inner,):
            yield inner, "sign", f"The minus sign of {_named(inner)} was lost."
        case "*" | "@", (left, right):
            yield left, "left_out", f"The factor {_named(right)} was left out."
            yield right, "left_out", f"The factor {_named(left)} was left out."
            yield replace(one, op="/"), "divided", f"It was divided by {_named(right)}, not multiplied."
            yield replace(one, args=(one, right)), "twice", f"The factor {_named(right)} was taken twice."
            yield replace(one, args=(one, left)), "twice", f"The factor {_named(left)} was taken twice."
        case "/", (above, below):
            yield above, "left_out", f"The division by {_named(below)} was left out."
            yield replace(one, op="*"), "multiplied", f"It was multiplied by {_named(below)}, not divided."
            yield replace(one, args=(below, above)), "upside_down", "The quotient is upside down."
        case "^", (base, exponent):
            yield base, "power", f"The power {_named(exponent)} was left out."
            yield replace(one, op="*"), "power", f"It was multiplied by {_named(exponent)}, not raised to that power."
        case (("root" | "call:sqrt"), (inner, *_)):
            yield inner, "root", "The square root was left out."
        case "call:log", (inner,):
            for number in (10, 2):
                taken = replace(one, args=(inner, _number(number)))
                yield taken, "logarithm", f"It is the logarithm to base {number}."
        case "call:log", (inner, _):
            yield replace(one, args=(inner,)), "logarithm", "It is the natural logarithm."
        case (("call:sin" | "call:cos" | "call:tan"), (inner,)):
            turned = Combined("/", (Combined("*", (inner, _pi()), 0, 0, "·"), _number(180)), 0, 0)
            yield replace(one, args=(turned,)), "degrees", "The angle was taken in degrees."
            other = "call:cos" if one.op == "call:sin" else "call:sin"
            yield replace(one, op=other), "function", f"It is the {'cosine' if other == 'call:cos' else 'sine'}."
        case "call:exp", (inner,):
            yield replace(one, args=(Combined("neg", (inner,), 0, 0),)), "sign", "The sign of the exponent was changed."


def _named(part: Expressed) -> str:
    text = shown(part)
    return text if len(text) <= LONG else "a part"


def _number(value: int) -> FigureRead:
    return FigureRead(str(value), Fraction(value), Fraction(1), 0, 0)


def _pi() -> FigureRead:
    return FigureRead("π", Fraction(314159265358979, 10**14), Fraction(1, 10**14), 0, 0)
