"""Operations that words name, and the formulas that they make of numbers beside them."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cache, reduce
from types import MappingProxyType
from typing import Final

from symattn.checking.phrases import heard, is_letter, is_undone, lexicon, plain, spoken
from symattn.checking.reading.tree import Combined, Expressed, FigureRead, GridRead

_OF_LIST: Final = MappingProxyType(
    {**{name: name for name in "sum mean std norm max min softmax".split()}, "variance": "var"}
)
"""Operations of a list of numbers, and what the tree calls them."""

_OF_ONE: Final = MappingProxyType(
    {**{name: name for name in "exp log tanh sigmoid relu gelu silu".split()}, "root": "sqrt"}
)
"""The same of one number, or of each entry of a list."""

_SIGNS: Final = MappingProxyType(
    {"product": "* \\cdot", "plus": "+ +", "minus": "- -", "difference": "- -", "quotient": "/ /", "dot": "* \\cdot"}
)
"""Signs between operands; ``dot`` between lists."""

_ANY_NUMBER: Final = ("product", "plus")
_KNOWN: Final = {*_OF_LIST, *_OF_ONE, *_SIGNS, "square"}
_HEARD: Final = _KNOWN - {"log"}
"""What the lexicon's general words name; a logarithm has no base in them."""

JOINTS: Final = ("plus", "minus", "product", "quotient")
"""Operations whose words stand between two operands: ``3 times 4``."""


SUMS: Final = frozenset(
    "som totaal jumlah totalt celkem "
    "합 和 합계 合計 合计 总和 總和 σ ∑ soma suma somma somme summe сумма toplam tổng".split()
)
"""Words for a sum that are too short to be looked for inside others."""


@cache
def phrases(kind: str) -> tuple[str, ...]:
    """The phrases of one kind in the sections ``states`` of all languages, longest first."""
    found = {plain(each) for language in spoken() for each in lexicon(language).get("states", {}).get(kind, ())}
    return tuple(sorted(found, key=len, reverse=True))


def without(text: str, kind: str, *, first: bool = False) -> str | None:
    """A text without a phrase at its end, or at its beginning; ``None`` if it has none.

    >>> without("so the mean of", "of"), without("have a mean", "has", first=True), without("proof", "of")
    ('so the mean', 'mean', None)
    """
    for phrase in phrases(kind):
        rest = text.removeprefix(phrase) if first else text.removesuffix(phrase)
        meets = (phrase[-1] + rest[:1]) if first else (rest[-1:] + phrase[0])
        if rest != text and not (len(meets) > 1 and all(map(is_letter, meets))):
            return rest.strip()
    return None


def named_last(text: str) -> tuple[str, str] | None:
    """The operation that a text ends with, and what stands before it.

    >>> named_last("so the mean"), named_last("total"), named_last("means of")
    (('mean', 'so the'), ('sum', ''), None)
    """
    found = [(kind, rest) for kind in _KNOWN if (rest := without(text, kind)) is not None]
    for one in heard(text):
        if one.end == len(text) and not is_undone(text, one):
            found += [(name, text[: one.start].strip()) for name in one.named("does") if name in _HEARD]
    if not found:
        return None
    name, before = min(found, key=lambda each: (len(each[1]), each[0]))
    for kind in ("sample", "population") if name in ("variance", "std") else ():
        if (rest := without(before, kind)) is not None:
            return f"{kind} {name}", rest
    return name, before


def counts(before: str) -> bool:
    """Whether words call the number behind them a row, a step, a head: ``step 1``, ``第 1``."""
    last = before.rstrip(" #")
    return last.endswith("第") or any(one.end == len(last) and one.named("which") for one in heard(last))


def listed(items: Sequence[Expressed]) -> GridRead:
    """Numbers as one list, or the list that they are."""
    if isinstance(items[0], GridRead):
        return items[0]
    return GridRead((tuple(items),), "list", 1, items[0].start, items[-1].end)


def applied(operation: str, items: Sequence[Expressed], value: Expressed) -> Combined | None:
    """The formula of an operation with its operands, whose value is stated; ``None`` if it needs others."""
    kind, _, name = operation.rpartition(" ")
    lists = sum(isinstance(each, GridRead) for each in items)
    start, end = items[0].start, items[-1].end
    if name in _OF_LIST:
        if lists > 1 or (lists or 2) > len(items) or (lists and len(items) > 1):
            return None
        if name in ("variance", "std") and _has_sample_divisor(kind, name, items, value):
            spread = _stated_sample_variance(listed(items))
            return spread if name == "variance" else Combined("call:sqrt", (spread,), start, end)
        return Combined(f"call:{_OF_LIST[name]}", (listed(items),), start, end)
    if name in _OF_ONE or name == "square":
        if len(items) > 1 or (lists and name == "square"):
            return None
        return _squared(items[0]) if name == "square" else Combined(f"call:{_OF_ONE[name]}", tuple(items), start, end)
    if lists != (2 if name == "dot" else 0) or len(items) < 2 or (len(items) > 2 and name not in _ANY_NUMBER):
        return None
    if name == "difference" and _is_distance(items, value):
        items = items[::-1]
    return _chain(name, items)


def _chain(name: str, items: Sequence[Expressed]) -> Combined:
    op, sign = _SIGNS[name].split()
    made = reduce(lambda a, b: Combined(op, (a, b), a.start, b.end, sign), items)
    assert isinstance(made, Combined)
    return made


def _squared(base: Expressed) -> Combined:
    return Combined("^", (base, _whole(2, base)), base.start, base.end)


def _whole(value: int, beside: Expressed) -> FigureRead:
    return FigureRead(str(value), Fraction(value), Fraction(1), beside.start, beside.start)


def _stated_sample_variance(numbers: GridRead) -> Combined:
    """The squares of the distances from the mean, divided by one less than their count."""
    mean = Combined("call:mean", (numbers,), numbers.start, numbers.end)
    squares = [_squared(Combined("-", (each, mean), each.start, each.end, "-")) for each in numbers.rows[0]]
    return _chain("quotient", [_chain("plus", squares), _whole(len(squares) - 1, numbers)])


def _has_sample_divisor(kind: str, name: str, items: Sequence[Expressed], value: Expressed) -> bool:
    """Whether a spread divides by one less than the count: words say so, or the stated value is nearer to that."""
    numbers = [each.value for each in listed(items).rows[0] if isinstance(each, FigureRead) and each.value is not None]
    if kind or len(numbers) < 2 or not isinstance(value, FigureRead) or value.value is None:
        return kind == "sample" and len(numbers) > 1
    printed = value.value if name == "variance" else value.value * value.value
    middle = sum(numbers, Fraction()) / len(numbers)
    total = sum(((each - middle) * (each - middle) for each in numbers), Fraction())
    return abs(total / (len(numbers) - 1) - printed) < abs(total / len(numbers) - printed)


def _is_distance(items: Sequence[Expressed], value: Expressed) -> bool:
    """Whether a difference is stated as that of the larger number and the smaller one."""
    match (*items, value):
        case FigureRead(value=Fraction() as a), FigureRead(value=Fraction() as b), FigureRead(value=Fraction() as c):
            return a < b and c >= 0
    return False


def gives_list(formula: Combined) -> int:
    """How many entries the value of a formula has, as far as it is a list; 0 of a number."""
    argument = formula.args[0]
    keeps = formula.op.removeprefix("call:") in ("softmax", *_OF_ONE.values())
    return len(argument.rows[0]) if isinstance(argument, GridRead) and keeps else 0
