"""The blocks of one step, in the order a reader wants them."""

from __future__ import annotations

from functools import singledispatch
from typing import Literal

from sympy import Basic, Expr, MatAdd, MatMul, MatrixSymbol, Transpose

from symattn.derivation import Step
from symattn.document.blocks import Block, Equation, Matrix, Phrase, Readings
from symattn.document.choice import chosen_entries
from symattn.document.closed_form import closed_form
from symattn.document.entries import Letters, general_entry
from symattn.document.math import Call, Chain, Fraction, Math, Number, Parens, Script, Seq, Shaped, Sign, seq
from symattn.document.notation import Names, T, by_rule, formula, number
from symattn.document.readings import readings
from symattn.document.working import Work, divisor_figure, entry_work, relation, row_work
from symattn.operations import Broadcast, CausalMask, Dot, Identity, LayerNorm, MatPow, Quotient, ReLU, Row, Softmax
from symattn.shapes import Axis, Shape
from symattn.solution import Solution

Detail = Literal["result", "steps", "entries"]

KINDS: dict[type, str] = {
    MatMul: "product",
    MatAdd: "sum",
    MatPow: "product",
    Transpose: "transpose",
    Quotient: "scale",
    Softmax: "softmax",
    LayerNorm: "layer_norm",
    ReLU: "relu",
    CausalMask: "mask",
    Broadcast: "broadcast",
    Row: "row",
    Dot: "dot",
    Identity: "identity",
    MatrixSymbol: "copy",
}
"""What the words call each kind of step."""


class StepBlocks:
    """Makes the blocks of steps of one solution."""

    def __init__(self, solution: Solution, names: Names, detail: Detail) -> None:
        self.solution, self.names, self.detail = solution, names, detail
        self.long_shapes = solution.style.shape_line == "long"

    def matrix(self, name: str, decimals: int | None = None) -> Matrix:
        """The matrix of a name with its shape annotation and printed figures."""
        shape = self.solution.shape(name)
        rows = self.solution.figures(name, decimals)
        return Matrix(
            self.names(name),
            size(shape.rows),
            size(shape.columns),
            tuple(tuple(Number(figure.text) for figure in row) for row in rows),
        )

    def step(self, name: str, decimals: int | None, works: tuple[int, int] | None) -> list[Block]:
        """All blocks of a step but its words: formula, shapes, entry, working, closed form, matrix, readings."""
        step = self.solution.derivation[name]
        assert step.formula is not None
        blocks: list[Block] = [*self._formula(step), *self._shapes(step)]
        if step.general:
            return [*blocks, *self._entry(step)]
        if self.detail != "result":
            blocks += [*self._entry(step), *self._working(step, works), *self._closed_form(step, works)]
        blocks.append(self.matrix(name, decimals))
        found = readings(self.solution, name, self.names, self.labels(step.shape.rows), self.labels(step.shape.columns))
        found = (*found, *self._by_hand(name))
        return [*blocks, Readings(found)] if found else blocks

    def labels(self, axis: Axis) -> tuple[str, ...]:
        return self.names.labels.get(axis.name, ())

    # -- formula and shapes --------------------------------------------------------------------------------------

    def _formula(self, step: Step) -> list[Block]:
        symbol, written = self.names(step.name), formula(step.formula, self.names)
        chains: list[Chain] = []
        if symbol != written and not isinstance(step.formula, CausalMask):
            chains.append(Chain(symbol, (("=", written),)))
        chains += self._divisors(step.formula)
        return [Equation(tuple(chains), "formula")] if chains else []

    def _divisors(self, node: Basic) -> list[Chain]:
        """√d_k = √4 = 2 for every divisor with a root or a named size in it."""
        chains: list[Chain] = []
        for quotient in _quotients(node):
            divisor: Expr = quotient.divisor
            named = divisor.xreplace({})
            steps: list[Math] = [number(named)]
            with_sizes = _put_in_sizes(self.solution, divisor)
            if with_sizes not in steps:
                steps.append(with_sizes)
            figure = divisor_figure(self.solution, divisor)
            if Number(figure.text) not in steps:
                steps.append(Number(figure.text))
            links = [("=", side) for side in steps[1:-1]] + [(relation([figure]), side) for side in steps[1:][-1:]]
            if links:
                chains.append(Chain(steps[0], tuple(links)))  # type: ignore[arg-type]
        return chains

    def _shapes(self, step: Step) -> list[Block]:
        left = shape_line(step.formula, self)
        if left is None:
            return []
        return [Equation((Chain(left, (("=", self.shaped(self.names(step.name), step.shape)),)),), "shapes")]

    def shaped(self, math: Math, shape: Shape) -> Shaped:
        return Shaped(math, size(shape.rows), size(shape.columns), self.long_shapes)

    def operand(self, node: Basic) -> Shaped:
        """An operand with its shape beside it."""
        inner = formula(node, self.names)
        if isinstance(node, MatrixSymbol):
            return self.shaped(inner, self.solution.shape(str(node.name)))
        rows, columns = node.shape
        loose = isinstance(inner, Seq)
        return Shaped(Parens(inner) if loose else inner, number(rows), number(columns), self.long_shapes)

    # -- entries -------------------------------------------------------------------------------------------------

    def _letters(self, step: Step) -> Letters:
        shapes = {step.name: step.shape} | {used: self.solution.shape(used) for used in step.uses}
        powers_of_e = frozenset("e") if step.formula is not None and step.formula.has(Softmax) else frozenset()
        return Letters.choose(self.names, [step.name, *step.uses], shapes, powers_of_e)

    def _entry(self, step: Step) -> list[Block]:
        chains = general_entry(step.name, step.formula, self._letters(step), step.shape)
        if isinstance(step.formula, Dot):
            chains = (Chain(chains[0].left, (*chains[0].links, ("=", self._dot_terms(step)))),)
        return [Phrase("lead_entry", (), "lead"), Equation(chains, "entry")]

    def _dot_terms(self, step: Step) -> Math:
        """x_1 y_1 + x_2 y_2 + ⋯ + x_n y_n"""
        node, letters = step.formula, self._letters(step)
        assert isinstance(node, Dot)
        last = number(node.left.shape[1])
        from symattn.document.entries import entry

        def term(k: Math) -> Math:
            return seq(*(entry(side, letters, Number("1"), k, ()) for side in (node.left, node.right)))

        plus = Sign("+")
        return seq(term(Number("1")), plus, term(Number("2")), plus, Sign("⋯"), plus, term(last))

    def _working(self, step: Step, works: tuple[int, int] | None) -> list[Block]:
        node = self.solution.formula(step.name)
        work = self._work(step)
        if self.detail == "entries":
            every = self._all_entries(node, work)
            return [Phrase("lead_all_entries", (), "lead"), Equation(tuple(every), "working")] if every else []
        chosen = self._chosen(step, works)
        chains: list[Chain] = []
        for position, (i, j) in enumerate(chosen):
            shared = row_work(work, node, i) if position == 0 or chosen[position - 1][0] != i else ()
            line = entry_work(node, work, i, j)
            chains += [*shared, *([line] if line is not None else [])]
        if not chains:
            return []
        lead = Phrase("lead_worked", (("count", len(chosen)),), "lead")
        return [lead, Equation(tuple(chains), "working")]

    def _all_entries(self, node: Basic, work: Work) -> list[Chain]:
        chains: list[Chain] = []
        for i in range(self.solution.rows(work.name)):
            chains += row_work(work, node, i)
            lines = (entry_work(node, work, i, j) for j in range(self.solution.columns(work.name)))
            chains += [line for line in lines if line is not None]
        return chains

    def _work(self, step: Step) -> Work:
        return Work(self.solution, self._letters(step), step.name)

    def _chosen(self, step: Step, works: tuple[int, int] | None) -> list[tuple[int, int]]:
        """Which entries are worked: the one asked for, else the first that teaches something."""
        if works is not None:
            return [(works[0] - 1, works[1] - 1)]
        return chosen_entries(self.solution, self._work(step), self.solution.formula(step.name))

    def _closed_form(self, step: Step, works: tuple[int, int] | None) -> list[Block]:
        i, j = self._chosen(step, works)[0]
        worked = self._letters(step).entry(step.name, Number(str(i + 1)), Number(str(j + 1)))
        index = i * self.solution.columns(step.name) + j
        chain = closed_form(self.solution, step.name, self.names(step.name), worked, index)
        return [] if chain is None else [Phrase("lead_closed_form", (), "lead"), Equation((chain,), "closed_form")]

    def exact_given(self, name: str) -> list[Block]:
        """A given whose figures are rounded, in closed form."""
        zero = Letters.choose(self.names, [name], {name: self.solution.shape(name)}).entry(
            name, Number("1"), Number("1")
        )
        chain = closed_form(self.solution, name, self.names(name), zero, 0)
        return [] if chain is None else [Phrase("lead_closed_form", (), "lead"), Equation((chain,), "closed_form")]

    def _by_hand(self, name: str) -> list[Phrase]:
        """A remark where the printed figures lead somewhere else than the true values."""
        found = self.solution.by_hand(name)
        if not found:
            return []
        index, text = found[0]
        columns = self.solution.columns(name)
        proved = self.solution.figures(name)[index // columns][index % columns].text
        arguments = (
            ("count", len(found)),
            ("row", index // columns + 1),
            ("column", index % columns + 1),
            ("worked", Number(text)),
            ("proved", Number(proved)),
        )
        return [Phrase("by_hand", arguments, "reading")]


def size(axis: Axis) -> Math:
    """The size of an axis: a figure, or the letter of a general one."""
    return Number(str(axis.size)) if isinstance(axis.size, int) else by_rule(axis.size)


def _quotients(node: Basic) -> list[Quotient]:
    found = [node] if isinstance(node, Quotient) else []
    for arg in node.args:
        if getattr(arg, "is_Matrix", False):
            found += _quotients(arg)
    return found


def _put_in_sizes(solution: Solution, divisor: Expr) -> Math:
    """√d_k with the size put in and nothing worked out: √4."""
    from sympy import Pow, S, Symbol

    if isinstance(divisor, Pow) and divisor.exp == S.Half and isinstance(divisor.base, Symbol):
        return number(Pow(solution.number(divisor.base), S.Half, evaluate=False))
    return number(divisor) if not divisor.free_symbols else number(solution.number(divisor))


@singledispatch
def shape_line(node: Basic, blocks: StepBlocks) -> Math | None:
    """The left side of the line of shapes: X (3×4) · W_Q (4×4); ``None`` where there is nothing to say."""
    return None


@shape_line.register
def _(node: MatMul, blocks: StepBlocks) -> Math | None:
    parts: list[Math] = []
    for arg in node.args:
        piece = blocks.operand(arg) if arg.is_Matrix else number(arg)
        parts += [Sign("·"), piece] if parts else [piece]
    return seq(*parts)


@shape_line.register
def _(node: MatAdd, blocks: StepBlocks) -> Math | None:
    parts: list[Math] = []
    for arg in node.args:
        negative = isinstance(arg, MatMul) and arg.args[0] == -1
        piece = blocks.operand(arg.args[1] if negative else arg)
        parts += [Sign("-" if negative else "+"), piece] if parts else [piece]
    return seq(*parts)


@shape_line.register
def _(node: Transpose, blocks: StepBlocks) -> Math | None:
    return Script(Parens(blocks.operand(node.arg)), sup=T)


@shape_line.register
def _(node: Quotient, blocks: StepBlocks) -> Math | None:
    return Fraction(blocks.operand(node.argument), number(node.divisor))


@shape_line.register
def _(node: Softmax, blocks: StepBlocks) -> Math | None:
    return Call("softmax", (blocks.operand(node.argument),))


@shape_line.register
def _(node: ReLU, blocks: StepBlocks) -> Math | None:
    return Call("ReLU", (blocks.operand(node.argument),))


@shape_line.register
def _(node: LayerNorm, blocks: StepBlocks) -> Math | None:
    affine = () if node.gamma is None else (blocks.operand(node.gamma), blocks.operand(node.beta))
    return Call("LN", (blocks.operand(node.argument), *affine))


@shape_line.register
def _(node: Broadcast, blocks: StepBlocks) -> Math | None:
    return Call("broadcast", (blocks.operand(node.argument),))


@shape_line.register
def _(node: Row, blocks: StepBlocks) -> Math | None:
    return Call("row", (blocks.operand(node.argument),))


@shape_line.register
def _(node: Dot, blocks: StepBlocks) -> Math | None:
    return seq(blocks.operand(node.left), Sign("·"), blocks.operand(node.right))
