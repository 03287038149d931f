"""Steps that free symbols go into, on the page: closed forms beside certified decimals, worked entries, assumptions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from symattn import operations as ops
from symattn.base.errors import NoValueError, SymattnError
from symattn.base.printed import Figure, read_figure
from symattn.compute.solution.store import Shown, Store
from symattn.compute.solution.symbolic import SymbolicValues
from symattn.operations.stages import same_as_ours
from symattn.read.exact_number import exact
from symattn.show.blocks import Block, Equation, Line, Phrase
from symattn.show.entries.letters import Letters
from symattn.show.math import EULER, Chain, Fraction, Math, Number, Script, equation, every
from symattn.show.notation.closed_form import LONGEST_ENTRY, LONGEST_ROW, length
from symattn.show.notation.figures import Written, figure_in_a_line, guarded, in_matrix, long_sum
from symattn.show.notation.names import Names, by_rule
from symattn.show.notation.numerals import number
from symattn.show.notation.symbols import assumption, cells, short
from symattn.show.working.equations import entry_work
from symattn.show.working.lines import Work, worked_line
from symattn.show.working.operands import Opened

LOOKED_AT = 64
"""The most entries that are searched for one to work."""

MOST_LONG = 8
"""The most long closed forms that are listed below a matrix."""

LONGEST_ASSUMPTION = 40
"""The longest assumption that is written out, in characters."""


def values_of(solution: Store) -> SymbolicValues:
    """Return the closed forms of a solution that has symbols."""
    assert isinstance(solution.symbolic, SymbolicValues)
    return solution.symbolic


def too_long(solution: Store, name: str, names: Names) -> Phrase | None:
    """Return the sentence about a step whose closed form is beyond the limits, or ``None``."""
    if values_of(solution).state(name).value is not None:
        return None
    said = (("name", names(name)), ("symbols", _letters(values_of(solution).behind(name))))
    return Phrase("closed_form_too_long", said, "line")


# -- the matrix --------------------------------------------------------------------------------------------------


def cells_of(solution: Store, letters: Letters, name: str, decimals: int | None) -> Callable[[int, int], Math]:
    """Return a function for the entries of a matrix: figures, closed forms, or the letter of a closed form too long."""
    rows = cells(solution, name, decimals)

    def cell(i: int, j: int) -> Math:
        figure = rows[i][j]
        if isinstance(figure, Written) and _is_long(rows[i], figure):
            return letters.entry(name, Number(str(i + 1)), Number(str(j + 1)))
        return in_matrix(figure)

    return cell


def _is_long(row: Sequence[Figure], figure: Written) -> bool:
    """Return whether a closed form is too long for its row of the matrix."""
    if figure.math is None or length(figure.math) > LONGEST_ENTRY:
        return True
    whole = sum(length(in_matrix(other)) for other in row if not isinstance(other, Written) or other.math is not None)
    return whole > LONGEST_ROW and length(figure.math) > LONGEST_ROW // len(row)


def long_entries(solution: Store, letters: Letters, name: str, decimals: int | None = None) -> list[Line]:
    """Return the closed forms that do not fit in the matrix, one below the other, and how many are left out."""
    if solution.shown(name) is not Shown.CLOSED_FORMS:
        return []
    rows = cells(solution, name, decimals)
    chains: list[Chain] = []
    left_out = 0
    for i, row in enumerate(rows):
        for j, figure in enumerate(row):
            if not (isinstance(figure, Written) and _is_long(row, figure)):
                continue
            if figure.math is None or len(chains) == MOST_LONG:
                left_out += 1
            else:
                entry = letters.entry(name, Number(str(i + 1)), Number(str(j + 1)))
                chains.append(equation(entry, figure.math))
    blocks: list[Line] = []
    if chains:
        blocks += [Phrase("lead_long_entries", (), "lead"), Equation(tuple(chains), "closed_form")]
    if left_out:
        blocks.append(Phrase("entries_too_long", (("count", left_out), ("others", len(chains))), "line"))
    return blocks


# -- worked entries ----------------------------------------------------------------------------------------------


def working(work: Work, every: bool, asked: tuple[int, int] | None) -> list[Line]:
    """Return the working of the entry asked for, or of the first that teaches something, or of every entry."""
    if every:
        return every_entry(work)
    chains = _lines(work, *(asked or _first(work)))
    return [Phrase("lead_worked", (("count", 1),), "lead"), Equation(tuple(chains), "working")] if chains else []


def every_entry(work: Work) -> list[Line]:
    """Return the working of every entry whose lines are short enough."""
    rows, columns = work.solution.rows(work.name), work.solution.columns(work.name)
    every = [chain for i in range(rows) for j in range(columns) for chain in _lines(work, i, j)]
    return [Phrase("lead_all_entries", (), "lead"), Equation(tuple(every), "working")] if every else []


def _first(work: Work) -> tuple[int, int]:
    """Return the first entry with symbols that is not a single symbol; failing that, the first with symbols, or any."""
    value = values_of(work.solution).value(work.name)
    places = [(index // value.cols, index % value.cols) for index in range(min(len(value), LOOKED_AT))]
    held = [place for place in places if value[place].free_symbols]
    return next((place for place in held if not value[place].is_Symbol), (held or places)[0])


def _lines(work: Work, i: int, j: int) -> list[Chain]:
    """Return the lines that work one entry; none if one of them is too long."""
    node = work.solution.formula(work.name)
    ours = same_as_ours(node)
    if isinstance(ours, ops.Softmax | ops.Proportions):
        lines = [_share(ours, work, i, j)]
    else:
        try:
            lines = Opened(node, work).entry(i, j)
        except NoValueError:  # something inside is only worked in figures
            line = entry_work(node, work, i, j)
            lines = [] if line is None else [line]
    lines = [_without_repeats(line) for line in lines]
    too_long = any(_is_open(side) for line in lines for _, side in line.links)
    return [] if too_long else [line for line in lines if line.links]


def _share(node: ops.Softmax | ops.Proportions, work: Work, i: int, j: int) -> Chain:
    """Return e^{s_1} / (e^{s_1} + e^{s_2}), without masked entries."""
    row, result = work.cells(node.argument)[i], work.result(i, j)
    seen = [figure for figure in row if figure.text != "-oo" or not isinstance(node, ops.Softmax)]
    if row[j] not in seen:
        return Chain(work.left(i, j), (("=", figure_in_a_line(result)),))
    parts = [Script(EULER, sup=figure_in_a_line(x)) if isinstance(node, ops.Softmax) else guarded(x) for x in seen]
    top = Script(EULER, sup=figure_in_a_line(row[j])) if isinstance(node, ops.Softmax) else figure_in_a_line(row[j])
    return worked_line(work.left(i, j), result, (Fraction(top, long_sum(parts)), seen))


def _without_repeats(chain: Chain) -> Chain:
    """Return a line without consecutive sides that are equal."""
    links = [link for k, link in enumerate(chain.links) if k == 0 or link[1] != chain.links[k - 1][1]]
    return Chain(chain.left, tuple(links))


def _is_open(math: Math) -> bool:
    """Return whether a piece has a closed form in it that is too long to be written."""
    return any(figure.text == "…" for figure in every(Number, math))


# -- the notes at the beginning -------------------------------------------------------------------------------


def letters_put_in(solution: Store, put_in: Mapping[str, str]) -> Iterator[Block]:
    """Yield which letters mean numbers, the numbers put in for them, and the assumptions about the others."""
    if put_in:
        values = tuple(equation(by_rule(name), _as_written(text)) for name, text in put_in.items())
        yield Phrase("symbols_put_in", (("values", values),), "note")
    if solution.symbolic is None:
        return
    # A letter that occurs only in statements for all sizes changes no matrix.
    entries = int(any(solution.shown(step.name).of_symbols for step in solution.derivation.steps))
    letters = ("symbols", _letters(solution.derivation.symbols))
    yield Phrase("symbols_shown", (letters, ("entries", entries)), "note")
    try:
        needs = values_of(solution).assumptions
    except SymattnError:
        return  # the error is reported where it occurs
    short_ones = [need for need in needs if (math := short(need.value)) and length(math) <= LONGEST_ASSUMPTION]
    if needs:
        assumed = (("assumed", tuple(map(assumption, short_ones))), ("more", len(needs) - len(short_ones)))
        yield Phrase("symbols_assumed", assumed, "note")


def _letters(symbols: Sequence[str]) -> tuple[Math, ...]:
    return tuple(map(by_rule, symbols))


def _as_written(text: str) -> Math:
    """Return a number as the file writes it: 0.30, and not 3/10."""
    return Number(text) if read_figure(text) is not None else number(exact(text))
