"""Where chains of expressions begin and end, and what is said between them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, Literal

from symattn.checking.reading import scripts
from symattn.checking.reading.atoms import is_unknown
from symattn.checking.reading.expressions import JOINTS, Parser
from symattn.checking.reading.lexer import Lexeme
from symattn.checking.reading.run_of_signs import (
    CONTINUES,
    joined_lines,
    loosened_brackets,
    paired,
    without_remarks_between,
)
from symattn.checking.reading.sentences import Sentences
from symattn.checking.reading.tree import (
    Combined,
    Expressed,
    FigureRead,
    GridRead,
    Member,
    NameRead,
    RelationSign,
    Statement,
    Stop,
    Talk,
    ToldPart,
    Unread,
)
from symattn.checking.reading.units import in_one_unit, without_letters, without_units
from symattn.checking.reading.walking import NOT_READ

_STARTS: Final = frozenset(["figure", "name", "open", "frac", "root", "sum", "mark", "text", "over", "made"])
_DIVIDES: Final = frozenset(["comma", "semicolon", "line", "break"])
_MOST_BEFORE_LABEL: Final = 6
_NOTHING: Final = "nothing stands before the sign"


class Stream:
    """Reads the statements out of a run of signs: a paragraph, a display, what a program printed."""

    def __init__(
        self, lexemes: list[Lexeme], text: str, *, comma: bool = False, lines: bool = False, cell: bool = False
    ) -> None:
        lexemes, self.scales = without_units(lexemes, text)
        first = paired(lexemes)
        loosened_brackets(lexemes, first)
        if lines:
            lexemes = without_remarks_between(lexemes)
        lexemes = joined_lines(lexemes)
        self.lexemes, self.text, self.lines, self.cell = lexemes, text, lines, cell
        self.parser = Parser(lexemes, paired(lexemes), text, comma=comma)
        self.told: list[ToldPart] = []
        self.said = 0

    def read(self) -> list[ToldPart]:
        """Statements and words in reading order."""
        parser = self.parser
        stated = Sentences(parser, self.lexemes, lines=self.lines).stated()
        while parser.at < len(self.lexemes):
            sign, place = parser.peek(), parser.at
            if (claim := stated.get(place)) is not None:
                parser.at = claim.end
                self.statement(place, claim.formula, place, (claim.value,))
            elif sign.kind == "relation" and self.is_about(place):
                parser.at += 1
            elif sign.kind == "relation":
                self.statement(place, *self.label(place))
            elif self.starts(place):
                if (first := parser.whole()) is not None:
                    self.statement(place, first, place)
                else:
                    parser.at = max(parser.at, place + 1)
            elif sign.kind == "colon" and self.is_label(place):
                parser.at += 1
                self.labelled(place)
            else:
                parser.at += 1
                self.ends(sign, place)
        self.say(len(self.lexemes))
        return self.told

    def starts(self, place: int) -> bool:
        sign = self.lexemes[place]
        if sign.kind == "op":
            after = self.parser.peek(1)
            return (
                sign.text in "+-±"
                and after.kind in _STARTS
                and (sign.mode == "math" or not after.blank)
                and not self.is_hyphen(place)
            )
        if sign.kind == "open":
            return place in self.parser.pairs.mates
        if sign.kind == "text":
            follows = place > 0 and self.lexemes[place - 1].kind in ("figure", "name", "close", "T", "prime")
            alone = not follows and place + 1 >= len(self.lexemes)
            return alone or not self.parser.is_word_of_text(sign)
        if sign.kind == "other":
            return is_unknown(self.parser)
        return sign.kind in _STARTS and not self.is_counted(place)

    def is_counted(self, place: int) -> bool:
        """Whether a whole number after a word belongs to it: ``Head 1 = [1, 2]``."""
        sign, before = self.lexemes[place], self.lexemes[place - 1] if place > self.said else None
        counts = sign.kind == "figure" and sign.mode != "math" and sign.text.isdecimal() and len(sign.text) < 4
        return counts and before is not None and _is_counting(before) and self.parser.peek(1).kind == "relation"

    def is_hyphen(self, place: int) -> bool:
        before = self.lexemes[place - 1] if place else None
        return before is not None and before.kind == "word" and not self.lexemes[place].blank

    def label(self, place: int) -> tuple[Expressed, int]:
        """The name that a relation without a first side has: the word that stands directly before it."""
        last = place - 1
        while last >= self.said and self.lexemes[last].kind in ("colon", "line", "other"):
            last -= 1
        if last >= self.said:
            sign = self.lexemes[last]
            if sign.kind in ("word", "text"):
                first = last
                while (
                    first > self.said
                    and not self.lexemes[first].blank
                    and self.lexemes[first - 1].kind in ("word", "figure")
                ):
                    first -= 1
                return self.worded(first, last), first
            before = self.lexemes[last - 1] if last > self.said else None
            if sign.kind == "figure" and sign.text.isdecimal() and before is not None and _is_counting(before):
                name = scripts.identifier(before)
                return scripts.with_below(name, (scripts.number(sign.text, sign.start),), sign.end), last - 1
        sign, touched = self.lexemes[place], self.lexemes[max(0, place - 1)]
        if touched.kind == "other" and sign.mode == "math":
            return Unread(touched.text, NOT_READ, touched.start, touched.end), place - 1
        return Unread("", _NOTHING, sign.start, sign.start), place

    def is_about(self, place: int) -> bool:
        """Whether a sign says of the figure it touches that it is rounded: ``~0.35``, ``about ≈0.5``."""
        sign, after = self.lexemes[place], self.parser.peek(1)
        before = self.lexemes[place - 1] if place else None
        touches = sign.text == "≈" and sign.mode != "math" and after.kind == "figure" and not after.blank
        return touches and (before is None or (sign.blank and before.kind in ("word", "line", "comma", "aside")))

    def is_label(self, place: int) -> bool:
        """Whether one word at the head of what is said stands before a colon, and figures or a formula after it."""
        if place <= self.said or self.lexemes[place - 1].kind != "word" or self.lexemes[place].mode == "code":
            return False
        if place - 1 - self.said > _MOST_BEFORE_LABEL:
            return False
        if any(sign.kind not in _DIVIDES for sign in self.lexemes[self.said : place - 1]):
            return False
        after = self.lexemes[place + 1] if place + 1 < len(self.lexemes) else None
        return after is not None and after.kind != "line" and (after.kind in _STARTS or after.kind == "op")

    def labelled(self, place: int) -> None:
        """``Mean: 0.25``, ``Scores: [[…]]``, ``Std: √(…) ≈ 0.66``: what stands after a colon is what the word says."""
        parser, begin = self.parser, self.parser.at
        found = parser.whole()
        after = parser.peek()
        if found is None or isinstance(found, NameRead | Unread) or after.kind in ("word", "text"):
            parser.at = begin
            return
        if isinstance(found, Combined) and after.kind != "relation" and not _has_figure(found):
            parser.at = begin
            return
        self.statement(place - 1, self.worded(place - 1, place - 1), place - 1, (Member(":", found),))

    def worded(self, first: int, last: int) -> NameRead:
        one, other = self.lexemes[first], self.lexemes[last]
        if first == last:
            return scripts.identifier(one)
        text = self.text[one.start : other.end]
        return NameRead(text, (), (), (), one.start, other.end, text)

    def statement(self, place: int, first: Expressed, begin: int, more: tuple[Member, ...] = ()) -> None:
        """A chain whose first side was read: what follows after signs such as = and ≈."""
        parser = self.parser
        sides = [Member(None, first), *more]
        while (sign := parser.peek()).kind == "relation":
            before, parser.at = parser.at, parser.at + 1
            while parser.peek().kind in ("line", "cell", "break", "row", "torn") or (
                parser.peek().kind == "relation" and parser.peek().text == sign.text
            ):
                parser.at += 1
            side = self.side(sign)
            if side is None:
                parser.at = max(before + 1, parser.at)
                break
            sides.append(side)
        self.second_value(sides)
        sides = list(without_letters(sides))
        if not self.claims(sides, place):
            return
        self.say(begin)
        self.said = parser.at
        for chain in in_one_unit(sides, self.scales):
            self.told.append(Statement(chain, chain[0].of.start, max(side.of.end for side in chain)))

    def side(self, sign: Lexeme) -> Member | None:
        parser = self.parser
        relation: RelationSign = sign.text  # type: ignore[assignment]
        place, done = parser.at, parser.peek()
        is_signed = done.text == "+" and parser.peek(1).kind == "figure" and not parser.peek(1).blank
        is_done = done.kind == "op" and done.text in CONTINUES and not is_signed  # → × V: done with what stands before
        parser.at += is_done
        found = parser.whole()
        if found is None:
            parser.at = place
            return None
        if is_done:
            before = Unread("", "what stands before", done.start, done.start)
            op = done.text if done.text in "+/@" else "*"
            found = Combined(op, (before, found), done.start, found.end, done.text)
        return Member(relation, found)

    def second_value(self, sides: list[Member]) -> None:
        """``5 ± 1 = 4, 6`` and ``4 or 6``: both figures that ± claims."""
        parser, last, place = self.parser, sides[-1].of, self.parser.at
        joint = parser.peek()
        if joint.kind != "comma" and joint.text.strip().lower() not in JOINTS:
            return
        if isinstance(last, FigureRead) and any(_has_either(side.of) for side in sides):
            parser.at += 1
            other = parser.signed()
            if isinstance(other, FigureRead):
                grid = GridRead(((last, other),), "tuple", 1, last.start, other.end)
                sides[-1] = Member(sides[-1].relation, grid)
            else:
                parser.at = place

    def claims(self, sides: Sequence[Member], place: int) -> bool:
        """Whether what was read in words is more than a number or a letter among them."""
        last = sides[-1].of
        if isinstance(last, Combined) and last.op == "*" and _SHAPE.fullmatch(self.text, last.start, last.end):
            return False  # matmul(8x3, 3x8) -> 8x8 says which shape is made
        if len(sides) > 1 or any(sign.mode == "math" for sign in self.lexemes[place : self.parser.at]):
            return True
        match sides[0].of:
            case FigureRead() if self.is_alone(place):
                return True
            case FigureRead(text=text) if text.endswith("%") and text[:-1].isdecimal() and not self.cell:
                return True
            case FigureRead(text=text, value=value):
                return value is not None and "." in text and not self.is_numbering(place) and not self.has_unit()
            case GridRead(rows=rows):
                return _has_figures(rows)
            case Combined(op="-" | "/" | "neg" | "+" | "*") as one:
                return not _is_whole(one)
            case NameRead() | Unread():
                return False
            case _:
                return True

    def is_alone(self, place: int) -> bool:
        """Whether a number is all that a cell or a line of output holds."""
        after = self.parser.at
        begins = place == 0 or (self.lines and self.lexemes[place - 1].kind == "line")
        return (
            (self.lines or self.cell)
            and begins
            and (after >= len(self.lexemes) or (self.lines and self.lexemes[after].kind == "line"))
        )

    def has_unit(self) -> bool:
        """Whether a word touches the number that was read: ``3.5x``, ``2.5GB``."""
        after = self.parser.peek()
        return after.kind in ("word", "name") and not after.blank and after.text.isascii()

    def is_numbering(self, place: int) -> bool:
        """Whether a number with a point counts sections or versions: at the head of a line, or after certain words."""
        before = self.lexemes[place - 1] if place else None
        if before is None or before.kind == "line":
            return self.parser.at < len(self.lexemes) and self.parser.peek().kind == "word"
        return before.kind == "word" and before.text.lower() in _VERSIONED

    def ends(self, sign: Lexeme, place: int) -> None:
        """Says that a sentence or a line ends here."""
        kind: Literal["sentence", "line"] | None = None
        if sign.kind == "stop":
            kind = "sentence"
        elif sign.kind in ("row", "rule") or (sign.kind == "line" and self.lines):
            kind = "line"
        if kind is not None:
            self.say(place)
            self.said = place + 1
            self.told.append(Stop(kind, sign.end))

    def say(self, end: int) -> None:
        """Tells what stood before this sign as words."""
        inner = self.lexemes[self.said : end]
        if inner and any(
            sign.kind not in ("comma", "semicolon", "line", "break", "row", "cell", "colon", "torn") for sign in inner
        ):
            start, last = inner[0].start, inner[-1].end
            words = "".join((" " if sign.blank else "") + self.spelled(sign) for sign in inner)
            self.told.append(Talk(" ".join(words.split()), start, last))
        self.said = end

    def spelled(self, sign: Lexeme) -> str:
        """A sign as it stands in the file, without the command that holds it."""
        if sign.kind == "break":
            return " "
        if sign.kind == "mark" and self.text[sign.start : sign.start + 1] != "\\":
            return ""  # a sign over the letter that comes next, which stands there with it
        return sign.text if sign.kind in ("text", "word", "line") else self.text[sign.start : sign.end]


def _has_either(written: Expressed) -> bool:
    return isinstance(written, Combined) and (written.op == "±" or any(map(_has_either, written.args)))


_VERSIONED: Final = frozenset(
    "python version v section chapter figure fig table gpt pytorch numpy torch cuda llama 图 表 章 节 第 版".split()
)


_SHAPE: Final = re.compile(r"\d+(?:[x×]\d+)+")


def _is_counting(sign: Lexeme) -> bool:
    """Whether a word may have a number: ``Head 1``, and not ``of 1``."""
    return sign.kind == "word" and (len(sign.text) > 3 or not sign.text.islower() or sign.text in ("row", "x"))


def _has_figures(rows: tuple[tuple[Expressed, ...], ...]) -> bool:
    return any(not isinstance(cell, Unread | NameRead) for row in rows for cell in row)


def _has_figure(written: Combined) -> bool:
    return any(isinstance(one, FigureRead) or (isinstance(one, Combined) and _has_figure(one)) for one in written.args)


def _is_whole(written: Expressed) -> bool:
    """Whether it has only whole numbers and names: ``1-1``, ``3/4``, ``and/or`` are no claims in words."""
    match written:
        case FigureRead(text=text):
            return "." not in text
        case Combined(op="-" | "/" | "neg" | "+" | "*", args=args):
            return all(_is_whole(one) for one in args)
        case NameRead():
            return True
        case _:
            return False
