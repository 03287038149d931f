"""Brackets after a name: calls, indices, shapes; and attributes of programs."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final, Literal

from symattn.checking.reading import scripts
from symattn.checking.reading.groups import arguments
from symattn.checking.reading.lexer import Lexeme
from symattn.checking.reading.numerals import figure
from symattn.checking.reading.scripts import shape_of
from symattn.checking.reading.signs import MODULES, TENSORS
from symattn.checking.reading.tree import Combined, Expressed, FigureRead, GridRead, NameRead
from symattn.checking.reading.walking import Walk

_MARKS: Final = re.compile(
    r"^[ \t]{0,200}(?:##[ \t])?[ \t]{0,200}"
    r"(?:\[\d{1,6},\](?=[ \t])|\[\d{1,6}\](?=[ \t]+[-\d.])|(?:\[,\d{1,6}\][ \t]*)+$)",
    re.M,
)


def without_marks(text: str) -> str:
    """What R printed, with blanks where it says which row or column stands there.

    >>> without_marks("     [,1] [,2]\\n[1,]    1  0.5\\n[1] 0.25 3").split()
    ['1', '0.5', '0.25', '3']
    >>> without_marks("[1] is a note, [[1, 2]] is not")
    '[1] is a note, [[1, 2]] is not'
    """
    return _MARKS.sub(lambda found: " " * len(found[0]), text) if "[" in text else text


_PRODUCTS: Final = frozenset(["matmul", "dot", "mm", "bmm", "inner"])


def bracket_after(walk: Walk, inner: Expressed, sign: Lexeme) -> Expressed | None:
    tight = not sign.blank
    if sign.text == "(" and (shape := _shape(walk, inner)) is not None:
        return shape
    indexed = sign.mode == "code" or (_has_entries(inner) and sign.text == "[" and is_index(walk))
    if sign.text == "[" and isinstance(inner, NameRead | Combined) and tight and indexed:
        return _index(walk, inner)
    if sign.text != "(" or not isinstance(inner, NameRead) or sign.piece != walk.lexemes[walk.at - 1].piece:
        return None
    inner = _combinations(walk, inner)
    if sign.mode == "code" or scripts.function(inner) or (inner.base in ("f", "g") and tight):
        return _call(walk, inner) if tight or sign.mode == "math" or scripts.function(inner) else None
    if inner.base in "σφ" and tight and not inner.below:
        return _call(walk, inner)
    return _call(walk, inner) if scripts.is_word(inner) and (tight or sign.mode == "math") else None


def _combinations(walk: Walk, inner: NameRead) -> NameRead:
    """``C(4, 2)`` of two whole numbers is a binomial coefficient."""
    kinds = [walk.peek(ahead).kind for ahead in range(1, 5)]
    is_plain = inner.base == "C" and not (inner.below or inner.above or inner.marks)
    is_choice = is_plain and kinds == ["figure", "comma", "figure", "close"] and walk.peek(1).text.isdecimal()
    return replace(inner, base="comb") if is_choice else inner


def _has_entries(inner: Expressed) -> bool:
    return isinstance(inner, NameRead) or (isinstance(inner, Combined) and inner.op == "index")


def _shape(walk: Walk, inner: Expressed) -> Expressed | None:
    """``(shape=3\\times 2)`` after a name."""
    if walk.peek(1).text not in ("shape", "size", "dim") or walk.peek(2).kind != "relation":
        return None
    first, mate = walk.at, walk.pairs.mates[walk.at]
    walk.at, outer, walk.end = walk.at + 3, walk.end, mate
    found = walk.expression()
    whole, walk.at, walk.end = walk.at == mate, min(mate + 1, outer), outer
    match inner:
        case NameRead() if found is not None and whole:
            return scripts.with_shape(inner, _sizes(found), walk.spot())
        case Combined(op=op) if found is not None and not op.startswith("call:"):
            return replace(inner, named=(*inner.named, ("shape", found)), end=walk.spot())
        case Combined():
            return replace(inner, end=walk.spot())
        case _:
            walk.at = first
            return None


def _sizes(found: Expressed) -> tuple[Expressed, ...]:
    match found:
        case Combined(op="*", args=sizes) | GridRead(rows=(sizes,)):
            return sizes
        case _:
            return (found,)


def _index(walk: Walk, inner: Expressed) -> Expressed:
    first = walk.at
    found, named = arguments(walk)
    if not found:
        found = (walk.unread(first, walk.at, "an index that is empty"),)
    return Combined("index", (inner, *found), inner.start, walk.spot(), "", named)


def _call(walk: Walk, name: NameRead) -> Expressed:
    known = None if "'" in name.marks else scripts.function(name)
    found, named = arguments(walk)
    if len(found) == 1 and shape_of(found[0]):
        return scripts.with_shape(name, shape_of(found[0]), walk.spot())  # LN_1 (3 × 4)
    if name.base in ("float",) and len(found) == 1 and isinstance(found[0], FigureRead):
        return found[0]
    if name.base in ("Size",) or not found:
        return Combined(f"call:{known or _called(walk, name)}", found, name.start, walk.spot(), "", named)
    if name.base in _PRODUCTS and len(found) == 2:
        return Combined("@", found, name.start, walk.spot(), name.base)
    if name.base in ("transpose", "swapaxes", "permute") and found:
        return Combined("T", (found[0],), name.start, walk.spot())
    if name.base in TENSORS and isinstance(found[0], GridRead | FigureRead):
        is_typed = name.end - name.start > len(name.text)  # nothing that is printed says torch.tensor
        return as_tensor(found[0], name.start, walk.spot(), "list" if is_typed else "tensor")
    if known:
        return scripts.applied(name, found, walk.spot(), named)
    return Combined(f"call:{_called(walk, name)}", found, name.start, walk.spot(), "", named)


def _called(walk: Walk, name: NameRead) -> str:
    if "'" in name.marks:
        return name.base + "'" * name.marks.count("'")
    if not name.below or not name.text:
        return name.base
    return name.text.replace("{", "").replace("}", "") if "\\" not in name.text else name.base


def attribute(walk: Walk, inner: Expressed, sign: Lexeme) -> Expressed | None:
    text = sign.text
    module = isinstance(inner, NameRead) and inner.text in MODULES
    walk.at += 1
    if text in ("T", "mT") and not module:
        return Combined("T", (inner,), inner.start, sign.end)
    called = walk.peek().kind == "open" and walk.peek().text == "(" and walk.at in walk.pairs.mates
    name = scripts.identifier(Lexeme("name", text, sign.start, sign.end, False, sign.piece, sign.mode))
    if module:
        if text in ("inf", "Inf", "infty"):
            return figure("∞", inner.start, sign.end)
        return replace(name, start=inner.start)
    if not called:
        return Combined(f"call:{text}", (inner,), inner.start, sign.end, ".")
    found, named = arguments(walk)
    if text in ("t", "transpose", "swapaxes", "permute"):
        return Combined("T", (inner,), inner.start, walk.spot())
    if text in ("matmul", "dot", "mm", "bmm") and len(found) == 1:
        return Combined("@", (inner, *found), inner.start, walk.spot(), text)
    return Combined(f"call:{scripts.function(name) or text}", (inner, *found), inner.start, walk.spot(), ".", named)


def is_index(walk: Walk) -> bool:
    """Whether brackets after a name hold an index: whole numbers, names or ``:``, and not many."""
    place, mate = walk.at + 1, walk.pairs.mates[walk.at]
    inner = walk.lexemes[place : min(mate, place + 6)]
    if mate - place > 5 or not inner:
        return False
    return all(
        (sign.kind == "figure" and sign.text.isdecimal())
        or sign.kind in ("name", "colon", "comma", "word")
        or sign.text == "-"
        for sign in inner
    )


def as_tensor(inner: Expressed, start: int, end: int, kind: Literal["list", "tensor"] = "tensor") -> Expressed:
    """A list as an array of a program: ``tensor`` as it prints one."""
    return replace(inner, kind=kind, start=start, end=end) if isinstance(inner, GridRead) else inner
