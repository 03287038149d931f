"""Sentences that state a value of numbers they list: ``The mean of 2, 4 and 9 is 5``, ``2、4 和 9 的平均是 5``.

A sentence is a run of words and lists of operands. Words between two lists join them to a statement if they hold an
operation of the lexicon and a verb of its section ``states``, and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, reduce
from types import MappingProxyType
from typing import Final

from symattn.checking.phrases import heard, is_letter, is_undone, lexicon, plain, spoken
from symattn.checking.reading.expressions import Parser
from symattn.checking.reading.lexer import Lexeme, figure
from symattn.checking.reading.tree import Combined, Expressed, FigureRead, GridRead, Member, NameRead

_WORDS: Final = frozenset(["word", "text", "relation", "colon"])
_ENDS: Final = frozenset(["stop", "row", "rule", "semicolon"])
_BEGINS: Final = frozenset(["figure", "open", "frac", "root", "name", "op"])
_SOME_COMMAS: Final = 2
_OTHER: Final = "\ufffc"
_SHORTEST: Final = 3
"""Fewer signs state nothing."""

OperandList = Sequence[Expressed]


def _called(name: str, items: OperandList) -> Combined:
    return Combined(f"call:{name}", tuple(items), items[0].start, items[-1].end)


def _listed(items: OperandList) -> Expressed:
    """Numbers as one list; a list that stands there as it is."""
    if len(items) == 1 and isinstance(items[0], GridRead):
        return items[0]
    return GridRead((tuple(items),), "list", 1, items[0].start, items[-1].end)


def _chained(op: str, sign: str) -> Callable[[OperandList], Expressed]:
    return lambda items: reduce(lambda a, b: Combined(op, (a, b), a.start, b.end, sign), items)


def _whole(value: int, beside: Expressed) -> FigureRead:
    return FigureRead(str(value), Fraction(value), Fraction(1), beside.start, beside.start)


def _spread(items: OperandList, below: int) -> Expressed:
    """The squares of the distances from the mean, divided by a stated number."""
    numbers = _listed(items)
    entries = numbers.rows[0] if isinstance(numbers, GridRead) else ()
    mean = _called("mean", [numbers])
    two = _whole(2, numbers)
    squares = [_power(Combined("-", (each, mean), each.start, each.end, "-"), two) for each in entries]
    return Combined("/", (_chained("+", "+")(squares), _whole(below, numbers)), numbers.start, numbers.end)


def _power(base: Expressed, exponent: Expressed) -> Combined:
    return Combined("^", (base, exponent), base.start, base.end)


_OF_LIST: Final = MappingProxyType(
    {
        **{name: name for name in "sum mean std norm max min softmax rms_norm layer_norm".split()},
        "variance": "var",
    }
)
"""Operations of a list of numbers, and what the tree calls them."""

_OF_ONE: Final = MappingProxyType(
    {**{name: name for name in "exp log tanh sigmoid relu gelu silu".split()}, "root": "sqrt"}
)
"""Operations of one number, or of each entry of one list."""

_OF_SOME: Mapping[str, tuple[int, Callable[[OperandList], Expressed]]] = MappingProxyType(
    {
        "product": (0, _chained("*", "\\cdot")),
        "plus": (0, _chained("+", "+")),
        "minus": (2, _chained("-", "-")),
        "difference": (2, _chained("-", "-")),
        "quotient": (2, _chained("/", "/")),
        "square": (1, lambda items: _power(items[0], _whole(2, items[0]))),
        "cosine": (2, lambda items: _called("cos", items)),
        "dot": (2, _chained("*", "\\cdot")),
    }
)
"""Operations of so many numbers, 0 for two or more, and what they are in a formula; ``dot`` and ``cosine`` of lists."""

_AMBIGUOUS: Final = frozenset({"log"})
"""Operations that the lexicon's general words leave open: a logarithm without its base."""

_KEEPS_SHAPE: Final = frozenset({"softmax", "rms_norm", "layer_norm"})
_OF_VECTORS: Final = frozenset({"dot", "cosine"})
_JOINTS: Final = ("plus", "minus", "product", "quotient")
"""Operations whose words stand between two operands: ``3 times 4``."""


@dataclass(frozen=True)
class StatedValue:
    """A claim that a sentence makes: a formula, and where its value begins."""

    formula: Expressed
    start: int
    """The first sign that belongs to the claim."""
    value: Member
    end: int
    """The sign behind the value."""


@dataclass(frozen=True)
class _Run:
    """A list of operands among the signs, or the words between two lists."""

    start: int
    end: int
    items: tuple[Expressed, ...] = ()
    text: str = ""
    spots: tuple[int, ...] = ()
    """The sign with which each item begins."""
    joint: str = ""
    """The operation that the words between operands name."""


# -- words -------------------------------------------------------------------------------------------------------------


@cache
def _phrases(kind: str) -> tuple[str, ...]:
    """The phrases of one kind in all languages, longest first."""
    found = {plain(each) for language in spoken() for each in lexicon(language).get("states", {}).get(kind, ())}
    return tuple(sorted(found, key=len, reverse=True))


def _without(text: str, kind: str, *, first: bool) -> str | None:
    """The text without a phrase at its beginning or its end; ``None`` if there is none."""
    for phrase in _phrases(kind):
        if first and text.startswith(phrase) and not _joined(phrase, text[len(phrase) :]):
            return text[len(phrase) :].strip()
        if not first and text.endswith(phrase) and not _joined(text[: -len(phrase)], phrase):
            return text[: -len(phrase)].strip()
    return None


def _joined(left: str, right: str) -> bool:
    """Whether two texts meet inside a word."""
    return bool(left and right) and is_letter(left[-1]) and is_letter(right[0])


def _relation(text: str) -> str | None:
    """The relation that words state: ``is``, ``is about``, ``約為``, or a sign."""
    if text in _RELATIONS:
        return "=" if text == ":" else text
    sign = "="
    for first in (True, False):
        shorter = _without(text, "about", first=first)
        if shorter is not None:
            text, sign = shorter, "≈"
    return sign if text in _phrases("is") else None


_RELATIONS: Final = ("=", "≈", "→", ":")
_QUALIFIED: Final = ("sample", "population")


def _operation(text: str) -> tuple[str, str] | None:
    """The operation that a text ends with, and what stands before it: ``(mean, 'so the')``."""
    known = {*_OF_SOME, *_OF_LIST, *_OF_ONE}
    found = [(kind, shorter) for kind in known if (shorter := _without(text, kind, first=False)) is not None]
    for one in heard(text):
        if one.end == len(text) and not is_undone(text, one):
            found += [(name, text[: one.start].strip()) for name in one.named("does") if name in known - _AMBIGUOUS]
    return min(found, key=lambda each: (len(each[1]), each[0])) if found else None


def _qualified(operation: str, before: str) -> tuple[str, str]:
    for kind in _QUALIFIED if operation in ("variance", "std") else ():
        shorter = _without(before, kind, first=False)
        if shorter is not None:
            return f"{kind} {operation}", shorter
    return operation, before


def _divisor(operation: str, items: OperandList, value: Expressed) -> str:
    """The operation with the divisor that a spread without one means: the one whose value is nearer."""
    entries = items[0].rows[0] if len(items) == 1 and isinstance(items[0], GridRead) else items
    numbers = [each.value for each in entries if isinstance(each, FigureRead) and each.value is not None]
    if operation not in ("variance", "std") or len(numbers) < 2 or not isinstance(value, FigureRead) or not value.value:
        return operation
    printed = value.value if operation == "variance" else value.value * value.value
    middle = sum(numbers, Fraction()) / len(numbers)
    total = sum(((each - middle) * (each - middle) for each in numbers), Fraction())
    is_sample = abs(total / (len(numbers) - 1) - printed) < abs(total / len(numbers) - printed)
    return f"sample {operation}" if is_sample else operation


def _is_free(before: str) -> bool:
    """Whether nothing before an operation changes what it is: no ``geometric`` before ``mean``."""
    return not before or _without(before, "before", first=False) is not None


def _counts(before: str) -> bool:
    """Whether words call the number behind them a row, a step, a head: ``step 1``, ``第 1``."""
    last = before.rstrip(" #")
    return last.endswith("第") or any(one.end == len(last) and one.named("which") for one in heard(last))


def _formula(operation: str, items: OperandList) -> Expressed | None:
    """What an operation makes of operands; ``None`` if it needs others."""
    vectors = [isinstance(each, GridRead) for each in items]
    kind, _, of = operation.rpartition(" ")
    if operation in _OF_VECTORS:
        return _OF_SOME[operation][1](items) if len(items) == 2 and all(vectors) else None
    if of in _OF_LIST:
        if vectors != [True] and (any(vectors) or len(items) < 2):
            return None
        if not kind:
            return _called(_OF_LIST[of], [_listed(items)])
        numbers = _listed(items)
        count = len(numbers.rows[0]) if isinstance(numbers, GridRead) and numbers.axes == 1 else 0
        if count - (kind == "sample") < 1:
            return None
        spread = _spread(items, count - (kind == "sample"))
        return spread if of == "variance" else _called("sqrt", [spread])
    if of in _OF_ONE:
        return _called(_OF_ONE[of], items) if len(items) == 1 else None
    count, made = _OF_SOME[of]
    if any(vectors) or len(items) != count if count else len(items) < 2 or any(vectors):
        return None
    return made(items)


# -- sentences ---------------------------------------------------------------------------------------------------------


class Sentences:
    """Finds the values that sentences state in a run of signs."""

    def __init__(self, parser: Parser, lexemes: Sequence[Lexeme], *, lines: bool) -> None:
        self.parser, self.lexemes = parser, lexemes
        self.ends = _ENDS | {"line"} if lines else _ENDS

    def stated(self) -> dict[int, StatedValue]:
        """Every claim by the sign that it begins with."""
        found = {}
        begin = 0
        for place in range(len(self.lexemes) + 1):
            if place == len(self.lexemes) or self.lexemes[place].kind in self.ends:
                for one in self.of_sentence(begin, place) if self.may_state(begin, place) else ():
                    found[one.start] = one
                begin = place + 1
        self.parser.at = 0
        return found

    def may_state(self, begin: int, end: int) -> bool:
        """Whether a sentence has words and figures."""
        kinds = {sign.kind for sign in self.lexemes[begin:end] if sign.mode != "code"}
        return end - begin >= _SHORTEST and "figure" in kinds and "word" in kinds

    def of_sentence(self, begin: int, end: int) -> Iterator[StatedValue]:
        """The claims of one sentence."""
        runs = [*self.runs(begin, end)]
        claimed = begin
        for place, value in enumerate(runs):
            if place % 2 == 0 or place < 2:
                continue
            follows = place > 3 and runs[place - 3].text.strip(", ") in ("", *_phrases("and"))
            if runs[place - 2].joint and follows and runs[place - 4].end != claimed:
                continue  # 2 and 3 times 4 is 14: more is done than the words between two numbers say
            said = self.claim(runs[place - 3], runs[place - 2], runs[place - 1].text, value)
            if said is None:
                if len(value.items) > 1 and _relation(runs[place - 1].text) and runs[place - 1].text not in _RELATIONS:
                    runs[place] = replace(value, items=())  # a list, or a value and the next list: both may be meant
                continue
            yield said
            claimed = said.end
            rest = [spot for spot in value.spots if spot >= said.end]
            if rest:
                after = replace(value, start=rest[0], items=value.items[-len(rest) :], spots=tuple(rest))
                runs[place + 1 : place + 1] = [_Run(rest[0], rest[0]), after]

    def claim(self, before: _Run, operands: _Run, between: str, value: _Run) -> StatedValue | None:
        """What the words before and behind a list make of it."""
        if not operands.items:
            return None
        relation, start, stated = _relation(between), operands.start, (operands.items, value.items[0])
        formula: Expressed | None = None
        if relation is not None:
            if operands.joint and not _counts(before.text):
                formula = _formula(operands.joint, operands.items)
            elif len(operands.items) == 1 and _is_call(operands.items[0]) and between not in _RELATIONS:
                formula = operands.items[0]
            named = self.named_before(before) if formula is None else None
            if named is not None:
                start, formula = named[1], _formula(_divisor(named[0], *stated), operands.items)
        elif not _counts(before.text):
            relation = "="
            operation = self.named_behind(between)
            if operation and not operands.joint:
                formula = _formula(_divisor(operation, *stated), operands.items)
        if formula is None:
            return None
        if isinstance(formula, Combined) and formula.op == "-" and self.is_distance(formula, value):
            formula = replace(formula, args=formula.args[::-1])
        count = self.count(formula, value)
        if not count:
            return None
        worth = value.items[0] if count == 1 else _listed(value.items[:count])
        end = value.spots[count] if count < len(value.items) else value.end
        while self.lexemes[end - 1].start >= worth.end:
            end -= 1
        return StatedValue(formula, start, Member("≈" if relation == "≈" else "=", worth), end)

    def is_distance(self, formula: Combined, value: _Run) -> bool:
        """Whether a difference is that of the larger number and the smaller one."""
        match formula.args, value.items:
            case (FigureRead(value=a), FigureRead(value=b)), (FigureRead(text=text), *_) if (
                a is not None and b is not None
            ):
                return a < b and not text.startswith("-")
        return False

    def named_before(self, words: _Run) -> tuple[str, int] | None:
        """The operation that words before a list name, and the sign with which its name begins."""
        verbs = ((kind, _without(words.text, f"{kind} of", first=False)) for kind in _OF_SOME)
        rest = _without(words.text, "of", first=False)
        named = next(((kind, before) for kind, before in verbs if before is not None), None)
        named = named or (_operation(rest) if rest else None)
        if named is None:
            return None
        operation, before = _qualified(*named)
        if not _is_free(before):
            return None
        length = len(words.text) - len(before)
        start = words.end - 1
        while start > words.start and len(self.text(start, words.end)) < length - 1:
            start -= 1
        return operation, start

    def named_behind(self, text: str) -> str | None:
        """The operation that words between a list and its value name: ``的平均是``, ``add up to``."""
        for kind in _OF_LIST:
            if text in _phrases(f"{kind} to"):
                return kind
        has = _without(text, "has", first=True)
        verb = _without(text, "is", first=False)
        if verb is not None:
            inner = _without(verb, "about", first=False) or verb
        else:
            inner = (_without(text, "of", first=False) or text) if has else ""
        inner = (has and _without(inner, "has", first=True)) or _without(inner, "of", first=True) or inner
        named = _operation(inner)
        return named[0] if named is not None and not named[1] else None

    def count(self, formula: Expressed, value: _Run) -> int:
        """How many of the items behind a verb are the value; 0 if they have another shape than the formula gives."""
        if value.joint or not isinstance(formula, Combined):
            return 0
        does, argument = formula.op.removeprefix("call:"), formula.args[0]
        is_list = isinstance(value.items[0], GridRead)
        gives_list = isinstance(argument, GridRead) and (does in _KEEPS_SHAPE or does in _OF_ONE.values())
        if is_list or not gives_list:
            return int(is_list == gives_list)
        wanted = len(argument.rows[0]) if isinstance(argument, GridRead) and argument.axes == 1 else 0
        return wanted if wanted <= len(value.items) else 0

    # -- runs --------------------------------------------------------------------------------------------------------

    def runs(self, begin: int, end: int) -> Iterator[_Run]:
        """Words and lists of operands by turns, words first."""
        place = first = begin
        while place < end:
            run = self.operands(place, end)
            if run is None:
                place = max(place + 1, self.parser.at if self.parser.at <= end else place + 1)
                continue
            yield _Run(first, place, text=self.text(first, place))
            yield run
            place = first = run.end

    def text(self, begin: int, end: int) -> str:
        """Words as the lexicon has them; a sign that is no word is in no phrase."""
        kept = [sign for sign in self.lexemes[begin:end] if sign.kind not in ("line", "break")]
        return plain("".join((" " if sign.blank else "") + _worded(sign) for sign in kept))

    def operands(self, place: int, end: int) -> _Run | None:
        """The list of operands that begins at a sign."""
        first = place
        one = self.operand(place)
        if one is None:
            return None
        items, spots, ends, joint = [one], [place], [self.parser.at], ""
        while (joined := self.joined(ends[-1], end, items[-1])) is not None:
            after, operation = joined
            if operation and not joint and len(items) > 1:
                del items[-1], spots[-1], ends[-1]  # 5 and 3 times 4: what is multiplied is no item of the list
                break
            if (len(items) > 1 and operation != joint) or (one := self.operand(after)) is None:
                break
            if isinstance(one, GridRead) != isinstance(items[0], GridRead):
                break
            items.append(one)
            spots.append(after)
            ends.append(self.parser.at)
            joint = operation
        return _Run(first, ends[-1], tuple(items), spots=tuple(spots), joint=joint)

    def joined(self, place: int, end: int, before: Expressed) -> tuple[int, str] | None:
        """Where the next operand begins, and the operation whose words stand before it."""
        after = place
        while after < end and after - place < 4 and self.lexemes[after].kind in ("comma", "word", "text", "line"):
            after += 1
        if after in (place, end):
            return None
        words = self.text(place, after)
        if words.strip(", ") in ("", *_phrases("and")) and words.count(",") < _SOME_COMMAS:
            return after, ""
        joint = next((name for name in _JOINTS if words in _phrases(f"{name} between")), None)
        if isinstance(before, FigureRead) and before.text.endswith("%") and words in _phrases("of"):
            joint = "product"
        return None if joint is None else (after, joint)

    def operand(self, place: int) -> Expressed | None:
        """The number, the list of numbers or the formula of numbers at a sign."""
        sign = self.lexemes[place]
        self.parser.at = place
        if sign.kind not in _BEGINS or sign.mode == "code" or (sign.kind == "op" and sign.text != "-"):
            return None
        found = self.parser.whole()
        if found is None or not _has_figures_only(found):
            return None
        after = self.parser.peek()
        if isinstance(found, FigureRead) and after.kind == "other" and after.text == "%":
            self.parser.at += 1
            return figure(f"{found.text}%", found.start, after.end) or found
        touches = after.kind in ("word", "name") and not after.blank and is_letter(after.text[:1])
        return None if touches else found


def _worded(sign: Lexeme) -> str:
    return sign.text if sign.kind in _WORDS else "," if sign.kind == "comma" else _OTHER


def _is_call(written: Expressed) -> bool:
    return isinstance(written, Combined) and written.op.startswith("call:")


def _has_figures_only(written: Expressed) -> bool:
    """Whether it has no names and nothing that was not read."""
    match written:
        case FigureRead():
            return True
        case GridRead(rows=rows):
            return all(_has_figures_only(cell) for row in rows for cell in row)
        case Combined(args=args):
            return bool(args) and all(map(_has_figures_only, args))
        case NameRead(base=base):
            return base == "e"
    return False
