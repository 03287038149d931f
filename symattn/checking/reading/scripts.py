"""What stands above and below: indices, powers, transposes, marks."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Final

from symattn.checking.reading import signs
from symattn.checking.reading.lexer import Lexeme
from symattn.checking.reading.tree import Combined, Expressed, FigureRead, GridRead, NamedArguments, NameRead, Unread
from symattn.checking.reading.walking import NOT_READ, Walk, is_slice, sliced

_PART: Final = re.compile(r"([^\W\d_]+)(\d{1,2})")


def _piece(text: str, start: int) -> tuple[Expressed, ...]:
    """``21`` is two pieces, ``k1`` a letter and a figure, anything else one."""
    if text.isdecimal() and text.isascii():
        return digits(text, start)
    found = re.fullmatch(r"([^\W\d_])(\d)", text)
    if found is not None:
        return (_name(found[1], start), number(found[2], start + 1))
    return (_name(text, start),)


def _name(text: str, start: int) -> NameRead:
    return NameRead(signs.LETTERS.get(text, text), (), (), (), start, start + len(text), text)


def number(text: str, start: int) -> FigureRead:
    """A whole number."""
    return FigureRead(text, Fraction(int(text[:400])), Fraction(1), start, start + len(text))


def digits(text: str, start: int) -> tuple[FigureRead, ...]:
    """``21`` below a name is 2 and 1; one or three digits are one number."""
    if len(text) == 2:
        return (number(text[0], start), number(text[1], start + 1))
    return (number(text, start),)


def identifier(lexeme: Lexeme) -> NameRead:
    """A name as it is written in plain text or in a program, taken apart at ``_`` and before its figures.

    >>> from symattn.checking.reading.lexer import Lexeme
    >>> name = identifier(Lexeme("word", "W_Q", 0, 3, False, 0, "prose"))
    >>> name.base, name.below[0].base
    ('W', 'Q')
    """
    parts = lexeme.text.split("_")
    if not parts[0] or not all(parts):
        return NameRead(lexeme.text, (), (), (), lexeme.start, lexeme.end, lexeme.text)
    base, place = parts[0], lexeme.start + len(parts[0])
    below: list[Expressed] = []
    primes = len(base) - len(base.rstrip("'’′"))
    base = base.rstrip("'’′")
    if (found := _PART.fullmatch(base)) is not None:
        below.extend(_piece(found[2], place - primes - len(found[2])))
        base = found[1]
    for part in parts[1:]:
        below.extend(_piece(part, place + 1))
        place += 1 + len(part)
    base = signs.LETTERS.get(base, base)
    return NameRead(base, ("'",) * primes, tuple(below), (), lexeme.start, lexeme.end, lexeme.text)


def function(name: NameRead) -> str | None:
    """What the tree calls the function that has this name, ``None`` of a name that is no known function."""
    whole = "_".join((name.base, *(one.base for one in name.below if isinstance(one, NameRead))))
    return signs.FUNCTIONS.get(whole) or signs.FUNCTIONS.get(name.base)


def applied(name: NameRead, args: tuple[Expressed, ...], end: int, more: NamedArguments = ()) -> Combined:
    """Apply a known function; what stands below its name is the base of a logarithm, else an argument ``_``."""
    known, below = function(name), name.below
    if known == "log" and below:
        if all(isinstance(one, FigureRead) and one.text.isdecimal() for one in below):
            below = (number("".join(one.text for one in below if isinstance(one, FigureRead)), below[0].start),)
        return Combined("call:log", (*args, *below), name.start, end, "", more)
    # a logarithm without a base, outside of a program, may be one of base 10
    is_open = known == "log" and name.base in ("log", "Log") and name.end - name.start <= len("\\log")
    named = (*more, *(("_", one) for one in below))
    return Combined(f"call:{known}", args, name.start, end, "log" if is_open else "", named)


def is_word(name: NameRead) -> bool:
    """Whether a name has several letters, so that a bracket after it is a call."""
    return len(name.base) > 1 and not re.fullmatch(r"d[A-Z]|.?\W+", name.base) and "∂" not in name.base


def with_marks(name: NameRead, end: int, *marks: str) -> NameRead:
    """A name with more marks."""
    return replace(name, marks=(*name.marks, *marks), end=max(end, name.end))


def with_below(name: NameRead, below: Sequence[Expressed], end: int) -> NameRead:
    """A name with more below it."""
    return replace(name, below=(*name.below, *below), end=max(end, name.end))


def with_above(name: NameRead, above: Sequence[Expressed], end: int) -> NameRead:
    """A name with more above it."""
    return replace(name, above=(*name.above, *above), end=max(end, name.end))


def with_shape(name: NameRead, shape: Sequence[Expressed], end: int) -> NameRead:
    """A name whose shape is said."""
    return replace(name, shape=tuple(shape), end=max(end, name.end))


_TRANSPOSES: Final = frozenset(["T", "⊤", "t", "tr"])


def script(walk: Walk, inner: Expressed, sign: Lexeme) -> Expressed | None:
    walk.at += 1
    first = walk.at
    if sign.text == "**":
        power = walk.signed()
        return None if power is None else Combined("^", (inner, power), inner.start, power.end)
    if sign.text == "_":
        before = walk.lexemes[walk.at - 2] if walk.at > 1 else None
        is_bracketed = before is not None and before.kind == "close" and before.text in (")", "]")
        pieces = script_pieces(walk)
        if not pieces:
            return None
        if is_bracketed and isinstance(inner, NameRead | Combined) and _are_places(pieces):
            return Combined("index", (inner, *pieces), inner.start, walk.spot(), "_")  # (Q Kᵀ)_{31}
        return _below(walk, inner, pieces)
    if (mark := _transpose_or_mark(walk, inner)) is not None:
        return mark
    pieces = script_pieces(walk)
    if not pieces:
        return None
    return _above(walk, inner, pieces, first)


def _transpose_or_mark(walk: Walk, inner: Expressed) -> Expressed | None:
    """``^T``, ``^{\\top}``, ``^{\\mathrm T}``, ``^*``, ``^\\prime``."""
    opened = walk.peek().kind == "open" and walk.peek().text == "{" and walk.at in walk.pairs.mates
    skip = 1 if opened else 0
    while opened and walk.peek(skip).text == "{" and walk.pairs.mates.get(walk.at + skip) is not None:
        skip += 1
    sign = walk.peek(skip)
    if opened and walk.peek(skip + 1).kind != "close":
        return None
    size = 1 + 2 * skip
    if sign.kind in ("name", "word", "text") and sign.text in _TRANSPOSES:
        walk.at += size
        return Combined("T", (inner,), inner.start, walk.spot())
    if sign.kind == "prime" and isinstance(inner, NameRead):
        walk.at += size
        return with_marks(inner, walk.spot(), "'")
    if sign.kind == "op" and sign.text in "*⊙+-" and isinstance(inner, NameRead):
        if not opened and walk.peek(1).kind in ("figure", "name") and sign.text == "-":
            return None
        walk.at += size
        return with_marks(inner, walk.spot(), sign.text)
    return None


def script_pieces(walk: Walk) -> tuple[Expressed, ...]:
    """What stands above or below: a group, or one sign."""
    sign = walk.peek()
    if sign.kind == "open" and sign.text in "{(" and walk.at in walk.pairs.mates:
        return script_group(walk)
    if sign.kind == "op" and sign.text == "-" and walk.peek(1).kind in ("figure", "name"):
        signed = walk.signed()
        return () if signed is None else (signed,)
    if sign.kind == "figure" and walk.lexemes[walk.at - 1].text == "_" and sign.text.isdecimal():
        walk.at += 1
        return digits(sign.text, sign.start)
    if sign.kind in ("word", "text"):
        walk.at += 1
        return (NameRead(sign.text, (), (), (), sign.start, sign.end, sign.text),)
    inner = walk.primary()
    return () if inner is None else (inner,)


def _below(walk: Walk, inner: Expressed, pieces: tuple[Expressed, ...]) -> Expressed:
    end = walk.spot()
    sizes = shape_of(pieces[0]) if len(pieces) == 1 else ()
    match inner:
        case NameRead() if sizes:
            return with_shape(inner, sizes, end)
        case GridRead() if sizes:
            return inner
        case NameRead() | Combined() if any(map(is_slice, pieces)):
            return Combined("index", (inner, *pieces), inner.start, end, "_")
        case NameRead():
            return with_below(inner, pieces, end)
        case Combined(op="T" | "^", args=(NameRead() as name, *more)):
            return replace(inner, args=(with_below(name, pieces, end), *more), end=end)
        case Combined(op=op) if op.startswith("call:") and op not in ("call:abs", "call:norm"):
            return Combined("index", (inner, *pieces), inner.start, end, "_")
        case GridRead(rows=((NameRead() as name,),)) if all(map(_is_label, pieces)):
            return replace(with_below(name, pieces, end), start=inner.start)  # [∂L/∂X]_V
        case GridRead():
            return Combined("index", (inner, *pieces), inner.start, end, "_")
        case Combined(op="call:norm" | "call:abs"):
            return replace(inner, named=(("_", pieces[0]),), end=end)
        case FigureRead(text="1") if len(pieces) == 1 and isinstance(pieces[0], FigureRead):
            return Combined("call:ones", pieces, inner.start, end, "_")  # a column of ones
        case FigureRead(text="1") if sizes:
            return Combined("call:ones", sizes, inner.start, end, "_")
        case FigureRead(text="1"):
            return Unread(walk.written(inner.start, end), "a condition", inner.start, end)  # 1 where it holds
        case _:
            return inner  # a brace under a sum, with words below it


def _are_places(pieces: tuple[Expressed, ...]) -> bool:
    """Whether figures or letters of indices stand below."""
    return all(
        isinstance(one, FigureRead) or (isinstance(one, NameRead) and len(one.base) == 1 and one.base.islower())
        for one in pieces
    )


def _is_label(piece: Expressed) -> bool:
    """Whether what stands below is no place: ``V``, ``new``."""
    return isinstance(piece, NameRead) and (piece.base.isupper() or len(piece.base) > 1)


def shape_of(written: Expressed) -> tuple[Expressed, ...]:
    """3 and 2 of ``3 \\times 2``; nothing of what is no shape."""
    match written:
        case Combined(op="*", sign="\\times", args=(FigureRead(text=rows), FigureRead(text=columns)) as sizes):
            return sizes if rows.isdecimal() and columns.isdecimal() else ()
        case _:
            return ()


def _above(walk: Walk, inner: Expressed, pieces: tuple[Expressed, ...], first: int) -> Expressed:
    end = walk.spot()
    if len(pieces) == 1 and not _is_label_above(walk, inner, pieces[0], first):
        if isinstance(inner, NameRead) and _is_of_exp(inner):
            return Combined("call:exp", pieces, inner.start, end, "e^")
        return Combined("^", (inner, pieces[0]), inner.start, end)
    match inner:
        case NameRead():
            return with_above(inner, pieces, end)
        case Combined(op="T", args=(NameRead() as name,)):
            return replace(inner, args=(with_above(name, pieces, end),), end=end)
        case _:
            return Combined("^", (inner, pieces[0]), inner.start, end)


def _is_of_exp(name: NameRead) -> bool:
    """Whether a name is the number e: ``e_1`` is an embedding, or an error."""
    return name.base == "e" and not (name.marks or name.below or name.above)


def _is_label_above(walk: Walk, inner: Expressed, piece: Expressed, first: int) -> bool:
    """Whether what stands above belongs to a name, ``W^Q``, ``x^{(2)}``, ``ℝ^{3\\times 2}``, and is no power."""
    if not isinstance(inner, NameRead):
        return False
    if inner.base == "ℝ" or (inner.base == "R" and isinstance(piece, Combined) and piece.op == "*"):
        return True
    sign = walk.lexemes[first]
    inside = walk.lexemes[first + 1] if sign.text == "{" and first + 1 < len(walk.lexemes) else sign
    if inside.kind == "open" and inside.text in "([" and not _is_of_exp(inner):
        whole = isinstance(piece, NameRead) or (isinstance(piece, FigureRead) and piece.text.isdecimal())
        return whole or inside.text == "["
    if isinstance(piece, NameRead) and not _is_of_exp(inner):
        return len(piece.base) > 1 or piece.base.isupper() or bool(piece.below) or piece.base in "qkvoh"
    return False


def script_group(walk: Walk) -> tuple[Expressed, ...]:
    """What stands in a group above or below a name, piece by piece: ``21`` and ``ij`` are two."""
    first, mate, outer = walk.at, walk.pairs.mates[walk.at], walk.end
    walk.at, walk.end = walk.at + 1, mate
    found: list[Expressed] = []
    while walk.at < mate:
        sign = walk.peek()
        if sign.kind == "comma":
            walk.at += 1
            continue
        if sign.kind == "figure" and sign.text.isdecimal() and _ends_piece(walk, 1):
            if walk.lexemes[first - 1].text == "_":
                walk.at += 1
                found.extend(digits(sign.text, sign.start))
            else:
                found.append(walk.figure())
            continue
        if sign.kind in ("word", "text") and _ends_piece(walk, 1):
            walk.at += 1
            found.append(NameRead(sign.text, (), (), (), sign.start, sign.end, sign.text))
            continue
        one = sliced(walk) or walk.expression()
        if one is None:
            found = [walk.unread(first, mate + 1, NOT_READ)]
            break
        found.extend(_beside(one) if walk.lexemes[first - 1].text == "_" else (one,))
    walk.at, walk.end = min(mate + 1, outer), outer
    return tuple(found)


def _ends_piece(walk: Walk, ahead: int) -> bool:
    return walk.peek(ahead).kind in ("end", "comma")


def _beside(written: Expressed) -> tuple[Expressed, ...]:
    """``ij`` below a name is i and j."""
    parts: list[Expressed] = []
    while isinstance(written, Combined) and written.op == "*" and written.sign == "beside":
        parts.append(written.args[1])
        written = written.args[0]
    whole = isinstance(written, NameRead) and len(written.base) == 1 and "_" not in written.text and not written.marks
    if isinstance(written, NameRead) and whole and all(isinstance(one, FigureRead) for one in written.below):
        return (replace(written, below=(), text=written.base), *written.below, *reversed(parts))
    return (written, *reversed(parts))
