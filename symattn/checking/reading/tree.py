"""What is written in a document: expressions as they stand there, and chains of them between signs such as = and ≈.

Nothing here is worked out, and nothing is known yet of what a name means: ``S_{12}`` may be an entry of S or a name.
Every piece knows where it stands in the file, ``start`` and ``end`` in characters.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal, TypeAlias


@dataclass(frozen=True, slots=True)
class FigureRead:
    """A number in figures: ``-1.1408``, ``.5``, ``0,35``, ``1e-5``, ``1.2 \\times 10^{-3}``, ``31.6%``, ``-\\infty``.

    A sign belongs to it where nothing stands before the sign that it could join.
    """

    text: str
    """As it is printed, with its sign and without blanks between: ``-1.1408``, ``-∞`` where it is infinite."""
    value: Fraction | None
    """``None`` where it is infinite."""
    unit: Fraction
    """What one unit of its last place is worth: 1/10000 of ``-1.1408``, 1 of a whole number."""
    start: int
    end: int
    sign: Literal[1, -1] = 1
    """Of an infinite one."""


@dataclass(frozen=True, slots=True)
class NameRead:
    """A name: a letter or a word with what stands around it."""

    base: str
    """``W`` of ``W_Q``, ``α`` of ``\\alpha``, ``Masked`` of ``\\text{Masked}``; bold and roman are left out."""
    marks: tuple[str, ...]
    """``hat``, ``tilde``, ``bar``, ``vec``, ``'`` for each prime, in the order they stand."""
    below: tuple[Expressed, ...]
    """What stands below, piece by piece at commas: ``(2, 1)`` of ``A_{21}`` (two pieces where all are single digits),
    ``Q`` of ``W_Q``, ``2`` and ``i`` of ``s_{2,i}``."""
    above: tuple[Expressed, ...]
    """What stands above that is no power and no transpose: ``Q`` of ``W^Q``, ``2`` of ``x^{(2)}``."""
    start: int
    end: int
    text: str = ""
    """As it is written in the file."""
    shape: tuple[Expressed, ...] = ()
    """What is said of its shape beside it: 3 and 2 of ``X (shape=3\\times 2)``; no figures to check."""


@dataclass(frozen=True, slots=True)
class GridRead:
    """A matrix or a list: rows of expressions."""

    rows: tuple[tuple[Expressed, ...], ...]
    kind: Literal["matrix", "list", "tuple", "tensor", "table", "brackets"]
    """``matrix`` of LaTeX (always two axes); ``list`` and ``tensor`` in brackets: nested lists are several rows
    with ``axes`` 2, ``[1, 2]`` one row with ``axes`` 1; ``tuple``: ``(1, 2)``; ``table``; ``brackets``: rows of
    figures without commas, as NumPy prints them and as people set them under each other. ``[[[…]]]`` has ``axes``
    3: with one matrix in it its rows, with several one row of grids."""
    axes: int
    start: int
    end: int
    labels: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())
    """What stands beside rows and above columns."""
    torn: tuple[int, ...] = ()
    """Where a lone ``\\`` stands inside a row: a separator of rows that was lost, with the cells of several rows in
    one."""


@dataclass(frozen=True, slots=True)
class Combined:
    """Something done with other expressions.

    ``op`` is one of ``+ - ± * @ / ^ neg T index root sum product each`` or ``call:NAME``. ``*`` with ``sign`` as it
    is written (``beside``, ``\\cdot``, ``\\times``, ``*``, ``⊙``): what it means is decided by what it stands between.
    ``index`` is ``E[0]`` (counted as in Python); ``slice``
    is one of its places, ``from`` and ``to`` others. ``call:`` names are those of the formula language where there
    is one (``softmax``, ``exp``, ``sqrt``, ``relu``, ``gelu``, ``layer_norm``, ``mean``, ``var``, ``sum``,
    ``norm``, ``abs``, ``max``, ``erf``, ``tanh``, ``log``, ``concat``, ``transpose``), else as written.
    ``e^{x}`` is ``call:exp``; ``[a, b] / 2`` a division of a grid. ``sum`` is Σ with its ranges in ``sign``,
    ``product`` ∏, and ``each`` what a program makes for each index; their limits are in ``named``: ``over``, ``from``,
    and ``to`` or ``until``. ``root`` has its degree as second argument, ``call:log`` its base; ``±`` has two values.
    """

    op: str
    args: tuple[Expressed, ...]
    start: int
    end: int
    sign: str = ""
    named: tuple[tuple[str, Expressed], ...] = ()
    """Arguments by name: ``dim=-1``."""


@dataclass(frozen=True, slots=True)
class Unread:
    """Something that is no expression: it is kept and counted."""

    text: str
    why: str
    start: int
    end: int


Expressed: TypeAlias = FigureRead | NameRead | GridRead | Combined | Unread

NamedArguments: TypeAlias = tuple[tuple[str, Expressed], ...]

RelationSign = Literal["=", "≈", "→", "←", ":", "<", ">", "≠", "∈"]
"""``=`` and ``:=``; ``≈``, ``≃``, ``~`` before a figure; ``→``, ``⇒``, ``\\to``; ``←`` and ``\\leftarrow`` (a name
gets a new value); ``:`` where a word or a name is followed by what it is (``Scores: [[…]]``); ``∈`` (a shape or a
set follows)."""


@dataclass(frozen=True, slots=True)
class Member:
    """One expression of a chain, and the sign before it."""

    relation: RelationSign | None
    """``None`` of the first."""
    of: Expressed


@dataclass(frozen=True, slots=True)
class Statement:
    """A chain of expressions: ``Q = X W_Q = [[…]] ≈ [[…]]``; an expression alone is a chain of one."""

    sides: tuple[Member, ...]
    start: int
    end: int
    is_code: bool = False
    """Whether it is a line of a program: its names are those of Python, ``*`` is entry by entry, ``@`` the
    product."""


@dataclass(frozen=True, slots=True)
class Talk:
    """Words between statements."""

    text: str
    start: int
    end: int
    is_heading: bool = False
    level: int = 0


@dataclass(frozen=True, slots=True)
class Stop:
    """A paragraph, an item of a list, a display or a block ends here."""

    kind: Literal["sentence", "line", "paragraph", "item", "display", "code", "output", "table"]
    place: int


@dataclass(frozen=True, slots=True)
class ProgramPiece:
    """A piece of a program in Python, which is interpreted."""

    text: str
    places: Sequence[int]
    """For each character where it stands in the file, and where the last one ends."""
    start: int
    end: int
    formulas: tuple[Statement, ...] = ()
    """What its lines assign."""


@dataclass(frozen=True, slots=True)
class PrintedText:
    """What a program printed, or a comment that may show it. What was read of it follows."""

    text: str
    places: Sequence[int]
    start: int
    end: int
    kind: Literal["output", "below", "beside"] = "output"
    """``output``; a comment ``below`` lines of a program or ``beside`` one."""
    line: int = 0
    """The line of the program piece before that a comment is beside, from 1."""


@dataclass(frozen=True, slots=True)
class TableRead:
    """The figures of a table that was told before, in rows and columns, without those that sum up others."""

    rows: tuple[tuple[FigureRead | None, ...], ...]
    start: int
    end: int


ToldPart: TypeAlias = Statement | Talk | Stop | ProgramPiece | PrintedText | TableRead


@dataclass(frozen=True)
class Reading:
    """A document as it was read, in reading order. Figures that stand in no statement are in an :class:`Unread`."""

    told: tuple[ToldPart, ...]
    unread: tuple[Unread, ...] = field(default=())
