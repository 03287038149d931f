"""Questions of understanding about a step: asked in words, answered in words, with the numbers of the step.

Each kind looks for a step in which it has something to ask, and its answer is computed. Sheets take the first kind that
they find, sections of a lesson one that the page has not asked yet.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from flint import arb
from sympy import MatAdd, MatMul, MatrixExpr, MatrixSymbol, OneMatrix, S, preorder_traversal

from symattn.base.printed import Figure
from symattn.base.remembered import cached_property
from symattn.base.shapes import Axis
from symattn.claims.by_hand import BITS
from symattn.claims.mistakes.building import matrices, matrix_size
from symattn.claims.mistakes.gradients import operation_name
from symattn.claims.mistakes.layers import bias_of
from symattn.claims.mistakes.products import two_rows
from symattn.claims.mistakes.scores import scaled_scores
from symattn.claims.mistakes.softmax import weights_and_values
from symattn.claims.mistakes.subject import Subject
from symattn.claims.mistakes.updates import update
from symattn.compute.solution import proofs
from symattn.compute.solution.proofs import known_signs
from symattn.compute.solution.store import Store
from symattn.operations import Broadcast, Exp, Hadamard, LayerNorm, Log, ReLU, RMSNorm, Rotary, Softmax
from symattn.read.plan import names_in
from symattn.show.blocks import Argument, Phrase
from symattn.show.math import Chain, Letter, Math, Number, Script
from symattn.show.notation.formulas import Names, formula, number

SHIFT, MORE = 5, 10
"""What is added to every score, and to every entry of a row, in questions about what would happen then."""

SMALL_EPSILON = 100
"""An ε is small if the mean of the squares is more than so many times as large: the norm changes by half a percent."""

ToldWords = Mapping[str, Argument]
AskedInWords = tuple[ToldWords, ToldWords]
"""What a question tells, and what its answer tells besides. The row of a single row is 0."""


def asked_in_words(kind: str, asked: ToldWords, answered: ToldWords) -> tuple[Phrase, Phrase]:
    """Return a question of a kind, and its answer."""
    return Phrase(f"ask_{kind}", (*asked.items(),)), Phrase(f"answer_{kind}", (*asked.items(), *answered.items()))


@dataclass(frozen=True)
class StepView:
    """A step with its formula and its numbers, and the names of its page. In the subject, operations are ours."""

    solution: Store
    subject: Subject
    names: Names
    name: str

    @cached_property
    def written(self) -> MatrixExpr:
        """The formula, with letters for sizes."""
        made = self.subject.plan[self.name].formula
        assert made is not None, "a step has a formula"
        return made

    @cached_property
    def node(self) -> MatrixExpr:
        """The formula, with numbers for sizes."""
        return self.written.xreplace(dict(self.subject.sizes))

    @property
    def math(self) -> Math:
        return self.names(self.name)

    def of(self, node: MatrixExpr) -> Math:
        """Return a formula as the page writes it."""
        return formula(node, self.names)

    def values(self, node: MatrixExpr) -> list[list[arb]]:
        return self.solution.enclosure(self.solution.part(node), BITS).tolist()

    @cached_property
    def own(self) -> list[list[arb]]:
        return self.solution.enclosure(self.name, BITS).tolist()

    def printed(self, node: MatrixExpr | str, row: int, column: int) -> Figure:
        name = node if isinstance(node, str) else self.solution.part(node)
        return self.solution.figures(name, self.solution.style.places(name))[row][column]

    def figure(self, node: MatrixExpr | str, row: int, column: int) -> Number:
        return Number(self.printed(node, row, column).text)

    def inner(self, *kinds: type) -> Iterator[MatrixExpr]:
        """Yield the nodes of some kinds in the formula."""
        yield from (node for node in preorder_traversal(self.node) if isinstance(node, kinds))

    def largest(self, node: MatrixExpr | str, row: int) -> int | None:
        """Return the column of the largest entry of a row, if it is proved to be the only one."""
        name = node if isinstance(node, str) else self.solution.part(node)
        first, *_ = proofs.groups(self.solution, name, row, around=1)
        return first.columns[0] if first.open is None and len(first.columns) == 1 else None

    def label(self, axis: Axis, place: int) -> str:
        """Return the label of a row or column, or ""."""
        labels = self.names.labels.get(axis.name, ())
        return labels[place] if place < len(labels) else ""

    def negative(self, node: MatrixExpr) -> int | None:
        """Return how many entries are negative, if every sign is known and no entry is 0."""
        signs = [sign for row in known_signs(self.solution, node) for sign in row]
        return None if {None, 0} & {*signs} else signs.count(-1)


# -- attention ---------------------------------------------------------------------------------------------------------


def _hidden(it: StepView) -> Iterator[AskedInWords]:
    """Ask for the reason why hidden entries have a weight of exactly 0."""
    if not isinstance(it.node, Softmax):
        return
    for i, row in enumerate(it.values(it.node.argument)):
        for j, score in enumerate(row):
            if not score.is_finite():
                hidden: ToldWords = {"hidden": number(S.NegativeInfinity), "zero": Number("0")}
                yield {"name": it.math}, {"row": i + 1, "column": j + 1, **hidden}
                return


def _shift(it: StepView) -> Iterator[AskedInWords]:
    """Ask what a softmax would give for scores that are all larger by the same number."""
    if isinstance(it.node, Softmax) and isinstance(it.node.argument, MatrixSymbol):
        asked: ToldWords = {"name": it.math, "scores": it.of(it.written.argument), "shift": SHIFT}
        yield asked, {"factor": Script(Letter("e"), sup=Number(str(SHIFT)))}


def _most(it: StepView) -> Iterator[AskedInWords]:
    """Ask for the largest weight of a row, and for its score, which is worked out."""
    if isinstance(it.node, Softmax) and len(it.own[0]) > 1 and not it.subject.is_given(it.node.argument):
        last = len(it.own) - 1
        if (column := it.largest(it.name, last)) is not None:
            weight, score = it.figure(it.name, last, column), it.figure(it.node.argument, last, column)
            label = it.label(it.solution.shape(it.name).columns, column)
            told: ToldWords = {"column": column + 1, "label": label, "weight": weight, "score": score}
            yield {"name": it.math, "row": last and last + 1}, told


def _mixture(it: StepView) -> Iterator[AskedInWords]:
    """Ask which row of the values counts most in a mixture."""
    found = weights_and_values(it.subject, it.written)
    if found is None or not isinstance(weight := found[0][0], MatrixSymbol):
        return
    weights = it.values(weight)
    last = len(weights) - 1
    if sum(bool(x > 0) for x in weights[last]) < 2 or (column := it.largest(str(weight.name), last)) is None:
        return
    if all(sum(row, arb(0)).contains(1) and min(row) >= 0 for row in weights):  # a given matrix may be something else
        shape = it.solution.shape(str(weight.name))
        row: ToldWords = {"row": last and last + 1, "label": it.label(shape.rows, last)}
        best: ToldWords = {"best": column + 1, "token": it.label(shape.columns, column)}
        yield {"name": it.math, **row, "values": it.of(found[1])}, {**best, "weight": it.figure(weight, last, column)}


def _scale(it: StepView) -> Iterator[AskedInWords]:
    """Ask what a scale changes in scores, and what for."""
    found = None if it.subject.comes_from_gradients(it.written) else scaled_scores(it.subject, it.written)
    if found is not None and it.subject.scalar(found[1]) > 1 and len(it.own[0]) > 1:
        yield {"scores": it.of(found[0])}, {}


def _turned(it: StepView) -> Iterator[AskedInWords]:
    """Ask for the length of a row before and after a rotation."""
    if isinstance(it.node, Rotary):
        before, after = (
            Number(sum((x * x for x in rows[0]), arb(0)).sqrt().mid().str(4, radius=False))
            for rows in (it.values(it.node.argument), it.own)
        )
        yield {"name": it.math, "of": it.of(it.written.argument)}, {"before": before, "after": after}


def _rescaled(it: StepView) -> Iterator[AskedInWords]:
    """Ask for the correction of an online softmax."""
    for node in it.inner(Exp):
        if matrix_size(node) == (1, 1) and isinstance(node.argument, MatAdd):
            yield {}, {"factor": Chain(it.of(node), (("≈", it.figure(node, 0, 0)),))}
            return


def _angle(it: StepView) -> Iterator[AskedInWords]:
    """Ask what the sign of a dot product says; a multiple of it may have another sign, and 0 has no direction."""
    pair = two_rows(it.subject, it.written)
    if pair is None or not all(any(not x.contains(0) for x in it.values(row)[0]) for row in pair):
        return
    is_alone = not isinstance(it.written, MatMul) or len(it.written.args) == len(matrices(it.written))
    ((sign,),) = known_signs(it.solution, it.node)
    if sign is not None and is_alone:
        yield {"name": it.math}, {"value": it.figure(it.name, 0, 0), "sign": sign}


# -- layers ------------------------------------------------------------------------------------------------------------


def _layer_norm(it: StepView) -> Iterator[AskedInWords]:
    """Ask what a layer norm would give for a row that is larger by a number."""
    if isinstance(it.node, LayerNorm):
        yield {"name": it.math, "of": it.of(it.written.argument), "more": MORE}, {}


def _rms_norm(it: StepView) -> Iterator[AskedInWords]:
    """Ask what an RMS norm would give for entries twice as large."""
    if isinstance(it.node, RMSNorm):
        rows, epsilon = it.values(it.node.argument), arb(str(it.node.epsilon.evalf(20)))
        squares = [sum((x * x for x in row), arb(0)) / len(row) for row in rows]
        if all(square > SMALL_EPSILON * epsilon for square in squares):
            yield {"name": it.math, "of": it.of(it.written.argument)}, {"exact": int(it.node.epsilon.is_zero is True)}


def _relu(it: StepView) -> Iterator[AskedInWords]:
    """Ask how many entries a ReLU sets to 0."""
    if isinstance(it.node, ReLU) and (count := it.negative(it.node.argument)):
        yield {"of": it.of(it.written.argument), "total": sum(map(len, it.own))}, {"count": count}


def _bias(it: StepView) -> Iterator[AskedInWords]:
    """Ask what one entry of a bias changes."""
    if (found := bias_of(it.subject, it.written)) is None:
        return
    bias = it.subject.meaning(found[1])
    row = bias.argument if isinstance(bias, Broadcast) else bias
    if it.subject.is_given(row) and row.name not in it.subject.plan.behind(names_in(found[0])):
        yield {"name": it.math, "bias": it.of(row)}, {"rows": len(it.own)}


def _loss(it: StepView) -> Iterator[AskedInWords]:
    """Ask for the position with the largest loss."""
    found = next(it.inner(Log), None)
    if found is not None and len(it.own) > 1 == len(it.own[0]) and matrix_size(found) == matrix_size(it.node):
        row = max(range(len(it.own)), key=lambda i: float(it.own[i][0].mid()))
        figures = {"loss": it.figure(it.name, row, 0), "probability": it.figure(found.argument, row, 0)}
        yield {"name": it.math}, {"row": row + 1, **figures}


# -- gradients and steps -----------------------------------------------------------------------------------------------


def _zero_rows(it: StepView) -> Iterator[AskedInWords]:
    """Ask what the rows of what goes back through a softmax add up to."""
    plan = it.subject.plan
    softened = any(isinstance(plan[name].formula, Softmax) for name in plan[it.name].uses)
    if not softened or isinstance(it.node, MatMul) or len(it.own[0]) == 1 or it.name not in it.subject.gradients:
        return
    if all(sum(row, arb(0)).contains(0) for row in it.own):
        yield {"name": it.math}, {}


def _gate(it: StepView) -> Iterator[AskedInWords]:
    """Ask where nothing goes back through a ReLU, alone or as a factor of each entry."""
    gates = [it.written, *(it.written.args if isinstance(it.written, Hadamard) else ())]
    gate = next((each for each in gates if operation_name(each) == "relu_grad_X"), None)
    if gate is not None and (count := it.negative(gate.args[1].xreplace(dict(it.subject.sizes)))) is not None:
        yield {"name": it.math}, {"of": it.of(gate.args[1]), "count": count}


def _moved(it: StepView) -> Iterator[AskedInWords]:
    """Ask whether a weight grows or shrinks in a step of training."""
    if (found := update(it.subject, it.written)) is None:
        return
    before = it.values(found[0])
    for i, row in enumerate(it.own):
        for j, after in enumerate(row):
            old, new = it.printed(found[0], i, j), it.printed(it.name, i, j)
            if (before[i][j] > after or before[i][j] < after) and old.number != new.number:
                asked: ToldWords = {"name": it.of(found[0]), "row": i + 1, "column": j + 1}
                figures: ToldWords = {"before": Number(old.text), "after": Number(new.text)}
                yield asked, {**figures, "up": int(after > before[i][j])}
                return


def _summed(it: StepView) -> Iterator[AskedInWords]:
    """Ask why the rows of a gradient are added up."""
    pair = matrices(it.node)
    is_sum = len(pair) == 2 and isinstance(pair[0], OneMatrix) and 1 == len(it.own) < matrix_size(pair[0])[1]
    if is_sum and it.subject.comes_from_gradients(it.node):
        yield {"name": it.math}, {"rows": matrix_size(pair[0])[1]}


def _product(it: StepView) -> Iterator[AskedInWords]:
    """Ask what the last entry of a product is made from."""
    pair = matrices(it.written)
    if len(pair) == 2 and not any(isinstance(factor, OneMatrix) for factor in pair):
        asked: ToldWords = {"name": it.math, "row": len(it.own), "column": len(it.own[0])}
        told: ToldWords = {"left": it.of(pair[0]), "right": it.of(pair[1]), "count": len(it.values(pair[1]))}
        yield asked, told


def _inner_size(it: StepView) -> Iterator[AskedInWords]:
    """Ask which sizes agree and disappear in a product."""
    for node in preorder_traversal(it.written):
        pair = matrices(node) if isinstance(node, MatMul) else ()
        if len(pair) < 2 or any(isinstance(factor, OneMatrix) for factor in pair):
            continue
        size = it.subject.scalar(pair[-1].shape[0])
        if size.is_Integer:
            left, right = map(it.of, pair[-2:])
            yield {"name": it.math}, {"left": left, "right": right, "size": int(size)}
            return


Look = Callable[[StepView], Iterator[AskedInWords]]

LOOKS: Mapping[str, Look] = MappingProxyType(
    {
        look.__name__.removeprefix("_"): look
        for look in (
            *(_moved, _zero_rows, _gate, _summed, _loss, _rescaled, _hidden, _most, _shift, _turned, _layer_norm),
            *(_rms_norm, _relu, _bias, _mixture, _scale, _angle, _product, _inner_size),
        )
    }
)
"""The kinds by their names, the more special ones first."""
