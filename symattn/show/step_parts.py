"""The parts that a page can show of a step: formula, shapes, entry, lines, closed form, matrix, readings.

`steps.py` decides which of them a page shows, and how."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial

from sympy import Basic, Expr, MatrixSymbol, OneMatrix, Pow, S, Symbol

from symattn.base.shapes import Axis, Shape
from symattn.compute.solution.read_back import by_hand
from symattn.compute.solution.store import Shown, Store
from symattn.operations import Dot, Quotient, numbers_listed
from symattn.operations.masks import Mask
from symattn.operations.stored import as_number
from symattn.read.plan import Step
from symattn.show.blocks import Block, Equation, Line, Matrix, Phrase
from symattn.show.entries.letters import Letters
from symattn.show.entries.nodes import dot_term
from symattn.show.entries.step_entry import general_entry, places_of
from symattn.show.forms import intervals
from symattn.show.forms.shape_line import shape_line
from symattn.show.kinds import is_of_numbers, said_beside, said_of, shape_of_gradient
from symattn.show.math import Chain, Math, Number, Parens, Relation, Seq, Shaped, Sign, added, equation
from symattn.show.notation import logarithms
from symattn.show.notation.closed_form import closed_form
from symattn.show.notation.figures import figure_in_a_line, in_matrix, relation
from symattn.show.notation.formulas import Names, formula, number
from symattn.show.notation.names import axis_size
from symattn.show.readings.step import readings
from symattn.show.readings.weights import empty_inside
from symattn.show.window import Window, places
from symattn.show.working.default_entry import chosen_entries, moves_nothing, only_moves
from symattn.show.working.lines import Work, divisor_figure
from symattn.show.working.operands import DOTS, Opened
from symattn.show.working.products import laid_out, squared_paper
from symattn.show.working.softmax import said_of_rows

SHORT = 4
"""The largest number of terms of a dot product that is written in full."""

LINES = 30
"""The most lines of working in one display: what shows Markdown gives up on longer ones."""

MANY = 36
"""The largest number of entries that are all computed on request; of more, only the first and the last row are."""


class StepHead:
    """The head of a step: its formula, the shapes of its operands, and the sentences beside them."""

    def __init__(self, solution: Store, names: Names) -> None:
        self.solution, self.names = solution, names
        self.long_shapes = solution.style.shape_line == "long"

    def formula(self, step: Step) -> tuple[Chain, ...]:
        """Return the formula, and the values of its divisors."""
        symbol, written = self.names(step.name), formula(step.formula, self.names)
        is_shown = symbol != written and not isinstance(step.formula, Mask)
        return (*((Chain(symbol, (("=", written),)),) if is_shown else ()), *self.divisors(step.formula))

    def divisors(self, node: Basic) -> tuple[Chain, ...]:
        """Return √d_k = √4 = 2 for every divisor with a root or a named size in it."""
        worked = (self._worked_number(quotient.divisor) for quotient in _quotients(node))
        return tuple(chain for chain in worked if chain.links)

    def _worked_number(self, value: Expr) -> Chain:
        """Return √d_k = √4 = 2; no links for a number that is already a figure."""
        figure = divisor_figure(self.solution, value)
        sides = [number(value), figure_in_a_line(figure)]
        if not self.solution.number(value).free_symbols:
            sides.insert(1, _put_in_sizes(self.solution, value))
        first, *others = dict.fromkeys(sides)
        links = [*equation(first, *others[:-1]).links, *((relation([figure]), each) for each in others[-1:])]
        return Chain(first, tuple(links))

    def number_line(self, step: Step) -> Chain:
        """Return r = 1/√d_k = 1/√4 = 0.5, for a step that is a number."""
        worked = self._worked_number(as_number(step.formula))
        return Chain(self.names(step.name), (("=", worked.left), *worked.links))

    def shapes(self, step: Step) -> tuple[Chain, ...]:
        """Return the line of the operands with their shapes, and the shape of the step."""
        left = shape_line(step.formula, self.names, self.operand)
        operands = [arg for arg in getattr(step.formula, "args", ()) if getattr(arg, "is_Matrix", False)]
        if left is None or (step.shape.ndim == 0 and all(arg.shape == (1, 1) for arg in operands)):
            return ()
        return (Chain(left, (("=", self.shaped(self.names(step.name), step.shape)),)),)

    def beside(self, step: Step) -> tuple[Phrase, ...]:
        """Return the sentences about repeated operands, signs that work entry by entry, and the shape of a gradient."""
        return (*said_beside(step.formula, self.names), *shape_of_gradient(step, self.names, self.shaped))

    def shaped(self, math: Math, shape: Shape) -> Shaped:
        return Shaped(math, axis_size(shape.rows), axis_size(shape.columns), self.long_shapes)

    def operand(self, node: Basic) -> Math:
        """Return an operand with its shape beside it; a matrix of ones has its shape as its subscript."""
        inner = formula(node, self.names)
        if isinstance(node, OneMatrix) or as_number(node) is not None:
            return inner
        if isinstance(node, MatrixSymbol):
            return self.shaped(inner, self.solution.shape(str(node.name)))
        rows, columns = node.shape
        loose = isinstance(inner, Seq)
        return Shaped(Parens(inner) if loose else inner, number(rows), number(columns), self.long_shapes)


class StepParts:
    """The parts of the steps of one solution, each made only when asked for."""

    def __init__(self, solution: Store, names: Names, window: Window | None = None) -> None:
        self.solution, self.names = solution, names
        self.window = window or Window()
        self.head = StepHead(solution, names)
        self._chosen_letters: dict[str, Letters] = {}
        self._derivations: dict[object, str] = {}

    def matrix(self, name: str, decimals: int | None = None) -> Matrix:
        """Return the matrix of a name with its shape annotation and printed figures."""
        shape = self.solution.shape(name)
        rows, columns = self.solution.rows(name), self.solution.columns(name)
        entries = self.window.grid(rows, columns, self.cells(name, decimals))
        sign = self._sign(name, decimals) if shape.ndim == 0 else None
        return Matrix(self.names(name), axis_size(shape.rows), axis_size(shape.columns), entries, number=sign)

    def _sign(self, name: str, decimals: int | None) -> Relation:
        """Return the sign before a number: ≈ if its figure is rounded."""
        is_figure = self.solution.shown(name) is Shown.FIGURES and logarithms.cells(self.solution, name) is None
        return relation(self.solution.figures(name, decimals)[0]) if is_figure else "="

    def figure(self, name: str, i: int, j: int) -> Math:
        """Return one entry, counted from 0, as the matrix shows it."""
        return self.cells(name)(i, j)

    def cells(self, name: str, decimals: int | None = None) -> Callable[[int, int], Math]:
        """Return the function that makes an entry of a matrix, counted from 0."""
        shown = self.solution.shown(name)
        if shown is Shown.INTERVALS and name not in self.solution.givens:
            return intervals.cells(self.solution, name, decimals)
        if shown is Shown.CLOSED_FORMS:
            from symattn.show.forms import closed_forms

            return closed_forms.cells_of(self.solution, self.letters(self.solution.step(name)), name, decimals)
        written = logarithms.cells(self.solution, name) if decimals is None else None
        if written is not None:
            return lambda i, j: in_matrix(written[i][j])
        figures = self.solution.figures(name, decimals)
        return lambda i, j: in_matrix(figures[i][j])

    def is_as_written(self, name: str) -> bool:
        """Return whether a step is a list of numbers whose matrix shows each of them exactly."""
        is_list = numbers_listed(self.solution.derivation[name].formula) is not None
        return is_list and relation([figure for row in self.solution.figures(name) for figure in row]) == "="

    def readings(self, name: str) -> tuple[Phrase, ...]:
        """Return the readings of a step's values."""
        shown, shape = self.solution.shown(name), self.solution.shape(name)
        if shown is Shown.INTERVALS:
            return intervals.readings(self.solution, name, self.names)
        if shown.of_symbols:
            return tuple(empty_inside(self.solution, name, self.names))
        rows, columns = self.labels(shape.rows), self.labels(shape.columns)
        return (*readings(self.solution, name, self.names, rows, columns, self.window.rows), *self._by_hand(name))

    def labels(self, axis: Axis) -> tuple[str, ...]:
        return self.names.labels.get(axis.name, ())

    # -- entries -------------------------------------------------------------------------------------------------

    def letters(self, step: Step) -> Letters:
        """Return the letters for the entries of a step."""
        if step.name not in self._chosen_letters:
            self._chosen_letters[step.name] = self._choose_letters(step)
        return self._chosen_letters[step.name]

    def _choose_letters(self, step: Step) -> Letters:
        shapes = {step.name: step.shape} | {used: self.solution.shape(used) for used in step.uses}
        letters = Letters.choose(self.names, [step.name, *step.uses], shapes)
        return letters if step.formula is None else letters.beside(step.formula)

    def entry(self, step: Step) -> list[Line]:
        """Return the general entry and the sentences about it; nothing for a list of numbers."""
        if is_of_numbers(step.formula):
            return []
        chains = general_entry(step.name, step.formula, self.letters(step), step.shape)
        if isinstance(step.formula, Dot):
            first, *more = chains
            chains = (Chain(first.left, (*first.links, ("=", self._dot_terms(step)))), *more)
        said = said_of(step.formula, self.names)
        if self.names.gradient_of(step.name) is not None:
            from symattn.show.derivatives import with_derivation

            told = self._derivations
            chains, signs = with_derivation(self.solution, self.names, step, self.letters(step), chains, told)
            said = [*signs, *said]
        return [*self._lead(step, "lead_entry"), Equation(chains, "entry"), *said]

    def _lead(self, step: Step, key: str, *about: tuple[str, int]) -> list[Line]:
        """Return the lead-in to the entries of a step; a number has none."""
        return [Phrase(key, about, "lead")] if step.shape.ndim else []

    def _dot_terms(self, step: Step) -> Math:
        """Return x_1 y_1 + x_2 y_2 + ⋯ + x_n y_n, in full if there are few terms."""
        node, letters = step.formula, self.letters(step)
        assert isinstance(node, Dot)
        term, width = partial(dot_term, node, letters, *places_of(step.shape, letters)), node.left.shape[1]
        if width.is_Integer and width <= SHORT:
            return added(*(term(Number(str(k))) for k in range(1, int(width) + 1)))
        return added(term(Number("1")), term(Number("2")), Sign("⋯"), term(number(width)))

    def working(
        self, step: Step, asked: tuple[int, int] | None, every: bool = False, decimals: int | None = None
    ) -> Sequence[Line]:
        """Return the working of one entry, the one asked for or the first that teaches something; or of every entry."""
        node, shown = self.solution.formula(step.name), self.solution.shown(step.name)
        if shown is Shown.INTERVALS:
            return intervals.working(self.solution, step.name, self.letters(step), decimals, asked, every)
        if shown.of_symbols:
            from symattn.show.forms import closed_forms

            return closed_forms.working(self.work(step), every, asked)
        if asked is None and moves_nothing(node):
            return []
        chosen = self.worked_entries(step, asked)
        sheet = self._squared_paper(step.name, chosen[0])
        if every:
            return [*self._every_entry(step, asked, MANY, shows_sides=not sheet), *sheet]
        lead = self._lead(step, "lead_worked", ("count", len(chosen)))
        return [*self._worked(step, chosen, () if sheet else chosen, lead), *sheet]

    def _squared_paper(self, name: str, place: tuple[int, int]) -> list[Line]:
        """Return a product on squared paper, if it is one that is laid out there."""
        laid = squared_paper(self.solution, name, place, self.cells) if name in laid_out(self.solution) else None
        if laid is None:
            return []
        product = formula(self.solution.derivation[name].formula, self.names)
        told = (("product", product), ("row", place[0] + 1), ("column", place[1] + 1))
        return [Phrase("lead_squared", told, "lead"), Equation((Chain(laid),), "squared")]

    def _worked(
        self,
        step: Step,
        chosen: Sequence[tuple[int, int]],
        beside: Sequence[tuple[int, int]],
        lead: Sequence[Line],
        more: int = 0,
    ) -> list[Line]:
        """Return the working of entries, each after what it uses; ``more`` is the number of entries left out. The lines
        of entries in ``beside`` also show the row and column that they are computed from."""
        node, work = self.solution.formula(step.name), replace(self.work(step), beside=frozenset(beside))
        opened, columns = Opened(node, work), self.solution.columns(step.name)
        chains: list[Chain] = []
        for position, (i, j) in enumerate(chosen):
            last = chosen[position - 1] if position else (i, j)
            lines = opened.entry(i, j)
            chains += [DOTS] if more and lines and (i - last[0]) * columns + j - last[1] > 1 else []
            chains += lines
        if not chains:
            return []
        said = said_of_rows(opened.work, opened.rows)
        left_out = more + opened.folded
        after = [Phrase("left_out", (("count", left_out),), "line")] if left_out else []
        displays = (Equation(tuple(chains[i : i + LINES]), "working") for i in range(0, len(chains), LINES))
        return [*said, *lead, *displays, *after]

    def every_entry(self, name: str, most: int) -> Sequence[Line]:
        """Return every entry of a step worked, whatever the detail of the page; some of more than ``most`` entries."""
        step, shown = self.solution.derivation[name], self.solution.shown(name)
        if shown is Shown.INTERVALS:
            return intervals.every_entry(self.solution, name, self.letters(step))
        return self.working(step, None, every=True) if shown.of_symbols else self._every_entry(step, None, most)

    def _every_entry(
        self, step: Step, asked: tuple[int, int] | None, most: int, shows_sides: bool = True
    ) -> list[Line]:
        """Return the working of every entry; of many, only the first and the last row and those asked for."""
        rows, columns = self.solution.rows(step.name), self.solution.columns(step.name)
        shown_rows, shown_columns = places(rows, self.window.rows), places(columns, self.window.columns)
        every = [(i, j) for i in shown_rows for j in shown_columns if i is not None and j is not None]
        if len(every) > most:
            every = [(i, j) for i, j in every if i in (0, rows - 1)]
        chosen = self.worked_entries(step, asked)
        every = sorted({*every, *chosen})
        return self._worked(
            step,
            every,
            chosen if shows_sides else (),
            self._lead(step, "lead_all_entries"),
            rows * columns - len(every),
        )

    def work(self, step: Step) -> Work:
        """Return the context that the lines of a step are computed in."""
        letters = self.letters(step)
        if step.formula is not None:
            letters = letters.beside(self.solution.formula(step.name))
        return Work(self.solution, replace(letters, in_figures=True), step.name)

    def worked_entries(self, step: Step, asked: tuple[int, int] | None = None) -> list[tuple[int, int]]:
        """Return the entries to work, counted from 0: the one asked for, otherwise those that teach most."""
        if asked is not None:
            return [asked]
        return chosen_entries(self.solution, self.work(step), self.solution.formula(step.name), self.window)

    def closed_form(self, step: Step, asked: tuple[int, int] | None, decimals: int | None) -> Chain | None:
        """Return the closed form of an entry if it is short and says more than its figure."""
        # Logarithms are in closed form already, unless decimals are asked for.
        if decimals is None and logarithms.cells(self.solution, step.name) is not None:
            return None
        if asked is None and only_moves(step.formula):
            return None
        i, j = self.worked_entries(step, asked)[0]
        worked = self.letters(step).entry(step.name, Number(str(i + 1)), Number(str(j + 1)))
        index = i * self.solution.columns(step.name) + j
        return closed_form(self.solution, step.name, self.names(step.name), worked, index)

    def long_entries(self, step: Step, decimals: int | None = None) -> Sequence[Line]:
        """Return the closed forms that do not fit in their matrix."""
        if self.solution.shown(step.name) is not Shown.CLOSED_FORMS:
            return ()
        from symattn.show.forms import closed_forms

        return closed_forms.long_entries(self.solution, self.letters(step), step.name, decimals)

    def exact_given(self, name: str, decimals: int | None = None) -> Sequence[Line]:
        """Return the closed form of a given's first entry, or the long ones if its matrix shows closed forms."""
        step = self.solution.derivation[name]
        if self.solution.shown(name) is Shown.CLOSED_FORMS:
            return self.long_entries(step)
        return in_closed_form(self.closed_form(step, (0, 0), decimals))

    def _by_hand(self, name: str) -> tuple[Phrase, ...]:
        """Return a remark if computing with the printed figures gives other values, and all of these are printed."""
        shown = (name, *self.solution.derivation[name].uses)
        # A reader who sees ln 2 does not compute with 0.693147.
        as_figures = all(logarithms.cells(self.solution, other) is None for other in shown)
        found = by_hand(self.solution, name) if as_figures and all(map(self._is_whole, shown)) else ()
        if not found:
            return ()
        index, text = found[0]
        columns = self.solution.columns(name)
        proved = self.solution.figures(name)[index // columns][index % columns].text
        is_number = columns == 1 and self.solution.rows(name) == 1
        arguments = (
            ("count", len(found)),
            ("row", 0 if is_number else index // columns + 1),
            ("column", index % columns + 1),
            ("worked", Number(text)),
            ("proved", Number(proved)),
        )
        return (Phrase("by_hand", arguments, "figures"),)

    def _is_whole(self, name: str) -> bool:
        """Return whether the page shows all of a matrix."""
        sizes = (self.solution.rows(name), self.solution.columns(name))
        return all(size <= most for size, most in zip(sizes, (self.window.rows, self.window.columns), strict=True))


def chains_of(blocks: Iterable[Block]) -> list[Chain]:
    """Return the lines of all displays."""
    return [chain for block in blocks if isinstance(block, Equation) for chain in block.chains]


def in_closed_form(chain: Chain | None) -> list[Line]:
    """Return a closed form with its lead-in."""
    return [] if chain is None else [Phrase("lead_closed_form", (), "lead"), Equation((chain,), "closed_form")]


def _quotients(node: Basic) -> list[Quotient]:
    inside = (found for arg in node.args if getattr(arg, "is_Matrix", False) for found in _quotients(arg))
    return [*([node] if isinstance(node, Quotient) else []), *inside]


def _put_in_sizes(solution: Store, divisor: Expr) -> Math:
    """Return √d_k with the size put in and nothing computed: √4."""
    if isinstance(divisor, Pow) and divisor.exp == S.Half and isinstance(divisor.base, Symbol):
        return number(Pow(solution.number(divisor.base), S.Half, evaluate=False))
    return number(divisor) if not divisor.free_symbols else number(solution.number(divisor))
