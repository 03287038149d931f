"""What words and names alone say that figures are: the softmax of the latest scores, the mean of the latest list.

Search proves an explanation by its figures. Where these are wrong nothing proves it; then what was said is taken at its
word, if the figures are near enough to be meant so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import islice
from types import MappingProxyType

from flint import arb

from symattn.checking.following import rows as on
from symattn.checking.following import worlds
from symattn.checking.following.chain import Equated, SortedSide, as_printed, fits, rearranged
from symattn.checking.following.hints import Hints
from symattn.checking.following.judging import double, prints, units_off
from symattn.checking.following.rows import BallMatrix, NoFit
from symattn.checking.following.scope import Followed, Memory
from symattn.checking.following.verdicts import Ought
from symattn.checking.following.worlds import Worlds

NEAR_UNITS = 3.0
NEAR_SHARE = 0.3
"""How far a figure may be from a value that it is meant to be: units of its last place, or a share of the value."""

CLOSE_SHARE = 0.02
"""The same share where a word says what is done, and not with what."""

LOOSE = frozenset(
    {
        "softmax",
        "weights",
        "output",
        "weighted_sum",
        "scale",
        "causal_mask",
        "mask",
        "scores",
        "layer_norm",
        "rms_norm",
        "concat",
    }
)
"""What people mean by a word although half of the figures are wrong; else one of them has to be right."""

MEANT = 0.6
"""The share of figures that are so near."""

ANNOUNCED = 1.0
"""The same with half the share of those that agree: what was only announced some time before needs more."""

Maker = Callable[["Natural"], Iterator[tuple[Worlds, str]]]


@dataclass(frozen=True)
class Natural:
    """Makes of what is known what words speak of."""

    scope: Memory

    def truth(self, chain: Equated, said: Hints, roles: tuple[str, ...], announced: Iterator[Ought]) -> Ought | None:
        """What figures are, taken at the word; ``None`` where nothing is said or they are too far from it."""
        printed = chain.printed[0]
        best: tuple[float, Ought] | None = None
        for found in self.candidates(said, roles, announced):
            is_announced = found.formula is not None
            for value, text in self.parts(found, printed, said):
                near = nearness(value, printed, CLOSE_SHARE if found.is_literal else NEAR_SHARE)
                if found.is_literal and near <= 1 and printed.axes > 0:
                    continue
                if near >= (ANNOUNCED if is_announced else MEANT) and (best is None or near > best[0] + 1e-9):
                    best = near, replace(found, value=value, text=text, is_literal=False)
        return None if best is None else best[1]

    def candidates(self, said: Hints, roles: tuple[str, ...], announced: Iterator[Ought]) -> Iterator[Ought]:
        """What was announced, and what the words speak of, the last word first."""
        yield from announced
        spoken = [*reversed(said.does), *(_OF_ROLE.get(role, role) for role in (*roles, *reversed(said.roles)))]
        for what in dict.fromkeys(spoken):
            maker = _MAKERS.get(what)
            if maker is None:
                continue
            try:
                for value, text in maker(self):
                    yield Ought(value, text, is_literal=what not in LOOSE)
            except NoFit:
                continue

    def parts(self, found: Ought, printed: SortedSide, said: Hints) -> Iterator[tuple[Worlds, str]]:
        """The whole, or the row that is spoken of."""
        if fits(found.value, printed):
            yield found.value, found.text
        if found.value.axes != 2 or (printed.axes > 1 and len(printed.figures) > 1):
            return
        for which in said.which:
            if which.kind not in ("row", "token", "position"):
                continue
            place = which.number - (not self.scope.from_zero)
            if 0 <= place < found.value.shape[0]:
                row = worlds.row(found.value, place)
                if fits(row, printed):
                    yield row, f"row {place + 1} of {found.text}"

    def latest(self, *roles: str, axes: tuple[int, ...] = (1, 2)) -> Iterator[Followed]:
        """What is known for one of some roles, the last one first."""
        for quantity in self.scope.latest():
            if quantity.value.axes in axes and not set(roles).isdisjoint(quantity.roles):
                yield quantity

    def last(self, *axes: int) -> Iterator[Followed]:
        """What was there last, whatever it is."""
        several = (q for q in self.scope.latest() if q.value.axes in axes and q.value.entries > 1)
        yield from islice(several, 9)


UNNAMED = "the figures before"
"""What a quantity without a name and a formula is called."""


def text_of(quantity: Followed) -> str:
    """A quantity by its name, or by what it is."""
    return str(quantity.name) if quantity.name is not None else quantity.text or UNNAMED


def nearness(value: Worlds, printed: SortedSide, share: float = NEAR_SHARE) -> float:
    """The share of figures near enough to be meant, in any world; what agrees counts most."""
    if not fits(value, printed):
        return 0.0
    if rearranged(value, printed):
        return 1.0
    lying = as_printed(value, printed)
    if is_of_whole(printed) and not has_whole_numbers(lying):
        return 0.0  # a mask, a one-hot row: to whole numbers anything small comes near
    near = exact = count = 0
    for i, row in enumerate(printed.figures):
        for j, figure in enumerate(row):
            if figure is None:
                continue
            count += 1
            both = (lying.true[i][j], lying.carried[i][j])
            if figure.value is None and not any(prints(figure, each, figure.unit) for each in both):
                return 0.0  # another mask
            exact += any(prints(figure, each, figure.unit) for each in both)
            near += any(_is_near(figure, each, share) for each in both)
    return near / count + 0.5 * exact / count if count and near / count >= MEANT else 0.0


def is_of_whole(printed: SortedSide) -> bool:
    """Whether a list or a matrix has whole numbers alone."""
    figures = [each for row in printed.figures for each in row if each is not None]
    return len(figures) > 1 and all(each.unit == 1 for each in figures)


def has_whole_numbers(value: Worlds, off: float = 0.0) -> bool:
    """Whether a value has whole numbers alone, or what is so little off."""
    numbers = (x for row in value.true for x in row if x.is_finite() and not x.contains_integer())
    return all(abs(double(x) - round(double(x))) < off for x in numbers)


def _is_near(figure: object, value: arb, share: float) -> bool:
    if not value.is_finite() or figure.value is None:  # type: ignore[attr-defined]
        return prints(figure, value, figure.unit)  # type: ignore[arg-type, attr-defined]
    if figure.unit < Fraction(1, 10) and units_off(figure, value, figure.unit) <= NEAR_UNITS:  # type: ignore[arg-type, attr-defined]
        return True
    size = max(abs(double(figure.value)), abs(double(value)))  # type: ignore[attr-defined]
    return abs(double(figure.value) - double(value)) <= share * size  # type: ignore[attr-defined]


# -- what words speak of -----------------------------------------------------------------------------------------------


def _softmax(of: Natural) -> Iterator[tuple[Worlds, str]]:
    yield from _weights(of)
    for quantity in of.latest("input", axes=(1,)):
        value = worlds.through(lambda rows: on.called("softmax", rows), [quantity.value], quantity.value.axes)
        yield value, f"softmax({text_of(quantity)})"
        yield from _cooled(of, quantity, quantity.number)
        return


def _weights(of: Natural) -> Iterator[tuple[Worlds, str]]:
    """What weights are that nobody calls a softmax: that of scores."""
    for quantity in of.latest("masked", "scaled", "scores", "logits"):
        if "weights" not in quantity.roles and not _is_of_shares(quantity):
            value = worlds.through(lambda rows: on.called("softmax", rows), [quantity.value], quantity.value.axes)
            yield value, f"softmax({text_of(quantity)})"
            yield from _cooled(of, quantity, quantity.number)
            return
    for value, text in _scores(of):  # of a program that calls a function, only its weights are seen
        if (root := _root_of_keys(of)) is not None:
            scaled = worlds.by_entries(lambda a, b: a / b, value, root)
            made = worlds.through(lambda rows: on.called("softmax", rows), [scaled], value.axes)
            yield made, f"softmax({text} / sqrt(d_k))"


def _cooled(of: Natural, scores: Followed, since: int) -> Iterator[tuple[Worlds, str]]:
    """The softmax of scores by the temperature that was set since, which nothing but its name tells."""
    for below in of.scope.latest():
        if below.number <= since:
            return
        name = below.name
        if below.value.axes == 0 and name is not None and not name.labels and name.base.lower() in _TEMPERATURES:
            if below.value.true[0][0].contains(0):
                return
            cooled = worlds.by_entries(lambda a, b: a / b, scores.value, below.value)
            value = worlds.through(lambda rows: on.called("softmax", rows), [cooled], cooled.axes)
            yield value, f"softmax({text_of(scores)} / {below.name})"
            return


_TEMPERATURES = frozenset(("t", "τ", "temp", "temperature"))


def _scaled(of: Natural) -> Iterator[tuple[Worlds, str]]:
    root = next((q for q in of.scope.latest() if q.value.axes == 0 and "sqrt" in q.text), None)
    for quantity in of.latest("scores"):
        if "scaled" in quantity.roles or "masked" in quantity.roles:
            continue
        below = root.value if root is not None else _root_of_keys(of)
        if below is not None:
            yield worlds.by_entries(lambda a, b: a / b, quantity.value, below), f"{text_of(quantity)} / sqrt(d_k)"
        return
    if (below := _root_of_keys(of)) is not None:
        for value, text in _scores(of):
            yield worlds.by_entries(lambda a, b: a / b, value, below), f"{text} / sqrt(d_k)"


def _root_of_keys(of: Natural) -> Worlds | None:
    for quantity in of.latest("key", "query", axes=(1, 2)):
        return worlds.number(arb(quantity.value.shape[1]).sqrt())
    return None


def _masked(of: Natural) -> Iterator[tuple[Worlds, str]]:
    for quantity in of.latest("scaled", "scores", axes=(2,)):
        if "masked" not in quantity.roles:
            value = worlds.through(_causal, [quantity.value], 2)
            yield value, f"{text_of(quantity)} behind a causal mask"
            return


def _causal(rows: BallMatrix) -> BallMatrix:
    return [[arb.neg_inf() if j > i else x for j, x in enumerate(row)] for i, row in enumerate(rows)]


def _scores(of: Natural) -> Iterator[tuple[Worlds, str]]:
    for query in of.latest("query"):
        for key in of.latest("key", axes=(2,)):
            yield worlds.times(query.value, worlds.turned(key.value)), f"{text_of(query)} {text_of(key)}^T"
            return


def _output(of: Natural) -> Iterator[tuple[Worlds, str]]:
    for weights in islice(of.latest("weights"), 4):
        for value in islice(of.latest("value", axes=(2,)), 1):
            if weights.value.shape[1] == value.value.shape[0]:
                yield worlds.times(weights.value, value.value), f"{text_of(weights)} {text_of(value)}"


def _concat(of: Natural) -> Iterator[tuple[Worlds, str]]:
    """The outputs of all heads: what was named alike, head by head, the last of them last."""
    heads: dict[str, Followed] = {}
    base = ""
    for quantity in of.scope.latest():
        name = quantity.name
        if name is None or len(name.labels) != 1 or not name.labels[0].isdecimal() or quantity.value.axes != 2:
            continue
        base = base or name.base
        if name.base == base:
            heads.setdefault(name.labels[0], quantity)
    among = [heads[label] for label in sorted(heads, key=int)]
    if len(among) > 1:
        yield worlds.beside([each.value for each in among]), f"concat({', '.join(map(text_of, among))})"
    for last in of.latest("output", "context", axes=(2,)):
        # head by head by the same name
        alike = [each for each in of.scope.quantities if each.name == last.name and each.value.axes == 2]
        alike = [each for each in alike if each.value.shape[0] == last.value.shape[0]]
        if len(alike) > 1:
            value = worlds.beside([each.value for each in alike])
            yield value, f"concat({', '.join(f'{last.name} of head {n}' for n in range(1, len(alike) + 1))})"
        return


def _along(name: str, axes: tuple[int, ...] = (1, 2)) -> Maker:
    def made(of: Natural) -> Iterator[tuple[Worlds, str]]:
        for quantity in of.last(*axes):
            if quantity.value.axes == 2 and quantity.value.shape[0] == 1:
                continue
            value = worlds.through(
                lambda rows: on.transposed(on.called(f"row_{name}", rows)), [quantity.value], quantity.value.axes - 1
            )
            yield value, f"{name}({text_of(quantity)})"

    return made


def _std(of: Natural) -> Iterator[tuple[Worlds, str]]:
    for value, text in _along("var")(of):
        yield worlds.by_entries(lambda a: a.sqrt(), value), text.replace("var(", "std(")


def _is_of_shares(quantity: Followed) -> bool:
    """Whether every row adds up to 1: nothing has to be divided by its sum any more."""
    rows = quantity.value.carried
    return all(abs(sum(row, arb()).mid() - 1) < 0.02 for row in rows) and all(x >= 0 for row in rows for x in row)


def _shares(of: Natural) -> Iterator[tuple[Worlds, str]]:
    for quantity in of.last(1, 2):
        if _is_of_shares(quantity):
            continue
        yield (
            worlds.through(lambda rows: on.called("proportions", rows), [quantity.value], quantity.value.axes),
            f"{text_of(quantity)} divided by its sum",
        )


def _entrywise(name: str) -> Maker:
    def made(of: Natural) -> Iterator[tuple[Worlds, str]]:
        for quantity in of.last(0, 1, 2):
            value = worlds.through(lambda rows: on.called(name, rows), [quantity.value], quantity.value.axes)
            yield value, f"{name}({text_of(quantity)})"

    return made


_MAKERS: Mapping[str, Maker] = MappingProxyType(
    {
        "softmax": _softmax,
        "weights": _weights,
        "scale": _scaled,
        "causal_mask": _masked,
        "mask": _masked,
        "scores": _scores,
        "weighted_sum": _output,
        "output": _output,
        "concat": _concat,
        "mean": _along("mean"),
        "variance": _along("var"),
        "std": _std,
        "sum": _along("sum"),
        "normalise": _shares,
        "layer_norm": _entrywise("layer_norm"),
        "rms_norm": _entrywise("rms_norm"),
        "relu": _entrywise("relu"),
        "gelu": _entrywise("gelu"),
        "exp": _entrywise("exp"),
    }
)

_OF_ROLE: Mapping[str, str] = MappingProxyType(
    {
        "probabilities": "weights",
        "scaled": "scale",
        "masked": "causal_mask",
        "context": "output",
        "mean": "mean",
        "variance": "variance",
        "std": "std",
    }
)

ROLE_OF_WORD: Mapping[str, str] = MappingProxyType(
    {
        "softmax": "weights",
        "scale": "scaled",
        "causal_mask": "masked",
        "mask": "masked",
        "weighted_sum": "output",
        "dot": "scores",
        "mean": "mean",
        "variance": "variance",
        "std": "std",
    }
)
"""What a quantity is for that words make."""
