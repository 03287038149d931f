"""Sentences that state a value of numbers they list: ``The mean of 2, 4 and 9 is 5``, ``2、4 和 9 的平均是 5``.

A sentence is a run of words and lists of operands. Words between two lists join them to a statement if they hold an
operation of the lexicon and a verb of its section ``states``, and nothing else.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from symattn.checking.phrases import is_letter, plain
from symattn.checking.reading.expressions import Parser
from symattn.checking.reading.lexer import Lexeme
from symattn.checking.reading.numerals import figure
from symattn.checking.reading.stated import JOINTS, applied, counts, gives_list, listed, named_last, phrases, without
from symattn.checking.reading.tree import Combined, Expressed, FigureRead, GridRead, Member, NameRead

_WORDS: Final = frozenset(["word", "text", "relation", "colon"])
_ENDS: Final = frozenset(["stop", "row", "rule", "semicolon"])
_BEGINS: Final = frozenset(["figure", "open", "frac", "root", "name", "op"])
_SIGNS: Final = ("=", "≈", "→", ":")


@dataclass(frozen=True)
class StatedValue:
    """A claim that a sentence makes: a formula, and its value."""

    formula: Expressed
    value: Member
    start: int
    """The first sign that belongs to the claim."""
    end: int
    """The sign behind the value."""


@dataclass(frozen=True)
class _Run:
    """A list of operands among the signs, or the words between two lists."""

    start: int
    end: int
    items: tuple[Expressed, ...] = ()
    spots: tuple[int, ...] = ()
    """The sign with which each item begins."""
    text: str = ""
    joint: str = ""
    """The operation that the words between operands name."""


class Sentences:
    """Finds the values that sentences state in a run of signs."""

    def __init__(self, parser: Parser, lexemes: Sequence[Lexeme], *, lines: bool) -> None:
        self.parser, self.lexemes = parser, lexemes
        self.ends = _ENDS | {"line"} if lines else _ENDS

    def stated(self) -> dict[int, StatedValue]:
        """Every claim by the sign that it begins with."""
        found: dict[int, StatedValue] = {}
        begin = 0
        for place in range(len(self.lexemes) + 1):
            if place == len(self.lexemes) or self.lexemes[place].kind in self.ends:
                kinds = {sign.kind for sign in self.lexemes[begin:place] if sign.mode != "code"}
                if kinds.issuperset(("figure", "word")):
                    found.update((one.start, one) for one in self.of_sentence(begin, place))
                begin = place + 1
        self.parser.at = 0
        return found

    def of_sentence(self, begin: int, end: int) -> Iterator[StatedValue]:
        """The claims of one sentence: words and lists by turns, words first."""
        runs = [*self.runs(begin, end)]
        claimed = begin
        for place, value in enumerate(runs):
            if place % 2 == 0 or place < 2:
                continue
            before, operands, between = runs[place - 3 : place] if place > 2 else (_Run(0, 0), *runs[place - 2 : place])
            follows = place > 3 and before.text.strip(", ") in ("", *phrases("and"))
            if operands.joint and follows and runs[place - 4].end != claimed:
                continue  # 2 and 3 times 4 is 14: more is done than the words between two numbers say
            said = self.claim(before, operands, between.text, value)
            if said is None:
                if len(value.items) > 1 and between.text not in _SIGNS and _relation(between.text):
                    runs[place] = replace(value, items=())  # a list, or a value and the next list: both may be meant
                continue
            yield said
            claimed = said.end
            if rest := [spot for spot in value.spots if spot >= said.end]:
                after = replace(value, start=rest[0], items=value.items[-len(rest) :], spots=tuple(rest))
                runs[place + 1 : place + 1] = [_Run(rest[0], rest[0]), after]

    def claim(self, before: _Run, operands: _Run, between: str, value: _Run) -> StatedValue | None:
        """What the words before and behind a list make of it."""
        items, start = operands.items, operands.start
        if not items or value.joint:
            return None
        relation, named = _relation(between), ""
        formula: Expressed | None = None
        if relation is None:
            named = "" if operands.joint or counts(before.text) else _named_behind(between)
        elif operands.joint:
            named = "" if counts(before.text) else operands.joint
        elif between not in _SIGNS and len(items) == 1 and _is_call(items[0]):
            formula = items[0]
        else:
            named, start = self.named_before(before)
        formula = applied(named, items, value.items[0]) if named else formula
        if not isinstance(formula, Combined):
            return None
        is_list, count = isinstance(value.items[0], GridRead), gives_list(formula)
        if is_list > bool(count) or count > len(value.items) > is_list * count:
            return None
        taken = 1 if is_list or not count else count
        worth = value.items[0] if taken == 1 else listed(value.items[:taken])
        end = value.spots[taken] if taken < len(value.items) else value.end
        while self.lexemes[end - 1].start >= worth.end:
            end -= 1
        return StatedValue(formula, Member("≈" if relation == "≈" else "=", worth), start, end)

    def named_before(self, words: _Run) -> tuple[str, int]:
        """The operation that words before a list name, and the sign with which its name begins."""
        named = next(((kind, rest) for kind in JOINTS if (rest := without(words.text, f"{kind} of")) is not None), None)
        if named is None and (rest := without(words.text, "of")):
            named = named_last(rest)
        if named is None or not (not named[1] or without(named[1], "before") is not None):
            return "", words.end  # nothing may change what is done: no geometric before mean
        start = words.end - 1
        while start > words.start and len(self.text(start, words.end)) < len(words.text) - len(named[1]) - 1:
            start -= 1
        return named[0], start

    # -- runs --------------------------------------------------------------------------------------------------------

    def runs(self, begin: int, end: int) -> Iterator[_Run]:
        """Words and lists of operands by turns, words first."""
        place = first = begin
        while place < end:
            run = self.operands(place, end)
            if run is None:
                place = max(place + 1, min(self.parser.at, end))
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
        return _Run(place, ends[-1], tuple(items), tuple(spots), joint=joint)

    def joined(self, place: int, end: int, before: Expressed) -> tuple[int, str] | None:
        """Where the next operand begins, and the operation whose words stand before it."""
        after = place
        while after < end and after - place < 4 and self.lexemes[after].kind in ("comma", "word", "text", "line"):
            after += 1
        if after in (place, end):
            return None
        words = self.text(place, after)
        if words.strip(", ") in ("", *phrases("and")) and words.count(",") < 2:
            return after, ""
        joint = next((name for name in JOINTS if words in phrases(f"{name} between")), None)
        if isinstance(before, FigureRead) and before.text.endswith("%") and words in phrases("of"):
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
            return figure(f"{found.text}%", found.start, after.end)
        touches = after.kind in ("word", "name") and not after.blank and is_letter(after.text[:1])
        return None if touches else found


def _worded(sign: Lexeme) -> str:
    return sign.text if sign.kind in _WORDS else "," if sign.kind == "comma" else "\ufffc"


def _relation(text: str) -> str | None:
    """The relation that words state: ``is``, ``is about``, ``約為``, or a sign."""
    if text in _SIGNS:
        return "≈" if text == "≈" else "="
    if text in phrases("is"):
        return "="
    rests = (without(text, "about", first=first) for first in (True, False))
    return "≈" if any(rest in phrases("is") for rest in rests if rest) else None


def _named_behind(text: str) -> str:
    """The operation that words between a list and its value name: ``的平均是``, ``have a mean of``, ``add up to``."""
    for kind in ("sum", "mean"):
        if text in phrases(f"{kind} to"):
            return kind
    has, verb = without(text, "has", first=True), without(text, "is")
    if verb is not None:
        inner = without(verb, "about") or verb
        inner = without(inner, "has", first=True) or without(inner, "of", first=True) or inner
    else:
        inner = (without(has, "of") or has) if has else ""
    named = named_last(inner)
    return named[0] if named is not None and not named[1] else ""


def _is_call(written: Expressed) -> bool:
    return isinstance(written, Combined) and written.op.startswith("call:")


def _has_figures_only(written: Expressed) -> bool:
    match written:
        case FigureRead() | NameRead(base="e"):
            return True
        case GridRead(rows=rows):
            return all(_has_figures_only(cell) for row in rows for cell in row)
        case Combined(args=args):
            return bool(args) and all(map(_has_figures_only, args))
    return False
