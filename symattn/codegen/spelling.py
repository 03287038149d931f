"""How a language writes the pieces of equations: functions, sums, cases, entries, loops, and a function as a whole."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Spelling:
    """What a helper function is put together from. ``{0}``, ``{1}``, … are pieces; ``{m}``, ``{n}`` lengths.

    Whole arrays have two axes in NumPy, PyTorch and Julia: what depends on the row only is a column. In R it is a
    vector (``vectors``), and what depends on the column only is repeated for every row before it meets a matrix.
    """

    function: Callable[[str, Sequence[str], str, Sequence[str], str], str]
    """A function from its name, parameters, comment, assignments and result."""
    assign: str
    arrays: Mapping[str, str]
    """The elementary functions of arrays, and of entries of them."""
    numbers: Mapping[str, str]
    """The same of plain numbers."""
    signs: Mapping[str, str]
    """Signs of arithmetic and of comparison that are not the same in all languages."""
    over: Mapping[tuple[str, int], str]
    """A sum or the largest along an axis: 1 is along a row."""
    product: str
    transposed: str
    choice: str
    """One thing where a condition holds in an array, and another one elsewhere."""
    case: str
    """The same for a condition on plain numbers."""
    long_case: str
    """The same on several lines, for the entry of a result."""
    both: tuple[str, str]
    """Between conditions that hold together: of arrays, of plain numbers."""
    sizes: tuple[str, str]
    """How many rows and columns a matrix has."""
    indices: tuple[str, str]
    """The places from 1 as an array, for the row and for the column."""
    full: str
    """An array that is repeated along the axes it lacks."""
    filled: str
    """The same of a plain number."""
    first: int
    """What the first row is counted as."""
    entry: str
    """One entry of a matrix."""
    named: tuple[str, str]
    """An entry of what a loop made: with one index, with two."""
    loops: Mapping[str, str]
    """What goes over indices entry by entry: ``sum``, ``max``, ``list``, ``rows``, and the result: ``matrix``,
    ``column``, ``row``, ``single``."""
    rounded: str
    """A whole number that a division has made, as a place."""
    dots: bool = False
    """Whether signs between arrays have a dot."""
    vectors: bool = False
    tensor: str = "{0}"
    """A plain number where an array has to be."""
    overflow: str = ""
    """What stands above a function in which an exponential may overflow on the way to a number that does not."""
    avoided: frozenset[str] = field(default_factory=frozenset)
    """Names that nothing inside a function may have."""
