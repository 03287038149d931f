"""From signs to expressions: a tolerant parser by precedence, which never fails and never looks back far."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Final

from symattn.base.limits import DOCUMENT_DEPTH, DOCUMENT_TERMS, NUMBER_LENGTH
from symattn.checking.reading import scripts
from symattn.checking.reading.atoms import is_unknown, over, primary
from symattn.checking.reading.calls import attribute, bracket_after
from symattn.checking.reading.lexer import Lexeme
from symattn.checking.reading.scripts import script, shape_of
from symattn.checking.reading.tree import Combined, Expressed, FigureRead, GridRead, NameRead, Unread
from symattn.checking.reading.walking import END, STARTS, TOO_LONG, Walk
from symattn.checking.reading.words import OF_ONE, is_strong

_TIMES: Final = frozenset(["*", "\\times", "\\cdot", "⊙", "@", "/", "⊗", "%", "//"])

JOINTS: Final = frozenset("and or und oder et ou y e o i lub и или ve veya và hoặc 和 或 と または 및 또는".split())
"""Words between the two values of ±."""


class Parser(Walk):
    """Reads expressions out of a run of signs."""

    # -- sums, products, signs ----------------------------------------------------------------------------------------

    def whole(self) -> Expressed | None:
        """An expression that is not too deep for whoever walks through it."""
        first = self.at
        found = self.expression()
        if found is None or not _is_deep(found):
            return found
        return self.unread(first, self.at, TOO_LONG)

    def expression(self) -> Expressed | None:
        """Sums and differences of products."""
        left = self.product()
        while left is not None and (sign := self.peek()).kind == "op" and sign.text in "+-±":
            if self._is_next_entry(sign):
                break
            before, self.at = self.at, self.at + 1
            right = self.product()
            if right is None:
                self.at = before
                break
            left = Combined(sign.text, (left, right), left.start, right.end, sign.text)
        return left

    def _is_next_entry(self, sign: Lexeme) -> bool:
        """Whether a sign begins the next figure of a list without commas, as NumPy prints it: ``[0.5 -1.0]``, or the
        formula in the next column of a drawn table: ``0.45    -ln p``.
        """
        after = self.peek(1)
        is_figure = after.kind == "figure" or after.text in ("inf", "∞")
        if sign.mode != "math" and after.kind == "name" and not after.blank:
            return self.written(sign.start - 2, sign.start) == "  "
        return self.spread and sign.text == "-" and sign.blank and not after.blank and is_figure

    def product(self) -> Expressed | None:
        """Products and quotients, of signs or beside each other."""
        left = self.signed()
        while left is not None:
            sign = self.peek()
            if sign.kind == "op" and sign.text in _TIMES:
                before, self.at = self.at, self.at + 1
                right = self.signed()
                if right is None:
                    self.at = before
                    break
                left = self._multiplied(left, sign, right)
                continue
            if not self._is_beside(left, sign):
                break
            factor = self.postfix()
            if factor is None:
                break
            if not _is_its_shape(left, factor):
                left = self._beside(left, factor)
        return left

    def _multiplied(self, left: Expressed, sign: Lexeme, right: Expressed) -> Expressed:
        op = sign.text if sign.text in "/@" else "*"
        power = _of_ten(right) if op == "*" and sign.mode != "code" else None
        if isinstance(left, FigureRead) and left.value is not None and power is not None and abs(power) < NUMBER_LENGTH:
            text, scale = self.written(left.start, right.end), Fraction(10) ** power
            return replace(left, text=text, value=left.value * scale, unit=left.unit * scale, end=right.end)
        if sign.text in ("%", "//"):
            name = "call:mod" if sign.text == "%" else "call:floor_divide"
            return Combined(name, (left, right), left.start, right.end, sign.text)
        if op == "/":
            return over(self, left, right, left.start, op)
        return Combined(op, (left, right), left.start, right.end, sign.text)

    def _is_beside(self, left: Expressed, sign: Lexeme) -> bool:
        """Whether the next sign begins a factor that stands beside the one before, without a sign between."""
        if sign.mode == "code" or self.spread or isinstance(left, Unread):
            return False
        if sign.kind not in STARTS:
            return sign.kind == "other" and is_unknown(self)
        if sign.kind in ("dots", "string", "made") or self.lexemes[self.at - 1].piece != sign.piece:
            return False
        if sign.kind == "open" and self.at not in self.pairs.mates:
            return False
        if sign.kind == "figure":
            after = self.peek(1)
            return sign.text == "1" and after.kind == "script" and after.text == "_"  # ones, or where it holds
        if (sign.kind == "root" and not sign.blank) or (sign.kind == "name" and sign.text in OF_ONE):
            return sign.mode == "math" or self.written(sign.start - 2, sign.start) != "  "
        if sign.mode != "math" and sign.blank and sign.kind != "open":
            factor = is_strong(sign.text) or (len(sign.text) == 1 and sign.mode == "plain")
            return sign.kind == "name" and factor and isinstance(left, NameRead | Combined)
        if sign.mode != "math" and sign.kind == "open" and sign.blank:
            return sign.text == "(" and self.at not in self.pairs.worded and sign.mode == "plain"
        return sign.kind != "text" or not self.is_word_of_text(sign)

    def is_word_of_text(self, sign: Lexeme) -> bool:
        """Whether ``\\text{…}`` holds words between formulas, and no name."""
        after = self.peek(1)
        if sign.text in OF_ONE and after.kind in STARTS:
            return False
        if sign.text.strip().lower() in JOINTS:
            return True
        return after.kind not in ("script", "relation", "op", "open", "prime") or after.text.startswith("\\")

    def _beside(self, left: Expressed, factor: Expressed) -> Expressed:
        if (
            isinstance(factor, GridRead)
            and factor.kind == "list"
            and len(factor.rows) == 1
            and len(factor.rows[0]) == 1
        ):
            inner = factor.rows[0][0]
            factor = inner if isinstance(inner, Combined) else factor
        return Combined("*", (left, factor), left.start, factor.end, "beside")

    def signed(self) -> Expressed | None:
        """A factor with its sign."""
        first, negative, is_either = self.at, False, False
        while self.peek().kind == "op" and self.peek().text in "+-±":
            negative ^= self.peek().text == "-"
            is_either |= self.peek().text == "±"
            self.at += 1
        sign = self.lexemes[first] if first < self.end else END
        if self.at == first:
            return self.postfix()
        following = self.peek(1)
        if self.peek().kind == "figure" and self.at == first + 1 and not (_is_power(following) or is_either):
            return self._scripted(self.figure(sign.text, sign.start))
        inner = self.postfix()
        if inner is None:
            self.at = first
            return None
        if negative and isinstance(inner, FigureRead) and inner.value is None:
            return replace(inner, text="-∞", start=sign.start, sign=-1)
        if negative or is_either:
            return Combined("±" if is_either else "neg", (inner,), sign.start, inner.end, "±" if is_either else "-")
        return inner

    # -- what stands after a factor ----------------------------------------------------------------------------------

    def postfix(self) -> Expressed | None:
        """A factor with what stands above, below and after it."""
        inner = self.primary()
        return None if inner is None else self._scripted(inner)

    def _scripted(self, inner: Expressed) -> Expressed:
        for _ in range(DOCUMENT_DEPTH):
            sign, before = self.peek(), self.at
            follower = self._after(inner, sign)
            if follower is None:
                self.at = before
                break
            inner = follower
        if isinstance(inner, NameRead) and (inner.below or inner.above or inner.marks):
            inner = replace(inner, text=self.written(inner.start, inner.end))
        return inner

    def _after(self, inner: Expressed, sign: Lexeme) -> Expressed | None:
        match sign.kind:
            case "script":
                return script(self, inner, sign)
            case "prime" if isinstance(inner, NameRead) and (sign.mode != "prose" or not sign.blank):
                self.at += 1
                return scripts.with_marks(inner, sign.end, "'")
            case "T":
                self.at += 1
                return Combined("T", (inner,), inner.start, sign.end)
            case "factorial":
                self.at += 1
                return Combined("call:factorial", (inner,), inner.start, sign.end, "!")
            case "attribute":
                return attribute(self, inner, sign)
            case "open" if self.at in self.pairs.mates:
                return bracket_after(self, inner, sign)
            case _:
                return None

    # -- what an expression is made of -------------------------------------------------------------------------------

    def primary(self) -> Expressed | None:
        """A figure, a name, a group, a fraction, a root, a sum."""
        if self.depth >= DOCUMENT_DEPTH:
            return None
        self.depth += 1
        try:
            return primary(self)
        finally:
            self.depth -= 1


def _is_deep(written: Expressed) -> bool:
    waiting = [(written, 1)]
    while waiting:
        one, depth = waiting.pop()
        if depth > DOCUMENT_TERMS:
            return True
        inner: tuple[Expressed, ...] = ()
        match one:
            case Combined(args=args, named=named):
                inner = args + tuple(value for _, value in named)
            case GridRead(rows=rows):
                inner = tuple(cell for row in rows for cell in row)
            case NameRead(below=below, above=above, shape=shape):
                inner = below + above + shape
            case _:
                pass
        waiting.extend((part, depth + 1) for part in inner)
    return False


def _is_its_shape(left: Expressed, factor: Expressed) -> bool:
    """Whether ``(2 \\times 3)`` beside a matrix or a formula in names says what shape it has."""
    sizes = [one.text for one in shape_of(factor) if isinstance(one, FigureRead)]
    if isinstance(left, GridRead):
        return sizes == [str(len(left.rows)), str(len(left.rows[0]))]
    return bool(sizes) and not isinstance(left, FigureRead)


def _is_power(sign: Lexeme) -> bool:
    return sign.kind == "script" and sign.text in ("^", "**")


def _of_ten(written: Expressed) -> int | None:
    """The exponent of a power of ten that is written out."""
    match written:
        case Combined(op="^", args=(FigureRead(text="10"), FigureRead(value=power))) if power is not None:
            return int(power) if power.denominator == 1 and abs(power) < 400 else None
        case _:
            return None
