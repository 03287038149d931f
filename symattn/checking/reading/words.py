"""In words: which of them are names of a formula."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from symattn.checking.reading import signs
from symattn.checking.reading.lexer import Lexeme

OF_ONE: Final = frozenset("ln lg log exp sin cos tan tanh".split())
"""Functions that a number may follow without brackets: ``ln 2``, ``\\mathrm{ln} 2``."""

_SHORT: Final = re.compile(r"[^\W\d_](?:\d{1,2})?['’]?")
_SHAPED: Final = re.compile(r"[^\W\d_]{1,16}['’]*(?:_[^\W_]{1,12}['’]*){1,4}")
_PRODUCT: Final = re.compile(r"[QKVXWAZOSPHM]{2,3}")
_STRONG: Final = frozenset(["*", "\\times", "\\cdot", "⊙", "@", "+"])
_JOINS: Final = frozenset(["=", "≈", "∈"])


def is_shaped(text: str) -> bool:
    """Whether a word has the shape of a name: ``d_k``, ``W_Q``, ``x1``, ``Q``, ``α``.

    >>> [is_shaped(word) for word in ("d_k", "x1", "Q", "row", "token")]
    [True, True, True, False, False]
    """
    return bool(_SHAPED.fullmatch(text) or (_SHORT.fullmatch(text) and text < "\u2e80"))


def is_strong(text: str) -> bool:
    """Whether a word is a name even beside another one: ``W_Q``, ``V``, ``x1``."""
    return is_shaped(text) and ("_" in text or (text[0].isupper() and text != "I") or text[-1].isdigit())


_AFTER_FACTOR: Final = frozenset(
    ["relation", "op", "end", "stop", "line", "close", "comma", "colon", "T", "script", "word"]
)


class _Promotion:
    def __init__(self, lexemes: Sequence[Lexeme], all_names: bool) -> None:
        self.lexemes, self.all_names = lexemes, all_names
        self.defined = {
            word.text
            for word, sign, after in zip(lexemes, lexemes[1:], lexemes[2:], strict=False)
            if word.kind == "word" and sign.text == "=" and (after.kind == "figure" or after.text == "-")
        }

    def kind(self, place: int) -> str:
        return self.lexemes[place].kind if 0 <= place < len(self.lexemes) else "end"

    def text(self, place: int) -> str:
        return self.lexemes[place].text if 0 <= place < len(self.lexemes) else ""

    def is_operand(self, place: int) -> bool:
        if self.kind(place) == "word":
            return (
                is_shaped(self.text(place)) or self.text(place) in signs.FUNCTIONS or self.text(place) in self.defined
            )
        return self.kind(place) in ("figure", "name", "open", "close", "root", "sum", "mark", "frac", "script")

    def is_name(self, place: int) -> bool:
        """Whether a word is a name, from what stands beside it."""
        word = self.lexemes[place]
        after, before = self.kind(place + 1), self.kind(place - 1)
        tight = place + 1 < len(self.lexemes) and not self.lexemes[place + 1].blank
        if after in ("script", "T", "attribute", "factorial") and tight:
            return True
        if after == "open" and self.text(place + 1) in "([" and tight and (word.text.isascii() or is_shaped(word.text)):
            if word.text in signs.FUNCTIONS or (is_shaped(word.text) and not self.is_remark(place + 2)):
                return True
            if self.is_defined(place + 1):
                return True
            letters = (self.kind(place + 2) == "word" and is_shaped(self.text(place + 2))) or self.text(
                place + 2
            ) == "["
            return self.all_names or (letters and len(word.text) > 1)
        if word.text in ("softmax", "Softmax", "sqrt") and after == "open" and self.text(place + 1) == "[":
            return True
        if word.text in ("inf", "Inf") and self.text(place - 1) == "-":
            return True
        if (after == "figure" and word.text in OF_ONE) or (after == "root" and before == "figure" and not word.blank):
            return True
        if word.text in OF_ONE and self.is_operand(place + 1) and self.kind(place + 2) in ("relation", "open"):
            return self.lexemes[place + 1].blank
        shaped = is_shaped(word.text) or word.text in self.defined
        if shaped and before == after == "bar":
            return True
        if before in ("close", "T") and not word.blank and shaped and word.text not in ("s", "a"):
            return True
        if before in ("close", "T", "name") and is_strong(word.text) and after in _AFTER_FACTOR:
            return True
        if before in ("root", "sum") or (before == "script" and not word.blank):
            return True
        is_side = before == "relation" and self.text(place - 1) in _JOINS
        if is_side and (self.is_last(place, shaped) or self.is_factor(place)):
            return True
        return self.beside_sign(place, shaped)

    def is_defined(self, place: int) -> bool:
        """Whether a relation follows the bracket that opens here: ``PE(0, 1) = 0.84``, ``scores[2][0] = 3``."""
        for last in range(place + 1, min(len(self.lexemes), place + _MOST_ARGUMENTS)):
            if self.kind(last) == "close":
                if last == place + 1 or not self.opens_again(last + 1):
                    return last > place + 1 and self.kind(last + 1) == "relation"
            elif self.kind(last) in ("open", "line", "stop") and not self.opens_again(last):
                return False
        return False

    def opens_again(self, place: int) -> bool:
        """Whether a second index begins there: that of ``scores[2][0]``."""
        return (
            self.kind(place) == "open"
            and self.text(place) == "["
            and self.kind(place - 1) == "close"
            and (not self.lexemes[place].blank)
        )

    def is_remark(self, place: int) -> bool:
        """Whether words stand there that are no names: ``Q (queries)``, ``K(Key)``."""
        return self.kind(place) == "word" and not is_shaped(self.text(place)) and not self.all_names

    def is_factor(self, place: int) -> bool:
        """Whether a word stands before a name between two relations: ``output = weights V = [[…]]``."""
        if self.kind(place + 1) != "word" or not is_strong(self.text(place + 1)):
            return False
        return self.kind(place + 2) == "relation" and self.text(place + 2) in _JOINS

    def is_last(self, place: int, shaped: bool) -> bool:
        """Whether nothing but a name stands between a relation and what ends it."""
        after = self.kind(place + 1)
        if shaped:
            return True
        return after in ("relation", "op", "comma", "stop", "semicolon", "end", "line", "close")

    def beside_sign(self, place: int, shaped: bool) -> bool:
        """Whether a sign stands before or after a word as in a formula."""
        word = self.lexemes[place]
        for step in (1, -1):
            kind, text = self.kind(place + step), self.text(place + step)
            if kind == "relation" and shaped:
                return self.is_operand(place + 2 * step) or step == 1 or text in _JOINS
            if kind == "op" and step == 1 and self.is_sign(place + 1):
                continue
            if kind == "op" and (text in _STRONG or self.is_spaced(place + step, step)):
                if shaped and (self.is_operand(place + 2 * step) or self.all_names):
                    return True
                if self.all_names or (
                    text in _STRONG | {"/"} and self.kind(place + 2 * step) in ("figure", "open", "close")
                ):
                    return True
        if shaped and self.kind(place - 1) in ("open", "comma") and self.kind(place + 1) in ("close", "comma"):
            return (word.text not in ("a", "I") or word.text in self.defined) and self.in_call(place)
        return bool(_PRODUCT.fullmatch(word.text)) and self.kind(place + 1) in ("relation", "op")

    def is_sign(self, place: int) -> bool:
        """Return True for a plus that touches only what follows: the sign of a figure, and no sum."""
        after = self.lexemes[place + 1] if place + 1 < len(self.lexemes) else None
        return self.text(place) in "+±" and self.lexemes[place].blank and after is not None and not after.blank

    def is_spaced(self, place: int, step: int) -> bool:
        """Whether a sign has as much room on both sides, so that it is no hyphen and no dash."""
        sign = self.lexemes[place]
        after = place + 1
        if after >= len(self.lexemes):
            return False
        beside = self.lexemes[after].kind in ("figure", "root", "open", "name") or is_shaped(self.lexemes[after].text)
        beside |= self.is_called(after)
        return sign.blank == self.lexemes[after].blank and beside and (sign.blank or sign.text == "/")

    def is_called(self, place: int) -> bool:
        """Whether a function begins here: ``sqrt(d_k)``."""
        bracket = self.lexemes[place + 1] if place + 1 < len(self.lexemes) else None
        is_open = bracket is not None and bracket.text == "(" and not bracket.blank
        return is_open and self.text(place) in signs.FUNCTIONS

    def in_call(self, place: int) -> bool:
        for before in range(place - 1, max(-1, place - 12), -1):
            if self.kind(before) == "open":
                return self.kind(before - 1) in ("word", "name", "script", "root") and not self.lexemes[before].blank
            if self.kind(before) not in ("comma", "word", "name"):
                return False
        return False


def name_words(lexemes: list[Lexeme], *, all_names: bool = False) -> None:
    """Makes names of the words that are names; with ``all_names`` also words beside an operator."""
    _dots_between(lexemes)
    promotion = _Promotion(lexemes, all_names)
    for place, lexeme in enumerate(lexemes):
        if lexeme.kind != "word" or lexeme.mode == "math":
            continue
        if lexeme.text in "σφ" and promotion.kind(place + 1) == "open" and not lexemes[place + 1].blank:
            lexeme.kind = "name"
            lexemes[place + 1].mode = "math"  # what is in brackets is its argument, as in a formula
        elif promotion.is_name(place):
            lexeme.kind = "name"
    _first_factors(promotion)
    for place in range(1, len(lexemes)):
        sign, before = lexemes[place], lexemes[place - 1]
        if sign.kind != "open" or sign.blank or before.kind not in ("name", "attribute") or sign.mode == "math":
            continue
        if all_names or before.kind == "attribute" or before.text in signs.FUNCTIONS:
            _name_arguments(lexemes, place)


def _first_factors(promotion: _Promotion) -> None:
    """Makes names of the words that begin a line before a factor: ``Q K^T = [[…]]``, ``A V = [[…]]``."""
    for place in range(len(promotion.lexemes) - 3, -1, -1):
        word = promotion.lexemes[place]
        if word.kind != "word" or word.mode == "math" or not is_strong(word.text):
            continue
        is_first = promotion.kind(place - 1) in ("end", "line", "open", "close")
        if not is_first or promotion.kind(place + 1) != "name":
            continue
        is_turned = promotion.kind(place + 2) in ("T", "script") and word.text != "A"
        is_short = len(promotion.text(place + 1)) == 1 and promotion.kind(place + 2) == "relation"
        if is_turned or (is_short and len(word.text) == 1):
            word.kind = "name"


def _dots_between(lexemes: Sequence[Lexeme]) -> None:
    """Makes the sign of a product of a full stop with room on both sides, ``X . W_K``: no sentence ends so."""
    for before, sign, after in zip(lexemes, lexemes[1:], lexemes[2:], strict=False):
        if sign.text != "." or sign.kind != "stop" or not (sign.blank and after.blank):
            continue
        left = before.kind in ("close", "T", "name", "script") or (before.kind == "word" and is_shaped(before.text))
        right = after.kind in ("open", "name") or (after.kind == "word" and is_shaped(after.text))
        if left and right:
            sign.kind, sign.text = "op", "\\cdot"


def _name_arguments(lexemes: Sequence[Lexeme], place: int) -> None:
    """Makes names of words that stand alone between the commas of a call: ``softmax(scores, dim=-1)``."""
    last, waiting = place + 1, []
    while last < min(len(lexemes), place + _MOST_ARGUMENTS) and lexemes[last].kind != "close":
        sign = lexemes[last]
        if sign.kind == "word":
            if lexemes[last - 1].kind in ("word", "figure") or len(sign.text) > _LONGEST:
                return
            waiting.append(sign)
        elif sign.kind not in ("comma", "op", "relation", "figure", "name", "script", "attribute", "stop", "open"):
            return
        last += 1
    if last < len(lexemes) and lexemes[last].kind == "close":
        for sign in waiting:
            sign.kind = "name"


_MOST_ARGUMENTS: Final = 24
_LONGEST: Final = 24
