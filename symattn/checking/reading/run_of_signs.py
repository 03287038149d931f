"""Signs before they are read: brackets around words, formulas on several lines, remarks in between."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from symattn.base.limits import DOCUMENT_DEPTH
from symattn.checking.reading.lexer import Lexeme
from symattn.checking.reading.signs import TENSORS


@dataclass(frozen=True, slots=True)
class Paired:
    """Where each bracket that is open closes, and what stands directly in it."""

    mates: dict[int, int]
    """From an opening sign to its closing one; of a matrix that nobody closed to the end of its piece."""
    related: frozenset[int]
    """Opening signs with a relation directly in them."""
    worded: frozenset[int]
    """Opening signs with words directly in them."""


class _Pairing:
    def __init__(self, lexemes: Sequence[Lexeme]) -> None:
        self.lexemes = lexemes
        self.mates: dict[int, int] = {}
        self.stack: list[int] = []
        self.counts: list[Counter[str]] = [Counter()]
        self.related: set[int] = set()
        self.worded: set[int] = set()
        self.matrices: Counter[str] = Counter()

    def opens(self, place: int, text: str) -> None:
        if len(self.stack) >= DOCUMENT_DEPTH:
            self.lexemes[place].kind = "other"
            return
        self.stack.append(place)
        if text.startswith("\\"):
            self.matrices[text] += 1
            self.counts.append(Counter())
        else:
            self.counts[-1][text] += 1

    def drop(self) -> int:
        place = self.stack.pop()
        text = self.lexemes[place].text
        if text.startswith("\\"):
            self.matrices[text] -= 1
            self.counts.pop()
        else:
            self.counts[-1][text] -= 1
        return place

    def closes(self, place: int, text: str) -> None:
        there = self.matrices[text] if text.startswith("\\") else self.counts[-1][text]
        if not there:
            self.lexemes[place].kind = "other"
            return
        while True:
            opened = self.drop()
            if self.lexemes[opened].text == text:
                self.mates[opened] = place
                self.lexemes[place].kind = "close"
                return
            self.loose(opened, place)

    def loose(self, opened: int, place: int) -> None:
        """What is open and never closed: a matrix ends where what holds it ends, anything else is no bracket."""
        lexeme = self.lexemes[opened]
        if lexeme.text.startswith("\\"):
            end = opened
            while end < place and self.lexemes[end].piece == lexeme.piece:
                end += 1
            self.mates[opened] = end
        else:
            lexeme.kind = "other"

    def bar(self, place: int, text: str) -> None:
        """Pair a bar; in plain text it touches what it holds, and nothing that it could divide."""
        sign, is_math = self.lexemes[place], self.lexemes[place].mode == "math"
        before, after = self.lexemes[place - 1 : place], self.lexemes[place + 1 : place + 2]
        if self.stack and self.lexemes[self.stack[-1]].text == text and (is_math or not sign.blank):
            self.mates[self.drop()] = place
            sign.kind = "close"
        elif is_math or (
            after and not after[0].blank and (not before or sign.blank or before[0].kind in ("op", "open", "relation"))
        ):
            sign.kind = "open"
            self.opens(place, text)
        else:
            sign.kind = "other"

    def run(self) -> Paired:
        for place, lexeme in enumerate(self.lexemes):
            match lexeme.kind:
                case "open":
                    self.opens(place, lexeme.text)
                case "close":
                    self.closes(place, lexeme.text)
                case "bar":
                    self.bar(place, lexeme.text)
                case "line" if self.stack and self.lexemes[self.stack[-1]].text in "|‖":
                    self.loose(self.drop(), place)
                case "relation" if self.stack:
                    self.related.add(self.stack[-1])
                case "word" if self.stack:
                    self.worded.add(self.stack[-1])
                case _:
                    pass
        while self.stack:
            self.loose(self.drop(), len(self.lexemes))
        return Paired(self.mates, frozenset(self.related), frozenset(self.worded))


def paired(lexemes: Sequence[Lexeme]) -> Paired:
    """Which bracket closes which; a bracket without its other one becomes a sign like any other."""
    return _Pairing(lexemes).run()


CONTINUES: Final = frozenset(["*", "\\times", "\\cdot", "⊙", "@", "+", "/"])
_VALUES: Final = frozenset(["figure", "name", "close", "text", "T", "prime", "made"])
_FILLS: Final = frozenset(["line", "row", "cell", "break", "rule", "remark", "torn"])
_HOLDERS: Final = frozenset(["frac", "root", "script", "mark", "over", "close", "sum"])


def loosened_brackets(lexemes: list[Lexeme], pairs: Paired) -> None:
    """Makes of brackets around words and statements, as in ``Scaled ($\\sqrt{2} = 1.414$)``, signs like any other."""
    place = 0
    while place < len(lexemes):
        mate = pairs.mates.get(place) if lexemes[place].kind == "open" else None
        if mate is None:
            place += 1
        elif _is_loose(lexemes, pairs, place, mate):
            remark = place not in pairs.related and _only_words(lexemes, place, mate)
            lexemes[place].kind = lexemes[mate].kind = "remark" if remark else "aside"
            place += 1
        else:
            place = mate + 1


def _is_loose(lexemes: Sequence[Lexeme], pairs: Paired, place: int, mate: int) -> bool:
    """Whether a bracket holds words or statements, and is no argument of what stands before it."""
    sign = lexemes[place]
    before = lexemes[place - 1] if place and lexemes[place - 1].piece == sign.piece else None
    if sign.text not in "([{" or (sign.text == "{" and before is not None and before.kind in _HOLDERS):
        return False
    if sign.text == "(" and sign.blank and mate == place + 2 and lexemes[place + 1].kind == "text":
        return True
    if before is not None and place + 1 < mate and lexemes[place + 1].text in ("shape", "size", "dim"):
        return False
    worded, related = place in pairs.worded, place in pairs.related
    if before is None or sign.blank or before.kind not in ("name", "text", "attribute", "root"):
        return worded or related
    defined = mate + 1 < len(lexemes) and lexemes[mate + 1].kind == "relation"  # Score("cat", "dog") = 0.5
    return worded and not (defined or before.text in TENSORS or before.mode == "code")


def _only_words(lexemes: Sequence[Lexeme], first: int, mate: int) -> bool:
    return mate - first < 12 and all(
        sign.kind in ("word", "figure", "comma", "text") for sign in lexemes[first + 1 : mate]
    )


def joined_lines(lexemes: list[Lexeme]) -> list[Lexeme]:
    """Takes out what stands between a line and the sign that continues it on the next one."""
    kept: list[Lexeme] = []
    depth = 0
    for lexeme in _upright(lexemes):
        depth = max(0, depth + {"open": 1, "close": -1}.get(lexeme.kind, 0))
        if depth == 0 and (lexeme.kind == "relation" or (lexeme.kind == "op" and lexeme.text in CONTINUES)):
            fill = len(kept)
            while fill and kept[fill - 1].kind in _FILLS:
                fill -= 1
            if fill and kept[fill - 1].kind in _VALUES and not _has_words(kept[fill:]):
                del kept[fill:]
        kept.append(lexeme)
    return kept


def _upright(lexemes: list[Lexeme]) -> list[Lexeme]:
    """Sets on one line what stands above and below a sign that has a line of its own: ``Mean``, ``=``, ``2.5``.

    So it does with what stands below a sign that ends a line.
    """
    kept: list[Lexeme] = []
    place = 0
    while place < len(lexemes):
        sign, after = lexemes[place], place + 1
        is_sign = sign.kind == "relation" or (sign.kind == "op" and sign.text in CONTINUES | {"-"})
        if is_sign and kept:
            while after < len(lexemes) and lexemes[after].kind == "line":
                after += 1
            first = len(kept)
            while first and kept[first - 1].kind == "line":
                first -= 1
            before = kept[first - 1].kind if first else "line"
            if place + 1 < after < len(lexemes) and before in _VALUES | (
                {"word"} if sign.kind == "relation" else set()
            ):
                del kept[first:]
                kept.append(sign)
                place = after
                continue
        kept.append(sign)
        place += 1
    return kept


def _has_words(fill: Sequence[Lexeme]) -> bool:
    return any(sign.kind == "remark" for sign in fill) and not any(sign.kind in ("line", "row") for sign in fill)


def without_remarks_between(lexemes: list[Lexeme]) -> list[Lexeme]:
    """Takes out ``(input)`` at the end of a line of figures that the next one continues."""
    kept: list[Lexeme] = []
    place = 0
    while place < len(lexemes):
        if lexemes[place].kind == "remark":
            last = place + 1
            while last < len(lexemes) and lexemes[last].kind != "remark":
                last += 1
            if _continues(lexemes, last + 1):
                place = last + 1
                continue
        kept.append(lexemes[place])
        place += 1
    return kept


def _continues(lexemes: Sequence[Lexeme], place: int) -> bool:
    if place >= len(lexemes) or lexemes[place].kind != "line":
        return False
    while place < len(lexemes) and lexemes[place].kind in _FILLS:
        place += 1
    if place >= len(lexemes):
        return False
    sign = lexemes[place]
    return sign.kind == "relation" or (sign.kind == "op" and sign.text in CONTINUES)
