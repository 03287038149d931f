"""What an expression is made of: figures, names, fractions, roots, sums."""

from __future__ import annotations

import unicodedata
from dataclasses import replace
from fractions import Fraction
from typing import Final

from symattn.checking.reading import scripts
from symattn.checking.reading.groups import inside, opened
from symattn.checking.reading.scripts import script_pieces
from symattn.checking.reading.shown import shown
from symattn.checking.reading.tree import Combined, Expressed, FigureRead, GridRead, NameRead, Unread
from symattn.checking.reading.walking import NOT_MODELLED, STARTS, Walk
from symattn.checking.reading.words import OF_ONE

_OPERANDLESS: Final = frozenset(["sum", "mean", "var", "std", "concat", "norm", "max", "min", "transpose"])


def primary(walk: Walk) -> Expressed | None:
    """What begins with the next sign."""
    sign = walk.peek()
    match sign.kind:
        case "figure":
            return walk.figure()
        case "name" | "text":
            return _name(walk)
        case "open" if walk.at in walk.pairs.mates:
            return opened(walk)
        case "frac":
            return _fraction(walk)
        case "other" if is_unknown(walk):
            return _unknown(walk)
        case "root":
            return _root(walk)
        case "sum":
            return _sum(walk)
        case "mark":
            return _marked(walk)
        case "over":
            walk.at += 1
            walk.primary()
            return walk.primary()
        case "dots":
            walk.at += 1
            return Unread("…", "left out", sign.start, sign.end)
        case "made":
            walk.at += 1
            return sign.made
        case "string":
            return _string(walk)
        case _:
            return None


def _string(walk: Walk) -> Expressed:
    sign = walk.peek()
    walk.at += 1
    inner = sign.text.strip("\"'").lower()
    if inner in ("inf", "-inf", "infinity", "-infinity"):
        negative = inner.startswith("-")
        return FigureRead("-∞" if negative else "∞", None, Fraction(1), sign.start, sign.end, -1 if negative else 1)
    return Unread(sign.text, "a text", sign.start, sign.end)


def _name(walk: Walk) -> Expressed:
    sign = walk.peek()
    walk.at += 1
    if sign.text in ("inf", "Inf", "infty", "infinity"):
        return FigureRead("∞", None, Fraction(1), sign.start, sign.end)
    if sign.kind == "text" or sign.mode == "math":
        name = NameRead(sign.text, (), (), (), sign.start, sign.end, sign.text)
    else:
        name = scripts.identifier(sign)
    after = walk.peek()
    if (
        sign.mode == "math"
        and after.kind == "figure"
        and not after.blank
        and sign.kind == "name"
        and after.text.isdecimal()
    ):
        walk.at += 1
        name = scripts.with_below(name, scripts.digits(after.text, after.start), after.end)
    if sign.text == "∂" and after.kind in ("name", "mark", "open"):
        return _partial(walk, name)
    if scripts.function(name) is None:
        return name
    while walk.peek().kind == "script" and walk.peek().text == "_":
        walk.at += 1
        pieces = script_pieces(walk)
        if not pieces:
            break
        name = scripts.with_below(name, pieces, walk.spot())
    if not _takes_operand(walk, name):
        return name
    operand = walk.postfix()
    if operand is None:
        return name
    return scripts.applied(name, (operand,), operand.end)


def _partial(walk: Walk, name: NameRead) -> Expressed:
    inner = walk.postfix()
    if (whole := entry_of(inner)) is not None and isinstance(inner, Combined):
        return replace(inner, args=(replace(whole, base="∂" + whole.base), *inner.args[1:]), start=name.start)
    if not isinstance(inner, NameRead):
        return name if inner is None else Combined("*", (name, inner), name.start, inner.end, "beside")
    return replace(inner, base="∂" + inner.base, start=name.start)


def _fraction(walk: Walk) -> Expressed:
    first = walk.at
    start = walk.peek().start
    walk.at += 1
    above = walk.primary()
    below = walk.primary() if above is not None else None
    if above is None or below is None:
        return walk.unread(first, walk.at, "a fraction that is not whole")
    if walk.lexemes[first].text == "binom":
        return Combined("call:comb", (above, below), start, walk.spot())
    return over(walk, above, below, start, "frac")


def over(walk: Walk, above: Expressed, below: Expressed, start: int, sign: str) -> Expressed:
    """A quotient, or the name of a derivative: ``∂L/∂W``."""
    if _is_partial(above) and _is_partial(below):
        return _derivative(walk, above, below, start)
    return Combined("/", (above, below), start, max(walk.spot(), below.end), sign)


def entry_of(written: Expressed | None) -> NameRead | None:
    """The matrix of ``[A_1]_{23}``; ``None`` of anything else."""
    match written:
        case Combined(op="index", sign="_", args=(NameRead() as name, *_)):
            return name
        case Combined(op="index", sign="_", args=(GridRead(rows=((NameRead() as name,),)), *_)):
            return name
    return None


def _is_partial(written: Expressed) -> bool:
    name = written if isinstance(written, NameRead) else entry_of(written)
    return name is not None and name.base.startswith("∂")


def _derivative(walk: Walk, above: Expressed, below: Expressed, start: int) -> Expressed:
    end = walk.spot()
    of = below if isinstance(below, NameRead) else entry_of(below)
    if of is None or not isinstance(above, NameRead):
        return NameRead(f"{shown(above)}/{shown(below)}", (), (), (), start, end, walk.written(start, end))
    name = replace(of, base=f"{shown(above)}/{of.base}", start=start, end=end, text=walk.written(start, end))
    return replace(below, args=(name, *below.args[1:]), start=start, end=end) if isinstance(below, Combined) else name


def _root(walk: Walk) -> Expressed:
    first = walk.at
    start = walk.peek().start
    walk.at += 1
    text = walk.lexemes[first].text
    degree: Expressed | None = _degree(text, start) if text in "∛∜" else None
    if walk.peek().text == "[" and walk.peek().mode == "math" and walk.at in walk.pairs.mates:
        degree = inside(walk)
    is_command = walk.lexemes[first].mode == "math" or walk.peek().text == "{"
    inner = walk.primary() if is_command else walk.postfix()
    if inner is None:
        return walk.unread(first, walk.at, "a root of nothing")
    end = max(walk.spot(), inner.end)
    if degree is not None:
        return Combined("root", (inner, degree), start, end)
    return Combined("call:sqrt", (inner,), start, end)


def _degree(text: str, start: int) -> FigureRead:
    return replace(scripts.number("34"["∛∜".index(text)], start), end=start)


def _sum(walk: Walk) -> Expressed:
    first = walk.at
    sign = walk.peek()
    walk.at += 1
    ranges: dict[str, Expressed] = {}
    place = walk.at
    for _ in range(2):
        script = walk.peek()
        if script.kind != "script":
            break
        walk.at += 1
        if walk.peek().kind == "open" and walk.at in walk.pairs.mates:
            ranges.update(_range(walk, script.text))
        elif (one := walk.primary()) is not None:
            ranges["over" if script.text == "_" else "to"] = one
    said = "".join(lexeme.text for lexeme in walk.lexemes[place : walk.at] if lexeme.text not in "{}_").replace(
        "^", ".."
    )
    body = walk.product()
    if body is None:
        return walk.unread(first, walk.at, "a sum of nothing")
    op = "sum" if sign.text == "∑" else "product"
    return Combined(op, (body,), sign.start, body.end, said, tuple(ranges.items()))


def _range(walk: Walk, script: str) -> dict[str, Expressed]:
    """``{i=1}`` below a sum: what is counted and from where."""
    mate, outer = walk.pairs.mates[walk.at], walk.end
    walk.at, walk.end = walk.at + 1, mate
    found: dict[str, Expressed] = {}
    one = walk.expression()
    if one is not None:
        found["over" if script == "_" else "to"] = one
        if walk.peek().kind == "relation":
            walk.at += 1
            begin = walk.expression()
            if begin is not None:
                found["from"] = begin
    walk.at, walk.end = min(mate + 1, outer), outer
    return found


_SAYS_NOTHING: Final = frozenset("∀∃∎□■✓✗→")


def is_unknown(walk: Walk) -> bool:
    """Return True for a sign of mathematics that is not modelled, and that is applied to something."""
    sign, after = walk.peek(), walk.peek(1)
    if sign.text == "|" and after.kind == "figure" and walk.at and walk.lexemes[walk.at - 1].kind == "figure":
        return False  # (0,5 | 1,5)
    is_sign = sign.text[1:2].isalpha() if sign.text[:1] == "\\" else unicodedata.category(sign.text[:1] or " ") == "Sm"
    return is_sign and sign.text not in _SAYS_NOTHING and (after.kind in STARTS or after.kind == "script")


def _unknown(walk: Walk) -> Expressed:
    """Read on to the next relation: nothing that an unknown sign touches is known."""
    first = walk.at
    while walk.peek().kind not in ("end", "relation", "line", "row", "cell", "break", "comma", "stop", "word"):
        walk.at = walk.pairs.mates.get(walk.at, walk.at) + 1
    walk.at = min(walk.at, walk.end)
    return walk.unread(first, walk.at, NOT_MODELLED)


def _marked(walk: Walk) -> Expressed | None:
    sign, first = walk.peek(), walk.at
    walk.at += 1
    inner = walk.primary()
    match inner:
        case None:
            return Unread(sign.text, "a mark over nothing", sign.start, sign.end)
        case NameRead():
            return replace(
                inner,
                marks=(sign.text, *inner.marks),
                start=min(sign.start, inner.start),
                end=max(walk.spot(), inner.end),
            )
        case Combined(op="T", args=(NameRead() as name,)):
            return replace(inner, args=(replace(name, marks=(*name.marks, sign.text)),), start=sign.start)
        case FigureRead() if sign.text == "bar" and walk.lexemes[first - 1].end == sign.start > 0:
            return walk.unread(first, walk.at, NOT_MODELLED)  # a decimal that is repeated for ever
        case FigureRead() | GridRead() | Unread():
            return inner
        case _:
            return Combined(f"call:{sign.text}", (inner,), sign.start, inner.end)


def _takes_operand(walk: Walk, name: NameRead) -> bool:
    """Whether what a function is applied to stands after it without brackets: ``\\exp x``, ``softmax [1, 2]``."""
    known, sign = scripts.function(name), walk.peek()
    if known is None or sign.kind not in STARTS or sign.piece != walk.lexemes[walk.at - 1].piece:
        return False
    if sign.kind == "open" and walk.at not in walk.pairs.mates:
        return False
    if sign.mode != "math" and sign.kind in ("figure", "name") and name.text in OF_ONE:
        return True
    if known in _OPERANDLESS or sign.mode != "math":
        return sign.kind == "open" and sign.text != "("
    return sign.kind not in ("dots", "text") and not (sign.kind == "open" and sign.text == "(")
