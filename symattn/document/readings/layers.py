"""What the values of layers show, each sentence backed by a proof: which entries are chosen, what padding hides."""

from __future__ import annotations

from collections.abc import Callable

from sympy import Basic, Expr, MatAdd, MatMul, MatrixExpr, MatrixSymbol, OneMatrix

from symattn import operations as ops
from symattn.document.blocks import Argument, Phrase
from symattn.document.forms.window import places
from symattn.document.notation.formulas import Names, number
from symattn.operations.stages import same_as_ours
from symattn.shapes import whole_sizes
from symattn.solution import Solution
from symattn.solution.proofs import known_signs
from symattn.values.certify import START_BITS
from symattn.values.number import at_precision, number_ball

Labels = tuple[str, ...]


def layer_readings(
    solution: Solution, name: str, names: Names, rows: Labels, columns: Labels, most: int
) -> list[Phrase]:
    """The readings of one step whose formula is a node of a layer; none for any other."""
    node = same_as_ours(solution.step(name).formula)
    match node:
        case ops.PaddingMask():
            return _padding(solution, name, columns, most)
        case ops.TopK():
            return by_rows(solution, name, most, lambda i: _taken(solution, name, i, rows, columns))
        case ops.ArgMax():
            over = _labels(solution, names, node.argument)
            return by_rows(solution, name, most, lambda i: _largest(solution, name, i, rows, over))
        case ops.Log():
            return _logarithms(solution, name)
        case ops.RMSNorm() if node.gamma is None:
            return _root_mean_square(solution, name)
        case ops.Rotary():
            start = same_as_ours(solution.formula(name)).start
            still = [i + 1 for i in range(solution.rows(name)) if (start + i).is_zero]
            return [reading("rotated", still=still[0] if still else 0)]
        case _:
            return []


def reading(key: str, **arguments: Argument) -> Phrase:
    return Phrase(key, tuple(arguments.items()), "reading")


def by_rows(solution: Solution, name: str, most: int, read: Callable[[int], Phrase]) -> list[Phrase]:
    """A reading for every row that the matrix shows, and a word about those it leaves out."""
    found: list[Phrase] = []
    shown = places(solution.rows(name), most)
    for k, i in enumerate(shown):
        if i is None:
            found.append(reading("rows_left_out", first=(shown[k - 1] or 0) + 2, last=shown[k + 1] or 0))
        else:
            found.append(read(i))
    return found


def column_of(j: int, labels: Labels) -> Argument:
    """A column by its label, or by its number where it has none of its own, as the second “the” of a sentence."""
    return labels[j] if j < len(labels) and labels.count(labels[j]) == 1 else j + 1


def labelled(i: int, rows: Labels) -> dict[str, Argument]:
    """A row by its number and its label."""
    return {"row": i + 1, "label": rows[i] if i < len(rows) else ""}


def _padding(solution: Solution, name: str, columns: Labels, most: int) -> list[Phrase]:
    """How much of the mask is visible, and which columns nobody sees."""
    mask = same_as_ours(solution.formula(name))
    rows, keys = solution.rows(name), solution.columns(name)
    hidden = range(int(mask.length), keys)
    found = [reading("mask_keeps", kept=int(mask.kept), total=rows * keys)]
    if hidden:
        shown = tuple(column_of(j, columns) for j in hidden[:most])
        found.append(reading("nobody_sees", columns=shown, more=len(hidden) - len(shown)))
    return found


def _taken(solution: Solution, name: str, i: int, rows: Labels, columns: Labels) -> Phrase:
    """Which entries of a row are among the largest; where equal ones are on both sides of the line, that too."""
    node = same_as_ours(solution.formula(name))
    groups = [group.columns for group in solution.groups(solution.part(node.argument), i)]
    order = [j for group in groups for j in group]
    taken = order[: node.count]
    # Of what is cut here the entries tie: that nothing hangs on an order that is not known is proved with the choice.
    split = next((group for group in groups if 0 < sum(j in taken for j in group) < len(group)), ())
    return reading(
        "taken",
        **labelled(i, rows),
        taken=tuple(column_of(j, columns) for j in taken),
        tied=tuple(column_of(j, columns) for j in split),
        first=tuple(column_of(j, columns) for j in split if j in taken),
    )


def _largest(solution: Solution, name: str, i: int, rows: Labels, over: Labels) -> Phrase:
    """Which column a row chooses, and what ties with it."""
    group = solution.groups(solution.part(same_as_ours(solution.formula(name)).argument), i, around=1)[0].columns
    return reading(
        "chosen",
        **labelled(i, rows),
        id=group[0],
        column=column_of(group[0], over),
        tied=tuple(column_of(j, over) for j in group[1:]),
    )


def _labels(solution: Solution, names: Names, node: Basic) -> Labels:
    """The labels of the columns of a formula, as far as its names tell."""
    match node:
        case MatrixSymbol():
            return names.labels.get(solution.shape(str(node.name)).columns.name, ())
        case ops.Softmax() | ops.Proportions() | ops.Quotient() | ops.Keep() | ops.Hadamard() | MatAdd():
            return _labels(solution, names, node.args[0])
        case MatMul():
            return _labels(solution, names, node.args[-1])
        case _:
            return ()


def _logarithms(solution: Solution, name: str) -> list[Phrase]:
    """That logarithms of numbers up to 1, such as probabilities, are not positive."""
    argument = same_as_ours(solution.formula(name)).argument
    minus_one = MatMul(-1, OneMatrix(*argument.shape), evaluate=False)
    signs = known_signs(solution, MatAdd(argument, minus_one, evaluate=False))
    flat = [sign for row in signs for sign in row]
    return [reading("logarithms", ones=flat.count(0))] if set(flat) <= {-1, 0} else []


def _root_mean_square(solution: Solution, name: str) -> list[Phrase]:
    """That rows now have the root mean square 1, or less by what ε adds; a row of zeros stays one."""
    node = same_as_ours(solution.formula(name))
    if any(sign != 1 for (sign,) in known_signs(solution, ops.RowNorm(node.argument))):
        return []
    return [_scaled(solution, "root_mean_square", node.epsilon, node.argument)]


def normalised(solution: Solution, name: str) -> Phrase:
    """That rows now have mean 0 and variance 1, or less by what ε adds: a constant row has variance 0."""
    node = same_as_ours(solution.formula(name))
    width = node.shape[1]
    mean = MatMul(1 / width, node.argument, OneMatrix(width, width), evaluate=False)
    centred = MatAdd(node.argument, MatMul(-1, mean, evaluate=False), evaluate=False)
    return _scaled(solution, "normalised_rows", node.epsilon, centred)


def _scaled(solution: Solution, key: str, epsilon: Expr, rows: MatrixExpr) -> Phrase:
    """What scaled rows show, and whether ε hardly matters: the mean square of every row is proved to be more than a
    hundred times ε."""
    with at_precision(START_BITS):
        least = 100 * number_ball(epsilon.doit()) * whole_sizes(rows)[1]
        hardly = all(x * x > least for x in solution.evaluate_ball(ops.RowNorm(rows), START_BITS).entries())
    return reading(key, epsilon=number(epsilon), zero=int(epsilon == 0), hardly=int(hardly))
