"""Estimate the width of mathematics, and break long statements: before their relations, then before a plus or minus.

Widths are in em, good enough to choose the lines; a page that must never overflow shrinks what still does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import reduce
from operator import add
from types import MappingProxyType
from typing import TypeVar

from symattn.base.budget import priced
from symattn.base.errors import RenderError
from symattn.show.math import (
    Accented,
    Bars,
    Blank,
    Call,
    Cases,
    Chain,
    Fraction,
    Grid,
    Highlighted,
    Interval,
    Letter,
    Math,
    Number,
    Parens,
    Root,
    Script,
    Seq,
    Shaped,
    Sign,
    Squared,
    Stacked,
    Sum,
)
from symattn.write.math_writer import NAMED, MathWriter, can_break, is_tall, links, parts, relations, squared

Placed = TypeVar("Placed")

SCRIPT = 0.7
"""The size of a subscript or superscript."""

INDENT = 1.0
"""The indent of a continued line."""

LEADING = 1.3
"""The height of a line of a display, in lines of text."""

QUAD = 1.0
"""The space between two matrices on one line."""

MEASURED = 4
"""Steps for estimating the width of a piece."""

_BINARY, RELATION, _SPACE = 1.25, 1.4, 0.17
_SIGNS: Mapping[str, float] = MappingProxyType(
    {**dict.fromkeys("+-×⊙⊘", _BINARY), "·": 0.75, ",": 0.45, ":": 0.3, "⋯": 1.4, "⋮": 0.3, "⋱": 1.3, "T": 0.65}
)
"""The widths of signs that are not as wide as a relation."""


def total_extent(sizes: Iterable[float]) -> float:
    """Add widths or heights from left to right.

    Not ``sum``, which adds floats differently from Python 3.12 on: a page is the same with every version of Python.

    >>> total_extent([0.1] * 10)
    0.9999999999999999
    """
    return reduce(add, sizes, 0.0)


@priced(MEASURED)
def width(piece: Math) -> float:
    """Estimate the width of a displayed piece, in em.

    Raises :class:`~symattn.base.errors.RenderError` for what is no piece of mathematics.

    >>> width(Number("0.145"))
    2.3
    """
    match piece:
        case Number(text):
            digits = total_extent(0.5 if char.isdigit() else 0.3 for char in text)
            return digits + 0.5 * text.startswith("-") + 1.3 * ("*" in text)
        case Sign(sign):
            return _SIGNS.get(sign, RELATION)
        case Letter(name, style):
            return 0.62 if style == "italic" and name in NAMED else 1.05 * text_width(name)
        case Seq(inside):
            return total_extent(map(width, inside)) + _SPACE
        case Script(base, sub, sup):
            scripts = [SCRIPT * slashed_width(part) for part in (sub, sup) if part is not None]
            # The name of a function keeps a distance from the piece before it.
            space = _SPACE if isinstance(base, Call) else 0.0
            return width(base) + max(scripts, default=0.0) + 0.05 + space
        case Parens(inner):
            return width(inner) + (1.5 if is_tall(inner) else 0.8)
        case Fraction(top, bottom):
            return max(width(top), width(bottom)) + 0.3
        case Chain(left, rights, marks):
            # A number over a relation is a little wider than the relation with its space.
            return width(left) + total_extent(RELATION + width(side) for _, side in rights) + 0.35 * len(marks)
        case Call():
            return _call_width(piece)
        case Root(inner):
            return width(inner) + 1.0
        case Accented(_, inner):
            return width(inner) + 0.1
        case Bars(inner):
            return width(inner) + (1.0 if piece.double else 0.6)
        case Interval(low, high):
            return width(low) + width(high) + 1.05
        case Sum(index, lower, upper, body):
            below = SCRIPT * (width(index) + width(lower) + 0.8)
            return max(1.5, below, SCRIPT * width(upper)) + _SPACE + width(body)
        case Shaped(body) | Stacked(body):
            return _shaped_width((body, *piece.sizes), piece.long)
        case Squared():
            return width(Grid(squared(piece)))
        case Highlighted(inner):
            return 1.1 * width(inner)
        case Grid(rows):
            columns = _column_widths(rows)
            return total_extent(columns) + 0.92 * max(0, len(columns) - 1) + 1.2
        case Blank(figures):
            return 0.5 * figures + 1.0
        case Cases(branches):
            return total_extent(_column_widths(branches)) + 2.2
    raise RenderError(f"no width for {type(piece).__name__}: not a piece of mathematics")


def _call_width(piece: Call) -> float:
    commas = 0.5 * max(0, len(piece.arguments) - 1)
    tall = any(is_tall(argument) for argument in piece.arguments)
    name = text_width(piece.function) + (0.0 if piece.sub is None else SCRIPT * slashed_width(piece.sub))
    return name + total_extent(map(width, piece.arguments)) + commas + (1.5 if tall else 0.8) + _SPACE


def _shaped_width(parts: tuple[Math, ...], long: bool) -> float:
    """Return the width of a name with its sizes."""
    return total_extent(map(width, parts)) + _BINARY * (len(parts) - 2) + 1.2 + (2.6 + RELATION if long else 0.0)


def _column_widths(rows: tuple[tuple[Math, ...], ...]) -> list[float]:
    longest = max(map(len, rows), default=0)
    return [max((width(row[j]) for row in rows if j < len(row)), default=0.0) for j in range(longest)]


def slashed_width(piece: Math) -> float:
    """Estimate the width of a piece in a script or inside a line, where a fraction is a/b.

    >>> slashed_width(Fraction(Number("1"), Number("2"))) > width(Fraction(Number("1"), Number("2")))
    True
    """
    match piece:
        case Fraction(top, bottom):
            return width(top) + width(bottom) + 0.5
        case Seq(inside):
            return total_extent(map(slashed_width, inside)) + _SPACE
        case Parens(inner) | Script(inner):
            return width(piece) - width(inner) + slashed_width(inner)
        case Chain(left, rights):
            sides = total_extent(slashed_width(side) - width(side) for side in (left, *(side for _, side in rights)))
            return width(piece) + sides
        case _:
            return width(piece)


def unbroken_width(math: Math) -> float:
    """Return the width of the widest piece of an inline formula that no line break divides: lines break after signs.

    >>> unbroken_width(Seq((Number("0.5"), Sign("+"), Number("0.25"))))
    1.8
    """
    match math:
        case Chain(left, links):
            return max(unbroken_width(left), *(unbroken_width(side) for _, side in links), 0.0)
        case Seq(parts):
            longest = run = 0.0
            for part in parts:
                run = 0.0 if isinstance(part, Sign) else run + unbroken_width(part)
                longest = max(longest, run)
            return longest
        case Parens(inner):
            return unbroken_width(inner)
        case Fraction():
            return slashed_width(math)
        case Number(text) if len(text) > 11 and "/" not in text:
            return 6.0
        case _:
            return width(math)


def text_width(text: str) -> float:
    """Estimate the width of upright text, in em: a Chinese character is one em, a Latin letter half of that.

    Scripts that a page may have to write as numbers (``U+5D0``) count as these.

    >>> text_width("今天"), text_width("ab")
    (2.0, 1.04)
    """
    return total_extent(map(_char_width, text))


def _char_width(char: str) -> float:
    if "\u0530" <= char <= "\u1dff" or char >= "\ufffd":
        return 4.0
    return 1.0 if char > "\u2e7f" else 0.76 if char.isupper() else 0.9 if char in "mw@%" else 0.52


def height(piece: Math) -> float:
    """Estimate the height of a displayed piece, in lines of text.

    >>> height(Grid(((Number("1"),), (Number("2"),))))
    2.0
    """
    match piece:
        case Grid(rows) | Cases(rows):
            highest = (max((height(cell) for cell in row), default=1.0) for row in rows)
            return total_extent(row if row == 1 else row + 0.6 for row in highest)
        case Squared(_, above, product):
            return height(above) + height(product) + 0.4
        case Highlighted(inner):
            return height(inner)
        case Fraction(top, bottom):
            return height(top) + height(bottom) + 0.2
        case Blank():
            return 1.7
        case Sum(_, _, _, body):
            return max(2.6, height(body))
        case Seq(inside) | Call(_, inside):
            return max((height(part) for part in inside), default=1.0)
        case Chain(left, rights):
            return max(height(left), *(height(side) for _, side in rights), 1.0)
        case Script(inner) | Accented(_, inner) | Root(inner) | Parens(inner) | Bars(inner):
            return height(inner)
        case Shaped(inner) | Stacked(inner):
            return height(inner)
        case _:
            return 1.0


@dataclass(frozen=True)
class DisplayLine:
    """A line of displayed mathematics, split where lines are aligned."""

    left: str
    right: str
    height: float = 1.0
    width: float = 0.0
    """Its width in em, including the part before the alignment."""
    before: float = 0.0
    """The width of that part."""


def aligned_width(lines: Iterable[DisplayLine]) -> float:
    """Return the width of aligned lines: each begins where the longest of all left sides ends.

    >>> aligned_width([DisplayLine("a", "= b", width=9.0, before=7.0), DisplayLine("c", "= d", width=8.0, before=1.0)])
    14.0
    """
    known = [*lines]
    left = max((line.before for line in known), default=0.0)
    return left + max((line.width - line.before for line in known), default=0.0)


def displays(
    chains: tuple[Chain, ...],
    writer: MathWriter,
    limit: float,
    *,
    highest: float = float("inf"),
    beside: bool = False,
) -> tuple[str, ...]:
    """Write statements as one display, with lines no wider than ``limit`` em where they can be broken.

    It becomes several displays where one would be more than ``highest`` lines of text high. With ``beside`` statements
    share a line as long as there is room.

    >>> from symattn.show.math import equation
    >>> from symattn.write.tex_math import DISPLAY
    >>> short = equation(Letter("Q"), Seq((Letter("X"), Script(Letter("W"), sub=Letter("Q")))))
    >>> displays((short,), DISPLAY, 40)
    ('Q = XW_Q',)
    >>> print(displays((short, short), DISPLAY, 40)[0])
    \\begin{aligned}
    Q &= XW_Q\\\\
    Q &= XW_Q
    \\end{aligned}
    """
    return tuple(text for text, _ in measured(chains, writer, limit, highest=highest, beside=beside))


def measured(
    chains: tuple[Chain, ...],
    writer: MathWriter,
    limit: float,
    *,
    highest: float = float("inf"),
    beside: bool = False,
) -> tuple[tuple[str, float], ...]:
    """Return the displays of statements, each with its estimated height in lines of text.

    >>> from symattn.write.tex_math import DISPLAY
    >>> high = Fraction(Letter("a"), Letter("b"))
    >>> measured((Chain(Letter("Q"), (("=", high),)),), DISPLAY, 40)
    (('Q = \\\\frac{a}{b}', 2.8600000000000003),)
    """
    if len(chains) == 1 and width(chains[0]) <= limit:
        return ((writer.write(chains[0]), LEADING * height(chains[0])),)
    if beside and len(rows := in_rows(chains, width, 2 * QUAD, limit)) < len(chains):
        written = [f" {writer.between} ".join(writer.write(chain) for chain in row) for row in rows]
        text = written[0] if len(rows) == 1 else writer.aligned([("", line) for line in written])
        return ((text, LEADING * total_extent(max(map(height, row)) for row in rows)),)
    groups: list[list[DisplayLine]] = []
    room = 0.0
    for line in (line for chain in chains for line in lines(chain, writer, limit)):
        if not groups or line.height > room:
            groups.append([])
            room = highest
        groups[-1].append(line)
        room -= line.height
    return tuple((_aligned(group, writer), total_extent(line.height for line in group)) for group in groups)


def in_rows(items: Iterable[Placed], size: Callable[[Placed], float], gap: float, limit: float) -> list[list[Placed]]:
    """Arrange items in rows with a gap between them, as many in each row as fit in ``limit`` em.

    >>> in_rows([3.0, 4.0, 2.0], abs, 1.0, 8.0)
    [[3.0, 4.0], [2.0]]
    """
    rows: list[list[Placed]] = []
    room = 0.0
    for item in items:
        taken = size(item) + gap
        if not rows or taken > room:
            rows.append([])
            room = limit + gap
        rows[-1].append(item)
        room -= taken
    return rows


def lines(chain: Chain, writer: MathWriter, limit: float) -> list[DisplayLine]:
    """Return the lines of one statement: a single one if it fits, else one per relation and per part of a long side.

    >>> from symattn.show.math import equation, joined
    >>> from symattn.write.tex_math import DISPLAY
    >>> side = joined([Number("0.21"), Number("0.50"), Number("0.33")], "+")
    >>> [line.right for line in lines(equation(Letter("q"), side, Number("1.04")), DISPLAY, 7)]
    ['= 0.21 + 0.50', '\\\\quad{} + 0.33', '= 1.04']
    """
    left, tall = writer.write(chain.left), LEADING * height(chain)
    if not chain.links:
        return [DisplayLine("", left, tall, width(chain.left))]
    if width(chain) <= limit:
        return [DisplayLine(left, writer.glue(links(chain, writer)).lstrip(), tall, width(chain), width(chain.left))]
    out: list[DisplayLine] = []
    before, indent = width(chain.left), ""
    widest = max(width(side) for _, side in chain.links)
    if before > limit / 2 or (chain.marks and before + RELATION + widest > limit):
        # A left side that takes half of the line has one of its own; so has that of a proof where it takes room from
        # lines that would break without it.
        out.append(DisplayLine("", left, LEADING * height(chain.left), before))
        left, before, indent = "", INDENT, f"{writer.quad} "
    for sign, (_, side) in zip(relations(chain, writer), chain.links, strict=True):
        tall = LEADING * height(side)
        (first, wide), *rest = _broken(side, writer, limit - before - RELATION)
        column = 0.0 if indent else before
        out.append(DisplayLine(left, writer.glue((f"{indent}{sign} ", first)), tall, before + RELATION + wide, column))
        more = f"{indent}{writer.further} "
        out.extend(DisplayLine("", more + part, tall, before + INDENT + wide, column) for part, wide in rest)
        left = ""
    return out


@dataclass(frozen=True)
class _Atom:
    """An unbreakable piece; ``depth`` is the depth of parentheses of a possible break before it, if there is one."""

    text: str
    width: float
    depth: int | None = None


def _broken(side: Math, writer: MathWriter, limit: float) -> list[tuple[str, float]]:
    """Return a right side in as many lines as it needs, each with its width."""
    atoms = list(_atoms(side, writer, 0))
    filled = _filled(atoms, limit, 0) if total_extent(atom.width for atom in atoms) > limit else [atoms]
    return [
        (writer.glue(atom.text for atom in line).strip(), total_extent(atom.width for atom in line)) for line in filled
    ]


def _atoms(piece: Math, writer: MathWriter, depth: int) -> Iterator[_Atom]:
    if isinstance(piece, Parens) and not is_tall(piece, writer.inline):
        yield _Atom(writer.around[0], 0.4)
        yield from _atoms(piece.inner, writer, depth + 1)
        yield _Atom(writer.around[1], 0.4)
    elif isinstance(piece, Sum) and isinstance(piece.body, Parens) and not is_tall(piece.body, writer.inline):
        yield _Atom(writer.sigma(piece) + " ", width(piece) - width(piece.body))
        yield from _atoms(piece.body, writer, depth)
    elif isinstance(piece, Script) and isinstance(piece.base, Parens) and not is_tall(piece, writer.inline):
        left, right = writer.around_base(piece)
        yield _Atom(left, 0.4)
        yield from _atoms(piece.base.inner, writer, depth + 1)
        # Entry (i, j) of a long formula: its indices stay at the last parenthesis.
        yield _Atom(right + writer.scripts(piece), 0.4 + width(piece) - width(piece.base))
    elif isinstance(piece, Seq):
        before: Math | None = None
        for part, text in zip(piece.parts, parts(piece, writer), strict=True):
            if isinstance(part, Parens) and not is_tall(part, writer.inline):
                yield from _atoms(part, writer, depth)
            else:
                yield _Atom(text, width(part), depth if can_break(before, part) else None)
            before = part
    else:
        yield _Atom(writer.write(piece), width(piece))


def _filled(atoms: list[_Atom], limit: float, depth: int) -> list[list[_Atom]]:
    """Fill lines one after the other, broken at ``depth`` and, inside a term that is too long, deeper."""
    out: list[list[_Atom]] = []
    room = 0.0
    for term in _terms(atoms, depth):
        wide = total_extent(atom.width for atom in term)
        if out and wide <= room:
            out[-1] += term
            room -= wide
            continue
        deeper = any(atom.depth is not None and atom.depth > depth for atom in term)
        new = _filled(term, limit, depth + 1) if wide > limit and deeper else [term]
        out += new
        room = limit - (INDENT if len(out) > 1 else 0) - total_extent(atom.width for atom in new[-1])
    return out


def _terms(atoms: list[_Atom], depth: int) -> list[list[_Atom]]:
    terms: list[list[_Atom]] = [[]]
    for atom in atoms:
        if atom.depth == depth and terms[-1]:
            terms.append([])
        terms[-1].append(atom)
    return terms


def _aligned(lines_: list[DisplayLine], writer: MathWriter) -> str:
    if len(lines_) == 1:
        return f"{lines_[0].left} {lines_[0].right}".strip()
    return writer.aligned([(line.left, line.right) for line in lines_])
