"""A question of understanding for each sheet: asked in words, answered in words, and not marked.

What the sheet works out decides which one: the first kind that finds its place in the steps. Its answer, on the key, is
computed from the numbers of the sheet.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from flint import arb
from sympy import Expr, MatAdd, MatMul, MatrixExpr, OneMatrix, S, Symbol, preorder_traversal

from symattn.base.printed import shortest
from symattn.claims.by_hand import BITS
from symattn.claims.mistakes.building import matrices, matrix_size
from symattn.claims.mistakes.gradients import operation_name
from symattn.claims.mistakes.layers import bias_of
from symattn.claims.mistakes.products import two_rows
from symattn.claims.mistakes.scores import is_root, scale
from symattn.claims.mistakes.softmax import weights_and_values
from symattn.claims.mistakes.subject import Subject
from symattn.claims.mistakes.updates import update
from symattn.course.model import worked
from symattn.course.sheet.paper import Paper
from symattn.operations import Broadcast, Exp, LayerNorm, Log, ReLU, RMSNorm, Rotary, Softmax
from symattn.operations.terms import size_symbol
from symattn.read.plan import Step
from symattn.show.blocks import Argument, Phrase
from symattn.show.math import Chain, Letter, Math, Number, Script
from symattn.show.notation.formulas import formula, number

SHIFT, MORE = 5, 10
"""What is added to every score, and to every entry of a row, in questions about what would happen then."""

ToldWords = dict[str, Argument]
AskedInWords = tuple[str, ToldWords, ToldWords]
"""The name of a kind of question, what it tells, and what its answer tells besides. The row of a single row is 0."""


def understanding(paper: Paper) -> tuple[Phrase, Phrase]:
    """Return the question of a sheet and its answer."""
    kind, asked, answered = next(_found(paper))
    question, answer = (
        Phrase(f"sheet_ask_{kind}", (*asked.items(),)),
        Phrase(f"sheet_solve_{kind}", (*asked.items(), *answered.items())),
    )
    return Phrase("sheet_in_words", (("question", question),)), Phrase("sheet_answer_in_words", (("answer", answer),))


def _found(paper: Paper) -> Iterator[AskedInWords]:
    kinds = {part.kind for part in paper.exercise.parts}
    if "number" in kinds:
        yield from _doubled(paper)
    elif "shape" in kinds:
        yield from _inner_size(paper)
    elif "order" not in kinds:  # where nothing is worked out
        asked = [part.name for part in paper.exercise.parts if part.name in paper.plan.by_name]
        behind = paper.plan.behind(asked or [step.name for step in paper.worked])
        steps = [step for step in reversed(paper.worked) if step.name in behind and not step.general]
        for look in LOOKS:
            for step in steps:
                yield from look(_StepView(paper, step))
    yield from _depends(paper)


class _StepView:
    """A step of a sheet with its formula, and the numbers of matrices."""

    def __init__(self, paper: Paper, step: Step) -> None:
        self.paper, self.name, self.solution = paper, step.name, paper.solution
        self.node: MatrixExpr = self.solution.formula(step.name)
        self.written: MatrixExpr = paper.plan[step.name].formula  # with letters for sizes
        self.subject: Subject = worked(paper.exercise).subject

    @property
    def math(self) -> Math:
        return self.paper.names(self.name)

    def of(self, node: MatrixExpr) -> Math:
        """Return a formula as the sheet writes it."""
        return formula(node, self.paper.names)

    def values(self, node: MatrixExpr) -> list[list[arb]]:
        return self.solution.enclosure(self.solution.part(node), BITS).tolist()

    @property
    def own(self) -> list[list[arb]]:
        return self.solution.enclosure(self.name, BITS).tolist()

    def figure(self, node: MatrixExpr | str, row: int, column: int) -> Number:
        name = node if isinstance(node, str) else self.solution.part(node)
        return Number(self.solution.figures(name, self.solution.style.places(name))[row][column].text)

    def inner(self, *kinds: type) -> Iterator[MatrixExpr]:
        """Yield the nodes of some kinds in the formula."""
        yield from (node for node in preorder_traversal(self.node) if isinstance(node, kinds))


def _largest(row: list[arb]) -> int:
    return max(range(len(row)), key=lambda j: float(row[j].mid()))


# -- attention ---------------------------------------------------------------------------------------------------------


def _hidden(it: _StepView) -> Iterator[AskedInWords]:
    for node in it.inner(Softmax):
        for i, row in enumerate(it.values(node.argument)):
            for j, score in enumerate(row):
                if not score.is_finite():
                    told: ToldWords = {
                        "row": i + 1,
                        "column": j + 1,
                        "hidden": number(S.NegativeInfinity),
                        "zero": Number("0"),
                    }
                    yield "hidden", {"name": it.math}, told
                    return


def _shifted(it: _StepView) -> Iterator[AskedInWords]:
    if isinstance(it.node, Softmax) and it.subject.is_given(it.node.argument) and len(it.own) == 1:
        asked: ToldWords = {"name": it.math, "scores": it.of(it.written.argument), "shift": SHIFT}
        yield "shift", asked, {"factor": Script(Letter("e"), sup=Number(str(SHIFT)))}


def _most(it: _StepView) -> Iterator[AskedInWords]:
    if isinstance(it.node, Softmax) and len(it.own[0]) > 1:
        last = len(it.own) - 1
        column = _largest(it.own[last])
        label = _label(it, column)
        weight, score = it.figure(it.name, last, column), it.figure(it.node.argument, last, column)
        told: ToldWords = {"column": column + 1, "label": label, "weight": weight, "score": score}
        yield "most", {"name": it.math, "row": last and last + 1}, told


def _label(it: _StepView, column: int) -> str:
    """Return the label of a column, or ""."""
    labels = it.paper.scenario.labels.get(it.paper.plan[it.name].shape.columns.name, ())
    return labels[column] if column < len(labels) else ""


def _mixture(it: _StepView) -> Iterator[AskedInWords]:
    found = weights_and_values(it.subject, it.written)
    if found is not None and it.subject.is_given(found[0][0]):
        weights = it.values(found[0][0])
        last = len(weights) - 1
        shares = [x for x in weights[last] if x > 0]
        if len(shares) < 2 or not all(sum(row, arb(0)).contains(1) and min(row) >= 0 for row in weights):
            return  # a given matrix, but not one of weights
        column = _largest(weights[last])
        asked: ToldWords = {"name": it.math, "row": last and last + 1, "values": it.of(found[1])}
        yield "mixture", asked, {"best": column + 1, "weight": it.figure(found[0][0], last, column)}


def _scaled(it: _StepView) -> Iterator[AskedInWords]:
    if (found := scale(it.written)) is not None and is_root(found[1]):
        yield "scale", {"scores": it.of(found[0])}, {}


def _turned(it: _StepView) -> Iterator[AskedInWords]:
    if isinstance(it.node, Rotary):
        before, after = (
            Number(sum((x * x for x in rows[0]), arb(0)).sqrt().mid().str(4, radius=False))
            for rows in (it.values(it.node.argument), it.own)
        )
        yield "turned", {"name": it.math, "of": it.of(it.written.argument)}, {"before": before, "after": after}


def _rescaled(it: _StepView) -> Iterator[AskedInWords]:
    for node in it.inner(Exp):
        if matrix_size(node) == (1, 1) and isinstance(node.argument, MatAdd):
            yield "rescaled", {}, {"factor": Chain(it.of(node), (("≈", it.figure(node, 0, 0)),))}
            return


def _sign(it: _StepView) -> Iterator[AskedInWords]:
    if two_rows(it.subject, it.node) is not None:
        value = it.own[0][0]
        sign = int(value > 0) - int(value < 0)
        yield "sign", {"name": it.math}, {"value": it.figure(it.name, 0, 0), "sign": sign}


# -- layers ------------------------------------------------------------------------------------------------------------


def _layer_norm(it: _StepView) -> Iterator[AskedInWords]:
    if isinstance(it.node, LayerNorm):
        yield "layer_norm", {"name": it.math, "of": it.of(it.written.argument), "more": MORE}, {}


def _rms_norm(it: _StepView) -> Iterator[AskedInWords]:
    if isinstance(it.node, RMSNorm):
        asked: ToldWords = {"name": it.math, "of": it.of(it.written.argument)}
        yield "rms_norm", asked, {"exact": int(it.node.epsilon.is_zero is True)}


def _relu(it: _StepView) -> Iterator[AskedInWords]:
    if isinstance(it.node, ReLU):
        count = sum(bool(x < 0) for row in it.values(it.node.argument) for x in row)
        yield "relu", {"name": it.math}, {"count": count, "all": sum(map(len, it.own))}


def _bias(it: _StepView) -> Iterator[AskedInWords]:
    if (found := bias_of(it.subject, it.written)) is not None:
        bias = it.subject.meaning(found[1])
        row = bias.argument if isinstance(bias, Broadcast) else bias
        yield "bias", {"name": it.math, "bias": it.of(row)}, {"rows": len(it.own)}


def _loss(it: _StepView) -> Iterator[AskedInWords]:
    found = next(it.inner(Log), None)
    if found is not None and len(it.own) > 1 == len(it.own[0]) and matrix_size(found) == matrix_size(it.node):
        row = _largest([line[0] for line in it.own])
        figures = {"loss": it.figure(it.name, row, 0), "probability": it.figure(found.argument, row, 0)}
        yield "loss", {"name": it.math}, {"row": row + 1, **figures}


# -- gradients and steps -----------------------------------------------------------------------------------------------


def _zero_rows(it: _StepView) -> Iterator[AskedInWords]:
    """What goes back through a softmax: rows that sum to 0."""
    uses = [it.paper.plan[name].formula for name in it.paper.plan[it.name].uses]
    if not any(isinstance(used, Softmax) for used in uses) or isinstance(it.node, MatMul) or len(it.own[0]) == 1:
        return
    if all(sum(row, arb(0)).contains(0) for row in it.own):
        yield "zero_rows", {"name": it.math}, {}


def _gate(it: _StepView) -> Iterator[AskedInWords]:
    for node in preorder_traversal(it.node):
        if operation_name(node) == "relu_grad_X":
            count = sum(bool(x < 0) for row in it.values(node.args[1]) for x in row)
            yield "gate", {"name": it.math}, {"of": it.of(node.args[1]), "count": count}
            return


def _moved(it: _StepView) -> Iterator[AskedInWords]:
    if (found := update(it.subject, it.written)) is None:
        return
    before = it.values(found[0])
    for i, row in enumerate(it.own):
        for j, after in enumerate(row):
            if before[i][j] > after or before[i][j] < after:
                figures: ToldWords = {"before": it.figure(found[0], i, j), "after": it.figure(it.name, i, j)}
                asked: ToldWords = {"name": it.of(found[0]), "row": i + 1, "column": j + 1}
                yield "moved", asked, {**figures, "up": int(after > before[i][j])}
                return


def _summed(it: _StepView) -> Iterator[AskedInWords]:
    pair = matrices(it.node)
    is_sum = len(pair) == 2 and isinstance(pair[0], OneMatrix) and 1 == len(it.own) < matrix_size(pair[0])[1]
    if is_sum and it.subject.comes_from_gradients(it.node):
        yield "summed", {"name": it.math}, {"rows": matrix_size(pair[0])[1]}


def _product(it: _StepView) -> Iterator[AskedInWords]:
    pair = matrices(it.written)
    if len(pair) == 2 and not any(isinstance(factor, OneMatrix) for factor in pair):
        asked: ToldWords = {"name": it.math, "row": len(it.own), "column": len(it.own[0])}
        told: ToldWords = {"left": it.of(pair[0]), "right": it.of(pair[1]), "count": len(it.values(pair[1]))}
        yield "product", asked, told


LOOKS: tuple[Callable[[_StepView], Iterator[AskedInWords]], ...] = (
    *(_moved, _zero_rows, _gate, _summed, _loss, _rescaled, _hidden, _shifted, _most, _turned, _layer_norm, _rms_norm),
    *(_relu, _bias, _mixture, _scaled, _sign, _product),
)


# -- without numbers ---------------------------------------------------------------------------------------------------


def _doubled(paper: Paper) -> Iterator[AskedInWords]:
    """A count after one of its sizes has been doubled."""
    quantities, sizes = paper.scenario.quantities, paper.plan.sizes
    name = [part.name for part in paper.exercise.parts if part.kind == "number"][-1]
    value: Expr = quantities[name].value
    while unknown := {q.symbol: q.value for q in quantities.values() if q.symbol in value.free_symbols}:
        value = value.xreplace(unknown)
    numbers = {size_symbol(letter): size for letter, size in sizes.items() if isinstance(size, int)}
    letters = [letter for letter in numbers if letter in value.free_symbols]
    if not letters or value.subs(numbers).free_symbols:
        return
    letter: Symbol = max(letters, key=lambda one: value.subs({**numbers, one: 2 * numbers[one]}))
    before, after = value.subs(numbers), value.subs({**numbers, letter: 2 * numbers[letter]})
    asked: ToldWords = {"name": paper.names(name), "size": paper.names(str(letter))}
    factor = Number(shortest(f"{float(after / before):.2f}"))
    yield "doubled", asked, {"factor": factor, "before": Number(str(before)), "after": Number(str(after))}


def _inner_size(paper: Paper) -> Iterator[AskedInWords]:
    for part in paper.exercise.parts:
        step = paper.plan.by_name.get(part.name)
        for node in () if step is None else preorder_traversal(step.formula):
            pair = matrices(node) if isinstance(node, MatMul) else ()
            if len(pair) > 1 and all(size.is_Integer for factor in pair for size in factor.shape):
                left, right = (formula(one, paper.names) for one in pair[-2:])
                told: ToldWords = {"left": left, "right": right, "size": matrix_size(pair[-1])[0]}
                yield "inner_size", {"name": paper.names(part.name)}, told
                return


def _depends(paper: Paper) -> Iterator[AskedInWords]:
    """The givens behind the last step that is asked for."""
    asked = [part.name for part in paper.exercise.parts if part.name in paper.plan.by_name]
    last = (asked or [paper.plan.steps[-1].name])[-1]
    behind = paper.plan.behind([last])
    givens = tuple(paper.names(step.name) for step in paper.plan.steps if step.is_given and step.name in behind)
    yield "depends", {"name": paper.names(last)}, {"givens": givens}
