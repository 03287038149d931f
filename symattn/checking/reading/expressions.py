"""From signs to expressions: a tolerant parser by precedence, which never fails and never looks back far."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from symattn.checking.reading import grids, names
from symattn.checking.reading.figures import figure
from symattn.checking.reading.lexer import Lexeme
from symattn.checking.reading.pairs import Paired
from symattn.checking.reading.signs import MODULES, TENSORS
from symattn.checking.reading.tree import Applied, FigureRead, GridRead, NameRead, Unread, Written
from symattn.checking.reading.words import is_strong
from symattn.limits import DOCUMENT_DEPTH, DOCUMENT_TERMS

_END: Final = Lexeme("end", "", 0, 0, True, -1, "math")
_STARTS: Final = frozenset(
    ["figure", "name", "open", "frac", "root", "sum", "mark", "dots", "text", "string", "over", "made"]
)
_TIMES: Final = frozenset(["*", "\\times", "\\cdot", "⊙", "@", "/", "⊗"])
_TRANSPOSES: Final = frozenset(["T", "⊤", "t", "tr"])
_PRODUCTS: Final = frozenset(["matmul", "dot", "mm", "bmm", "inner"])
_OPERANDLESS: Final = frozenset(["sum", "mean", "var", "std", "concat", "norm", "max", "min", "transpose"])


class Parser:
    """Reads expressions out of a run of signs.

    ``at`` is the sign that comes next, ``end`` where the reading stops. Each method gives ``None`` and stays where it is, where
    nothing of its kind begins.
    """

    def __init__(self, lexemes: Sequence[Lexeme], pairs: Paired, text: str, *, comma: bool = False) -> None:
        self.lexemes, self.pairs, self.text, self.comma = lexemes, pairs, text, comma
        self.at, self.end, self.depth = 0, len(lexemes), 0

    def peek(self, ahead: int = 0) -> Lexeme:
        """The sign that comes next, or the one after."""
        place = self.at + ahead
        return self.lexemes[place] if place < self.end else _END

    def spot(self) -> int:
        """Where the last sign that was read ends in the file."""
        return self.lexemes[self.at - 1].end if self.at else 0

    def written(self, start: int, end: int) -> str:
        """What stands in the file."""
        return self.text[start:end]

    def unread(self, first: int, last: int, why: str) -> Unread:
        """The signs from one to another as they stand."""
        start = self.lexemes[first].start
        end = max(start, self.lexemes[min(max(first, last - 1), len(self.lexemes) - 1)].end)
        return Unread(self.written(start, end), why, start, end)

    # -- sums, products, signs ----------------------------------------------------------------------------------------

    def whole(self) -> Written | None:
        """An expression that is not too deep for whoever walks through it."""
        first = self.at
        found = self.expression()
        if found is None or not _is_deep(found):
            return found
        return self.unread(first, self.at, "a formula that is too long")

    def expression(self) -> Written | None:
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
            left = Applied("+" if sign.text == "±" else sign.text, (left, right), left.start, right.end, sign.text)
        return left

    def _is_next_entry(self, sign: Lexeme) -> bool:
        """Whether a sign begins the next figure of a list without commas, as NumPy prints it: ``[0.5 -1.0]``."""
        after = self.peek(1)
        return self._spread and sign.text == "-" and sign.blank and not after.blank and after.kind == "figure"

    _spread = False

    def product(self) -> Written | None:
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
            left = self._beside(left, factor)
        return left

    def _multiplied(self, left: Written, sign: Lexeme, right: Written) -> Written:
        op = sign.text if sign.text in "/@" else "*"
        if sign.mode != "code" and isinstance(left, FigureRead) and (power := _of_ten(right)) is not None and op == "*":
            scaled = figure(
                f"{left.text.lstrip('-')}e{power}",
                left.start,
                right.end,
                sign=left.text[:1].replace(left.text[:1], "-" if left.text[:1] == "-" else ""),
            )
            if scaled is not None:
                return replace(scaled, text=self.written(left.start, right.end))
        return Applied(op, (left, right), left.start, right.end, sign.text)

    def _is_beside(self, left: Written, sign: Lexeme) -> bool:
        """Whether the next sign begins a factor that stands beside the one before, without a sign between."""
        if sign.kind not in _STARTS or sign.mode == "code" or self._spread or isinstance(left, Unread):
            return False
        if sign.kind in ("dots", "string", "made") or self.lexemes[self.at - 1].piece != sign.piece:
            return False
        if sign.kind == "open" and self.at not in self.pairs.mates:
            return False
        if sign.kind == "figure":
            return False
        if sign.mode != "math" and sign.blank and sign.kind != "open":
            factor = is_strong(sign.text) or (len(sign.text) == 1 and sign.mode == "plain")
            return sign.kind == "name" and factor and isinstance(left, NameRead | Applied)
        if sign.mode != "math" and sign.kind == "open" and sign.blank:
            return sign.text == "(" and self.at not in self.pairs.worded and sign.mode == "plain"
        return sign.kind != "text" or not self._is_word_of_text(sign)

    def _is_word_of_text(self, sign: Lexeme) -> bool:
        after = self.peek(1)
        return after.kind not in ("script", "relation", "op", "open", "prime") or after.text.startswith("\\")

    def _beside(self, left: Written, factor: Written) -> Written:
        if (
            isinstance(factor, GridRead)
            and factor.kind == "list"
            and len(factor.rows) == 1
            and len(factor.rows[0]) == 1
        ):
            inner = factor.rows[0][0]
            factor = inner if isinstance(inner, Applied) else factor
        return Applied("*", (left, factor), left.start, factor.end, "beside")

    def signed(self) -> Written | None:
        """A factor with its sign."""
        first, negative = self.at, False
        while self.peek().kind == "op" and self.peek().text in "+-±":
            negative ^= self.peek().text == "-"
            self.at += 1
        sign = self.lexemes[first] if first < self.end else _END
        if self.at == first:
            return self.postfix()
        following = self.peek(1)
        if self.peek().kind == "figure" and self.at == first + 1 and not _is_power(following):
            found = self._figure(sign.text if negative else "", sign.start if negative else self.peek().start)
            return self._scripted(found) if found is not None else None
        inner = self.postfix()
        if inner is None:
            self.at = first
            return None
        return Applied("neg", (inner,), sign.start, inner.end, "-") if negative else inner

    # -- what stands after a factor ----------------------------------------------------------------------------------

    def postfix(self) -> Written | None:
        """A factor with what stands above, below and after it."""
        inner = self.primary()
        return None if inner is None else self._scripted(inner)

    def _scripted(self, inner: Written) -> Written:
        for _ in range(DOCUMENT_DEPTH):
            sign, before = self.peek(), self.at
            follower = self._after(inner, sign)
            if follower is None:
                self.at = before
                break
            inner = follower
        return inner

    def _after(self, inner: Written, sign: Lexeme) -> Written | None:
        match sign.kind:
            case "script":
                return self._script(inner, sign)
            case "prime" if isinstance(inner, NameRead) and (sign.mode != "prose" or not sign.blank):
                self.at += 1
                return names.with_marks(inner, sign.end, "'")
            case "T":
                self.at += 1
                return Applied("T", (inner,), inner.start, sign.end)
            case "op" if sign.text == "*" and self._is_python_power(sign):
                self.at += 2
                power = self.signed()
                return None if power is None else Applied("^", (inner, power), inner.start, power.end)
            case "attribute":
                return self._attribute(inner, sign)
            case "open" if self.at in self.pairs.mates:
                return self._bracket_after(inner, sign)
            case _:
                return None

    def _is_python_power(self, sign: Lexeme) -> bool:
        after = self.peek(1)
        return sign.mode != "math" and after.kind == "op" and after.text == "*" and not after.blank

    def _script(self, inner: Written, sign: Lexeme) -> Written | None:
        self.at += 1
        first = self.at
        if sign.text == "_":
            pieces = self.script_pieces()
            if not pieces:
                return None
            return self._below(inner, pieces)
        if (mark := self._transpose_or_mark(inner)) is not None:
            return mark
        pieces = self.script_pieces()
        if not pieces:
            return None
        return self._above(inner, pieces, first)

    def _transpose_or_mark(self, inner: Written) -> Written | None:
        """``^T``, ``^{\\top}``, ``^{\\mathrm T}``, ``^*``, ``^\\prime``."""
        opened = self.peek().kind == "open" and self.peek().text == "{" and self.at in self.pairs.mates
        skip = 1 if opened else 0
        while opened and self.peek(skip).text == "{" and self.pairs.mates.get(self.at + skip) is not None:
            skip += 1
        sign = self.peek(skip)
        if opened and self.peek(skip + 1).kind != "close":
            return None
        size = 1 + 2 * skip
        if sign.kind in ("name", "word", "text") and sign.text in _TRANSPOSES:
            self.at += size
            return Applied("T", (inner,), inner.start, self.spot())
        if sign.kind == "prime" and isinstance(inner, NameRead):
            self.at += size
            return names.with_marks(inner, self.spot(), "'")
        if sign.kind == "op" and sign.text in "*⊙+-" and isinstance(inner, NameRead):
            if not opened and self.peek(1).kind in ("figure", "name") and sign.text == "-":
                return None
            self.at += size
            return names.with_marks(inner, self.spot(), sign.text)
        return None

    def script_pieces(self) -> tuple[Written, ...]:
        """What stands above or below: a group, or one sign."""
        sign = self.peek()
        if sign.kind == "open" and sign.text in "{(" and self.at in self.pairs.mates:
            return grids.script_group(self)
        if sign.kind == "op" and sign.text == "-" and self.peek(1).kind in ("figure", "name"):
            self.at += 1
            inner = self.primary()
            return () if inner is None else (self._negated(inner, sign),)
        if sign.kind == "figure" and self.lexemes[self.at - 1].text == "_" and sign.text.isdecimal():
            self.at += 1
            return names.digits(sign.text, sign.start)
        if sign.kind in ("word", "text"):
            self.at += 1
            return (NameRead(sign.text, (), (), (), sign.start, sign.end, sign.text),)
        inner = self.primary()
        return () if inner is None else (inner,)

    def _negated(self, inner: Written, sign: Lexeme) -> Written:
        if isinstance(inner, FigureRead) and inner.value is not None:
            return FigureRead("-" + inner.text, -inner.value, inner.unit, sign.start, inner.end)
        if isinstance(inner, FigureRead):
            return FigureRead("-∞", None, inner.unit, sign.start, inner.end, -1)
        return Applied("neg", (inner,), sign.start, inner.end, "-")

    def _below(self, inner: Written, pieces: tuple[Written, ...]) -> Written:
        end = self.spot()
        match inner:
            case NameRead():
                return names.with_below(inner, pieces, end)
            case Applied(op="T" | "^", args=(NameRead() as name, *more)):
                return replace(inner, args=(names.with_below(name, pieces, end), *more), end=end)
            case Applied(op=op) if op.startswith("call:") and op not in ("call:abs", "call:norm"):
                return Applied("index", (inner, *pieces), inner.start, end, "_")
            case GridRead():
                return Applied("index", (inner, *pieces), inner.start, end, "_")
            case Applied(op="call:norm" | "call:abs"):
                return replace(inner, named=(("_", pieces[0]),), end=end)
            case _:
                return inner  # a brace under a sum, with words below it

    def _above(self, inner: Written, pieces: tuple[Written, ...], first: int) -> Written:
        end = self.spot()
        if len(pieces) == 1 and not self._is_label_above(inner, pieces[0], first):
            if isinstance(inner, NameRead) and inner.base == "e" and not (inner.marks or inner.below or inner.above):
                return Applied("call:exp", pieces, inner.start, end, "e^")
            return Applied("^", (inner, pieces[0]), inner.start, end)
        match inner:
            case NameRead():
                return names.with_above(inner, pieces, end)
            case Applied(op="T", args=(NameRead() as name,)):
                return replace(inner, args=(names.with_above(name, pieces, end),), end=end)
            case _:
                return Applied("^", (inner, pieces[0]), inner.start, end)

    def _is_label_above(self, inner: Written, piece: Written, first: int) -> bool:
        """Whether what stands above a name belongs to it: ``W^Q``, ``x^{(2)}``, ``\\mathbb{R}^{3\\times 2}``; else it is a power."""
        if not isinstance(inner, NameRead):
            return False
        if inner.base == "ℝ" or inner.base == "R" and isinstance(piece, Applied) and piece.op == "*":
            return True
        sign = self.lexemes[first]
        inside = self.lexemes[first + 1] if sign.text == "{" and first + 1 < len(self.lexemes) else sign
        if inside.kind == "open" and inside.text in "([" and inner.base != "e":
            whole = isinstance(piece, NameRead) or (isinstance(piece, FigureRead) and piece.text.isdecimal())
            return whole or inside.text == "["
        if isinstance(piece, NameRead) and inner.base != "e":
            return len(piece.base) > 1 or piece.base.isupper() or bool(piece.below) or piece.base in "qkvoh"
        return False

    # -- brackets, calls and attributes after a name -----------------------------------------------------------------

    def _bracket_after(self, inner: Written, sign: Lexeme) -> Written | None:
        tight = not sign.blank
        if sign.text == "(" and (shape := self._shape(inner)) is not None:
            return shape
        if sign.text == "[" and isinstance(inner, NameRead | Applied) and tight:
            if sign.mode == "code" or (isinstance(inner, NameRead) and grids.is_index(self)):
                return self._index(inner)
        if sign.text != "(" or not isinstance(inner, NameRead) or sign.piece != self.lexemes[self.at - 1].piece:
            return None
        if sign.mode == "code" or names.function(inner) or inner.base in ("f", "g") and tight:
            return self._call(inner) if tight or sign.mode == "math" or names.function(inner) else None
        if inner.base in "σφ" and tight and not inner.below and sign.mode == "math":
            return self._call(inner)
        return self._call(inner) if names.is_word(inner) and (tight or sign.mode == "math") else None

    def _shape(self, inner: Written) -> Written | None:
        """``(shape=3\\times 2)`` after a name."""
        if self.peek(1).text not in ("shape", "size", "dim") or self.peek(2).kind != "relation":
            return None
        mate = self.pairs.mates[self.at]
        self.at, outer, self.end = self.at + 3, self.end, mate
        found = self.expression()
        whole, self.at, self.end = self.at == mate, mate + 1, outer
        if not isinstance(inner, NameRead) or found is None or not whole:
            if not isinstance(inner, Applied) or found is None or inner.op.startswith("call:"):
                return replace(inner, end=self.spot()) if isinstance(inner, Applied) else None
            return replace(inner, named=(*inner.named, ("shape", found)), end=self.spot())
        sizes = (
            found.args
            if isinstance(found, Applied) and found.op == "*"
            else found.rows[0]
            if isinstance(found, GridRead) and found.rows
            else (found,)
        )
        return names.with_shape(inner, sizes, self.spot())

    def _index(self, inner: Written) -> Written:
        first = self.at
        found, named = grids.arguments(self)
        if not found:
            found = (self.unread(first, self.at, "an index that is empty"),)
        return Applied("index", (inner, *found), inner.start, self.spot(), "", named)

    def _call(self, name: NameRead) -> Written:
        known = names.function(name)
        found, named = grids.arguments(self)
        below: tuple[tuple[str, Written], ...] = ()
        if known and name.below and known in ("softmax", "sum", "max", "mean", "min", "var", "norm"):
            below = tuple(("_", one) for one in name.below)
        if name.base in ("float",) and len(found) == 1 and isinstance(found[0], FigureRead):
            return found[0]
        if name.base in ("Size",) or not found:
            return Applied(f"call:{known or self._called(name)}", found, name.start, self.spot(), "", named + below)
        if name.base in _PRODUCTS and len(found) == 2:
            return Applied("@", found, name.start, self.spot(), name.base)
        if name.base in ("transpose", "swapaxes", "permute") and found:
            return Applied("T", (found[0],), name.start, self.spot())
        if name.base in TENSORS and isinstance(found[0], GridRead | FigureRead):
            return grids.as_tensor(found[0], name.start, self.spot())
        return Applied(f"call:{known or self._called(name)}", found, name.start, self.spot(), "", named + below)

    def _called(self, name: NameRead) -> str:
        return name.base if not name.text else name.text.replace("{", "").replace("}", "")

    def _attribute(self, inner: Written, sign: Lexeme) -> Written | None:
        text = sign.text
        module = isinstance(inner, NameRead) and inner.text in MODULES
        self.at += 1
        if text in ("T", "mT") and not module:
            return Applied("T", (inner,), inner.start, sign.end)
        called = self.peek().kind == "open" and self.peek().text == "(" and self.at in self.pairs.mates
        name = names.identifier(Lexeme("name", text, sign.start, sign.end, False, sign.piece, sign.mode))
        if module:
            if text in ("inf", "Inf", "infty"):
                return figure("∞", inner.start, sign.end)
            return replace(name, start=inner.start)
        if not called:
            return Applied(f"call:{text}", (inner,), inner.start, sign.end, ".")
        found, named = grids.arguments(self)
        if text in ("t", "transpose", "swapaxes", "permute"):
            return Applied("T", (inner,), inner.start, self.spot())
        if text in ("matmul", "dot", "mm", "bmm") and len(found) == 1:
            return Applied("@", (inner, *found), inner.start, self.spot(), text)
        return Applied(f"call:{names.function(name) or text}", (inner, *found), inner.start, self.spot(), ".", named)

    # -- what an expression is made of -------------------------------------------------------------------------------

    def primary(self) -> Written | None:
        """A figure, a name, a group, a fraction, a root, a sum."""
        if self.depth >= DOCUMENT_DEPTH:
            return None
        self.depth += 1
        try:
            return grids.primary(self)
        finally:
            self.depth -= 1

    def _figure(self, sign: str, start: int) -> Written | None:
        lexeme = self.peek()
        self.at += 1
        found = figure(lexeme.text, start, lexeme.end, sign="-" if sign == "-" else "", comma=self.comma)
        return found or Unread(self.written(start, lexeme.end), "a figure that is too long", start, lexeme.end)

    def takes_operand(self, name: NameRead) -> bool:
        """Whether a name of a function stands before what it is applied to, without brackets: ``\\exp x``, ``softmax [1, 2]``."""
        known, sign = names.function(name), self.peek()
        if known is None or sign.kind not in _STARTS or sign.piece != self.lexemes[self.at - 1].piece:
            return False
        if sign.kind == "open" and self.at not in self.pairs.mates:
            return False
        if known in _OPERANDLESS or sign.mode != "math":
            return sign.kind == "open" and sign.text != "("
        return sign.kind not in ("dots", "text") and not (sign.kind == "open" and sign.text == "(")


def _is_deep(written: Written) -> bool:
    waiting = [(written, 1)]
    while waiting:
        one, depth = waiting.pop()
        if depth > DOCUMENT_TERMS:
            return True
        inner: tuple[Written, ...] = ()
        match one:
            case Applied(args=args, named=named):
                inner = args + tuple(value for _, value in named)
            case GridRead(rows=rows):
                inner = tuple(cell for row in rows for cell in row)
            case NameRead(below=below, above=above, shape=shape):
                inner = below + above + shape
            case _:
                pass
        waiting.extend((part, depth + 1) for part in inner)
    return False


def _is_power(sign: Lexeme) -> bool:
    return sign.kind == "script" and sign.text == "^"


def _of_ten(written: Written) -> int | None:
    """The exponent of a power of ten that is written out."""
    match written:
        case Applied(op="^", args=(FigureRead(text="10"), FigureRead(value=power))) if power is not None:
            return int(power) if power.denominator == 1 and abs(power) < 400 else None
        case _:
            return None
