"""What the values of a step show, each sentence backed by a proof: who attends to whom, what ties, what is cut off."""

from __future__ import annotations

from sympy import Basic, Integer, MatAdd, MatMul, MatrixSymbol, Rational, S, Transpose, log

from symattn import operations as ops
from symattn.document.blocks import Argument, Phrase
from symattn.document.layer_readings import layer_readings
from symattn.document.letters import Letters
from symattn.document.math import Number
from symattn.document.notation import Names, number
from symattn.document.row_working import length_of_all
from symattn.document.window import places
from symattn.document.working import Work
from symattn.given import Given
from symattn.solution import Solution
from symattn.values.number import number_ball
from symattn.values.rounding import read_figure

MOST_ROWS = 8
"""Rows of a large matrix that are read one by one."""

Labels = tuple[str, ...]


def readings(
    solution: Solution, name: str, names: Names, rows: Labels, columns: Labels, most: int = MOST_ROWS
) -> tuple[Phrase, ...]:
    """The readings of one step; of more than ``most`` rows only those are read that the matrix shows."""
    node = solution.step(name).formula
    if node is None:
        return ()
    found: list[Phrase] = []
    match node:
        case ops.Softmax():
            found += _softmax(solution, name, node, rows, columns, most)
        case ops.Row() if isinstance(node.argument, MatrixSymbol):
            source = solution.step(str(node.argument.name)).formula
            if isinstance(source, ops.Softmax):
                found += [_attends(solution, name, 0, node.number, rows_of(names, node, rows), columns)]
        case ops.ReLU():
            signs = solution.signs(solution.formula(name).argument, f"step {name}, the input of relu")
            cut = sum(sign < 0 for row in signs for sign in row)
            found.append(_reading("relu_cut", cut=cut, total=len(signs) * len(signs[0])))
        case ops.LayerNorm() if node.gamma is None:
            found.append(_reading("normalised_rows", epsilon=number(node.epsilon), zero=int(node.epsilon == 0)))
        case MatAdd():
            if masked := masked_entries(solution, node):
                found.append(_reading("masked_scores", count=len(masked)))
        case MatMul() | ops.Dot() if _is_gram(node):
            found.append(_reading("symmetric"))
        case ops.CausalMask() | ops.WindowMask():
            mask = solution.formula(name)
            found.append(_reading("mask_keeps", kept=int(mask.kept), total=int(mask.shape[0]) ** 2))
        case ops.Proportions():
            found += _sums(solution, name, most)
        case ops.Keep():
            found.append(kept(solution, name))
        case ops.UnitRows():
            found.append(_reading("unit_rows", count=solution.rows(name)))
        case ops.Entropy():
            found += _entropy(solution, name, node, rows)
        case ops.ClipNorm():
            found.append(_clipped(solution, name, names))
        case _:
            found += layer_readings(solution, name, names, rows, columns, most)
    return (*found, *_same_as_operand(solution, name, node, names))


def rows_of(names: Names, node: ops.Row, rows: Labels) -> Labels:
    """The labels of the rows that a single row was taken from."""
    inner = node.argument
    return names.row_labels(str(inner.name)) if isinstance(inner, MatrixSymbol) else rows


def kept(solution: Solution, name: str) -> Phrase:
    """How many entries a mask lets through."""
    hidden = [hides for row in solution.hides(solution.formula(name).mask) for hides in row]
    return _reading("kept", count=hidden.count(False), total=len(hidden))


def _reading(key: str, **arguments: Argument) -> Phrase:
    return Phrase(key, tuple(arguments.items()), "reading")


def _softmax(
    solution: Solution, name: str, node: ops.Softmax, rows: Labels, columns: Labels, most: int
) -> list[Phrase]:
    height = solution.rows(name)
    found: list[Phrase] = []
    if height == 1 and columns:
        found.append(_ranking(solution, name, columns))
    else:
        shown = places(height, most)
        for k, i in enumerate(shown):
            if i is None:
                found.append(_reading("rows_left_out", first=(shown[k - 1] or 0) + 2, last=shown[k + 1] or 0))
            else:
                found.append(_attends(solution, name, i, i + 1, rows, columns))
    if masked := masked_entries(solution, node.argument):
        i, j, exactly_zero = masked[0]
        weight = solution.figures(name)[i][j]
        found.append(_reading("masked_away", count=len(masked), weight=Number(weight.text), exactly=int(exactly_zero)))
    return [*found, *_sums(solution, name, most)]


def _sums(solution: Solution, name: str, most: int) -> list[Phrase]:
    """That rows sum to 1, and where their printed figures do not."""
    found = [_reading("rows_sum_to_one", count=solution.rows(name))]
    if solution.columns(name) > 1 and (sums := _printed_sums(solution, name, most)):
        found.append(_reading("printed_sums", rows=tuple((row + 1, Number(total)) for row, total in sums)))
    return found


def _entropy(solution: Solution, name: str, node: ops.Entropy, rows: Labels) -> list[Phrase]:
    """What the largest entropy would be, and which rows come closest to it and stay farthest from it."""
    width = int(solution.formula(name).argument.shape[1])
    largest = log(Integer(width))
    (figure,) = solution.numbers(1, lambda bits: [number_ball(largest)], "the largest entropy", lambda _: largest)
    found = [_reading("entropy_range", count=width, most=Number(figure.text), exactly=int(figure.exact))]
    if solution.rows(name) > 1:
        whole = MatrixSymbol(name, *(Integer(length) for length in solution.shape(name).sizes))
        groups = solution.ranking(solution.part(Transpose(whole)), 0)
        if len(groups) > 1:
            ends = (tuple(_column(i, rows) for i in group) for group in (groups[0], groups[-1]))
            found.append(_reading("entropy_rows", **dict(zip(("most", "least"), ends, strict=True))))
    return found


def _clipped(solution: Solution, name: str, names: Names) -> Phrase:
    node = solution.formula(name)
    letters = Letters.choose(names, [name], {name: solution.shape(name)})
    size = length_of_all(Work(solution, letters, name), node)
    return _reading(
        "clipped",
        length=Number(size.text),
        threshold=number(node.threshold),
        shortened=int(solution.is_longer(node.argument, node.threshold)),
        exactly=int(size.exact),
    )


def _attends(solution: Solution, name: str, i: int, shown_row: int, rows: Labels, columns: Labels) -> Phrase:
    """Which columns row i gives most weight to, and whether that is more than half."""
    groups = solution.ranking(name, i)
    width = solution.columns(name)
    top = groups[0]
    ties = [group for group in groups[1:] if len(group) > 1 and not _masked_group(solution, name, i, group)]
    half = solution.compare(name, i * width + top[0], Rational(1, 2)) if len(top) == 1 else -1
    said: dict[str, Argument] = {
        "row": shown_row,
        "label": rows[shown_row - 1] if shown_row <= len(rows) else "",
        "top": tuple(_column(j, columns) for j in top),
        "weight": Number(solution.figures(name)[i][top[0]].text),
        "half": int(half > 0),
        "ties": tuple(tuple(_column(j, columns) for j in group) for group in ties),
    }
    if columns and not _are_weights(solution, name):
        return _reading("largest_share", **said)
    return _reading("attends", **said, alone=int(width == 1))


def _are_weights(solution: Solution, step: str) -> bool:
    """Whether rows attend to columns: both are the same tokens, or other rows are mixed with these numbers.

    Probabilities of the next token are no attention, and a word of the vocabulary is no token beside it.
    """
    node = solution.step(step).formula
    name = str(node.argument.name) if isinstance(node, ops.Row) else step
    shape = solution.shape(name)
    if not shape.columns.name or shape.columns.name == shape.rows.name:
        return True
    products = (
        node for step in solution.derivation.steps if step.formula is not None for node in step.formula.find(MatMul)
    )
    return any(
        isinstance(factor, MatrixSymbol) and factor.name == name for node in products for factor in node.args[:-1]
    )


def _masked_group(solution: Solution, name: str, i: int, group: tuple[int, ...]) -> bool:
    node = solution.step(name).formula
    if not isinstance(node, ops.Softmax):
        return False
    hidden = {j for row, j, _ in masked_entries(solution, node.argument) if row == i}
    return any(j in hidden for j in group)


def _column(j: int, columns: Labels) -> Argument:
    return columns[j] if j < len(columns) else j + 1


def _ranking(solution: Solution, name: str, columns: Labels) -> Phrase:
    figures = solution.figures(name)[0]
    places = tuple(
        (tuple(columns[j] for j in group), Number(figures[group[0]].text)) for group in solution.ranking(name, 0)
    )
    return _reading("ranking", places=places)


def _printed_sums(solution: Solution, name: str, most: int) -> list[tuple[int, str]]:
    """Rows whose printed figures do not add up to 1, and what they add up to."""
    found: list[tuple[int, str]] = []
    figures = solution.figures(name)
    for i, row in ((i, figures[i]) for i in places(len(figures), most) if i is not None):
        parsed = [read_figure(figure.text) for figure in row]
        numbers = [value for value in parsed if value is not None]
        total = sum((value for value, _ in numbers), start=numbers[0][0] * 0) if numbers else None
        if total is not None and total != 1 and len(numbers) == len(row):
            from symattn.values.rounding import decimal_text

            digits = max(shown for _, shown in numbers)
            found.append((i, decimal_text(int(total * 10**digits), digits)))
    return found


_MASK = ops.CausalMask | ops.WindowMask | ops.PaddingMask


def masked_entries(solution: Solution, node: Basic) -> list[tuple[int, int, bool]]:
    """Entries that a mask hides: row, column, and whether the mask there is −∞. Found in sums, through names."""
    match node:
        case _ if isinstance(node, _MASK):
            rows, columns = map(int, node.shape)
            infinite = node.value is S.NegativeInfinity
            return [(i, j, infinite) for i in range(rows) for j in range(columns) if node.hides(i, j)]
        case MatAdd():
            return list(dict.fromkeys(entry for arg in node.args for entry in masked_entries(solution, arg)))
        case ops.Quotient() if solution.number(node.divisor).is_positive:
            # A temperature leaves −∞ what it is; of a large number it is not known what is left.
            return [entry for entry in masked_entries(solution, node.argument) if entry[2]]
        case MatrixSymbol():
            given = solution.givens.get(node.name)
            if given is not None:
                return _masked_given(given)
            inner = solution.step(str(node.name)).formula
            return masked_entries(solution, inner) if isinstance(inner, MatAdd | ops.Quotient | _MASK) else []
        case _:
            return []


def _masked_given(given: Given) -> list[tuple[int, int, bool]]:
    """A given is a mask if it holds nothing but 0 and numbers that hide (−1000 and below, −∞)."""
    array, columns = given.array, given.shape[1]
    flat = given.entries if array is None else [S.NegativeInfinity if x is None else x for x in array.entries]
    if not all(value == 0 or value <= -1000 for value in flat):
        return []
    return [
        (index // columns, index % columns, value is S.NegativeInfinity)
        for index, value in enumerate(flat)
        if value != 0
    ]


def _is_gram(node: MatMul | ops.Dot) -> bool:
    if isinstance(node, ops.Dot):
        return bool(node.left == node.right and node.shape[0] != 1)
    return len(node.args) == 2 and isinstance(node.args[1], Transpose) and node.args[1].arg == node.args[0]


def _same_as_operand(solution: Solution, name: str, node: Basic, names: Names) -> list[Phrase]:
    """A product with the identity or a sum with zero gives its operand back: say so."""
    if not isinstance(node, MatMul | MatAdd | ops.Quotient):
        return []
    own = solution.rational(name)
    for operand in solution.step(name).uses:
        if (
            own is not None
            and solution.shape(operand).sizes == solution.shape(name).sizes
            and solution.rational(operand) == own
        ):
            return [_reading("equals_operand", result=names(name), operand=names(operand))]
    return []


__all__ = ["masked_entries", "readings"]
