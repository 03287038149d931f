"""What the values of a step show, each sentence backed by a proof: who attends to whom, what ties, what is cut off."""

from __future__ import annotations

from collections.abc import Mapping

from sympy import Basic, Integer, MatAdd, MatMul, MatrixSymbol, Rational, S, Transpose, log

from symattn import operations as ops
from symattn.document.blocks import Argument, Phrase
from symattn.document.entries.letters import Letters
from symattn.document.forms.window import places
from symattn.document.math import Number
from symattn.document.notation.formulas import Names, number
from symattn.document.readings.layers import by_rows, column_of, labelled, layer_readings, normalised, reading
from symattn.document.working.entry import Work
from symattn.document.working.own import length_of_all
from symattn.given import Given
from symattn.operations.masks import Mask
from symattn.operations.stages import same_as_ours
from symattn.shapes import whole_sizes
from symattn.solution import Solution
from symattn.solution.empty import let_through, row_labels
from symattn.solution.intervals import hides
from symattn.solution.proofs import is_longer, known_signs
from symattn.values.certify import START_BITS, unless_open
from symattn.values.number import at_precision, number_ball

MOST_ROWS = 8
"""Rows of a large matrix that are read one by one."""

Labels = tuple[str, ...]


def readings(
    solution: Solution, name: str, names: Names, rows: Labels, columns: Labels, most: int = MOST_ROWS
) -> tuple[Phrase, ...]:
    """The readings of one step; of more than ``most`` rows only those are read that the matrix shows."""
    node = same_as_ours(solution.step(name).formula)
    if node is None:
        return ()
    found: list[Phrase] = []
    match node:
        case ops.Softmax():
            found += _softmax(solution, name, node, rows, columns, most)
        case ops.Row() if isinstance(node.argument, MatrixSymbol):
            source = same_as_ours(solution.step(str(node.argument.name)).formula)
            if isinstance(source, ops.Softmax):
                found += [_attends(solution, name, 0, node.number, rows_of(names, node, rows), columns)]
        case ops.ReLU():
            signs = [
                sign for row in known_signs(solution, same_as_ours(solution.formula(name)).argument) for sign in row
            ]
            found.append(reading("relu_cut", cut=signs.count(-1), total=len(signs), open=signs.count(None)))
        case ops.LayerNorm() if node.gamma is None:
            found.append(normalised(solution, name))
        case MatAdd():
            if hidden := _hidden_scores(solution, name, node):
                found.append(reading("masked_scores", count=hidden))
        case MatMul() | ops.Dot() if _is_gram(node):
            found.append(reading("symmetric"))
        case ops.CausalMask() | ops.WindowMask():
            mask = same_as_ours(solution.formula(name))
            found.append(reading("mask_keeps", kept=int(mask.kept), total=whole_sizes(mask)[0] ** 2))
        case ops.Proportions():
            found += _sums(solution, name, most)
        case ops.Keep():
            found.append(kept(solution, name))
        case ops.UnitRows():
            found.append(reading("unit_rows", count=solution.rows(name)))
        case ops.Entropy():
            found += _entropy(solution, name, node, rows)
        case ops.ClipNorm():
            found += _clipped(solution, name, names)
        case _:
            found += layer_readings(solution, name, names, rows, columns, most)
    found += empty_inside(solution, name, whole=False)
    return (*found, *_same_as_operand(solution, name, node, names))


def rows_of(names: Names, node: ops.Row, rows: Labels) -> Labels:
    """The labels of the rows that a single row was taken from."""
    inner = node.argument
    return names.row_labels(str(inner.name)) if isinstance(inner, MatrixSymbol) else rows


def kept(solution: Solution, name: str) -> Phrase:
    """How many entries a mask lets through."""
    hidden = [hides for row in hides(solution, same_as_ours(solution.formula(name)).mask) for hides in row]
    return reading("kept", count=hidden.count(False), total=len(hidden))


def _softmax(
    solution: Solution, name: str, node: ops.Softmax, rows: Labels, columns: Labels, most: int
) -> list[Phrase]:
    if solution.rows(name) == 1 and columns and not _empty(solution, name):
        found = [_ranking(solution, name, columns)]
    else:
        found = by_rows(solution, name, most, lambda i: _attends(solution, name, i, i + 1, rows, columns))
    return [*found, *_masked_away(solution, name, node), *_sums(solution, name, most)]


def _masked_away(solution: Solution, name: str, node: ops.Softmax) -> list[Phrase]:
    """How many weights a mask makes 0, and how many it makes so small that they print as 0."""
    masked, figures = masked_entries(solution, node.argument), solution.figures(name)
    exactly = [figures[i][j].text for i, j, infinite in masked if infinite]
    nearly = [figures[i][j].text for i, j, infinite in masked if not infinite]
    # What a small number masks is only made smaller, and where nothing else is seen it is not even that.
    nearly = [text for text in nearly if not text.strip("0.")]
    return [
        reading("masked_away", count=len(texts), weight=Number(texts[0]), exactly=int(texts is exactly))
        for texts in (exactly, nearly)
        if texts
    ]


def _hidden_scores(solution: Solution, name: str, node: MatAdd) -> int:
    """How many scores a mask takes so far down that a softmax has no weight for them: e^−100, or none at all."""
    masked = masked_entries(solution, node)
    if all(infinite for _, _, infinite in masked):
        return len(masked)
    with at_precision(START_BITS):
        rows = solution.enclosure(name, START_BITS).tolist()
        return sum(infinite or any(rows[i][j] + 100 < x for x in rows[i]) for i, j, infinite in masked)


def _empty(solution: Solution, name: str) -> tuple[int, ...]:
    """The rows, counted from 0, of a softmax that see no key; those of a row of one are the row itself."""
    node = same_as_ours(solution.formula(name))
    if isinstance(node, ops.Row):
        return (0,) if node.number - 1 in _empty(solution, str(node.argument.name)) else ()
    return let_through(solution, node.argument) if isinstance(node, ops.Softmax) else ()


def empty_inside(solution: Solution, name: str, whole: bool = True) -> tuple[Phrase, ...]:
    """The rows that see no key in a softmax that is a part of a formula, or with ``whole`` the formula itself."""
    formula = same_as_ours(solution.formula(name))
    found: dict[Phrase, None] = {}
    for node in sorted(formula.atoms(ops.Softmax) - (set() if whole else {formula}), key=str):
        labels = row_labels(solution, node.argument)
        for i in let_through(solution, node.argument):
            found[reading("sees_no_key", **labelled(i, labels))] = None
    return tuple(found)


def rows_sum_to_one(solution: Solution, name: str) -> tuple[Phrase, ...]:
    """That the rows of shares sum to 1, except for those that see no key."""
    empty = _empty(solution, name)
    count = solution.rows(name) - len(empty)
    return (reading("rows_sum_to_one", count=count, others=int(bool(empty))),) if count else ()


def _sums(solution: Solution, name: str, most: int) -> list[Phrase]:
    """That rows sum to 1, and where their printed figures do not."""
    found = list(rows_sum_to_one(solution, name))
    if solution.columns(name) > 1 and (sums := _printed_sums(solution, name, most)):
        found.append(reading("printed_sums", rows=tuple((row + 1, Number(total)) for row, total in sums)))
    return found


def _entropy(solution: Solution, name: str, node: ops.Entropy, rows: Labels) -> list[Phrase]:
    """What the largest entropy would be, and which rows come closest to it and stay farthest from it."""
    width = int(same_as_ours(solution.formula(name)).argument.shape[1])
    largest = log(Integer(width))
    (figure,) = solution.numbers(lambda bits: [number_ball(largest)], ["the largest entropy"], lambda _: largest)
    found = [reading("entropy_range", count=width, most=Number(figure.text), exactly=int(figure.exact))]
    if solution.rows(name) > 1:
        whole = MatrixSymbol(name, *(Integer(length) for length in solution.shape(name).sizes))
        groups = solution.groups(solution.part(Transpose(whole)), 0)
        if len(groups) > 1 and not (groups[0].open or groups[-1].open):
            ends = (tuple(column_of(i, rows) for i in group.columns) for group in (groups[0], groups[-1]))
            found.append(reading("entropy_rows", **dict(zip(("most", "least"), ends, strict=True))))
    return found


def _clipped(solution: Solution, name: str, names: Names) -> list[Phrase]:
    node = same_as_ours(solution.formula(name))
    shortened = unless_open(lambda: is_longer(solution, node.argument, node.threshold))
    if shortened is None:
        return []
    letters = Letters.choose(names, [name], {name: solution.shape(name)})
    size = length_of_all(Work(solution, letters, name), node)
    said = reading(
        "clipped",
        length=Number(size.text),
        threshold=number(node.threshold),
        shortened=int(shortened),
        exactly=int(size.exact),
    )
    return [said]


def _attends(solution: Solution, name: str, i: int, shown_row: int, rows: Labels, columns: Labels) -> Phrase:
    """Which columns row i gives most weight to, and whether that is more than half.

    Where it is not known which of some is the largest, that is said; a half that is not settled is left out.
    """
    if i in _empty(solution, name):
        return reading("sees_no_key", **labelled(shown_row - 1, rows))
    largest, *others = solution.groups(name, i)
    width, top = solution.columns(name), largest.columns
    ties = [
        group.columns
        for group in others
        if len(group.columns) > 1 and not group.open and not _masked_group(solution, name, i, group.columns)
    ]
    half = len(top) == 1 and unless_open(lambda: solution.compare(name, i * width + top[0], Rational(1, 2))) == 1
    said: dict[str, Argument] = {
        **labelled(shown_row - 1, rows),
        "top": tuple(column_of(j, columns) for j in top),
        "weight": Number(solution.figures(name)[i][top[0]].text),
        "half": int(half),
        "open": int(largest.open is not None),
        "ties": tuple(tuple(column_of(j, columns) for j in group) for group in ties),
    }
    if columns and not _are_weights(solution, name):
        return reading("largest_share", **said)
    shape = solution.shape(_source(solution, name))
    itself = shape.rows.name == shape.columns.name and bool(columns) and top == (shown_row - 1,)
    return reading("attends", **said, itself=int(itself), alone=int(width == 1))


def _source(solution: Solution, step: str) -> str:
    """The matrix that a single row was taken from; any other step itself."""
    node = solution.step(step).formula
    return str(node.argument.name) if isinstance(node, ops.Row) else step


def _are_weights(solution: Solution, step: str) -> bool:
    """Whether rows attend to columns: both are the same tokens, or other rows are mixed with these numbers.

    Probabilities of the next token are no attention, and a word of the vocabulary is no token beside it.
    """
    name = _source(solution, step)
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


def _ranking(solution: Solution, name: str, columns: Labels) -> Phrase:
    figures = solution.figures(name)[0]
    places = tuple(
        (tuple(columns[j] for j in group.columns), Number(figures[group.columns[0]].text), int(group.open is not None))
        for group in solution.groups(name, 0)
    )
    return reading("ranking", places=places)


def _printed_sums(solution: Solution, name: str, most: int) -> list[tuple[int, str]]:
    """Rows whose printed figures do not add up to 1, and what they add up to."""
    found: list[tuple[int, str]] = []
    figures, empty = solution.figures(name), _empty(solution, name)
    for i, row in ((i, figures[i]) for i in places(len(figures), most) if i is not None and i not in empty):
        numbers = [figure.number for figure in row if figure.number is not None]
        total = sum(numbers, start=numbers[0] * 0) if numbers else None
        if total is not None and total != 1 and len(numbers) == len(row):
            from symattn.values.rounding import decimal_text

            digits = max(figure.places for figure in row)
            found.append((i, decimal_text(int(total * 10**digits), digits)))
    return found


_Hidden = list[tuple[int, int, bool]]


def masked_entries(solution: Solution, node: Basic) -> _Hidden:
    """Entries that a mask hides: row, column, and whether the mask there is −∞. Found in sums, through names."""
    known: dict[str, _Hidden] = {}
    for name in _summed_names(solution, node):
        given = solution.givens.get(name)
        known[name] = _hidden(solution, solution.step(name).formula, known) if given is None else _masked_given(given)
    return _hidden(solution, node, known)


def _summed_names(solution: Solution, node: Basic) -> list[str]:
    """The names that entries of a formula are sums of, through names; each stands after those that it rests on."""
    found: dict[str, None] = {}
    waiting = [node]
    while waiting:
        term = waiting.pop()
        if isinstance(term, MatAdd | ops.Quotient | Transpose) or _is_multiple(term):
            waiting += [arg for arg in term.args if arg.is_Matrix]
        elif isinstance(term, MatrixSymbol) and str(term.name) not in found:
            found[str(term.name)] = None
            inner = solution.step(str(term.name)).formula
            waiting += [] if inner is None else [inner]
    order = {step.name: place for place, step in enumerate(solution.derivation.steps)} if len(found) > 1 else {}
    return sorted(found, key=lambda name: order.get(name, len(order)))


def _is_multiple(node: Basic) -> bool:
    """Whether a product is one of numbers and a single matrix."""
    return isinstance(node, MatMul) and not any(factor.is_Matrix for factor in node.args[:-1])


def _hidden(solution: Solution, node: Basic, known: Mapping[str, _Hidden]) -> _Hidden:
    node = same_as_ours(node)
    match node:
        case Mask():
            rows, columns = whole_sizes(node)
            infinite = node.value is S.NegativeInfinity
            return [(i, j, infinite) for i in range(rows) for j in range(columns) if node.hides(i, j)]
        case MatAdd():
            found: dict[tuple[int, int], bool] = {}
            for i, j, infinite in (entry for arg in node.args for entry in _hidden(solution, arg, known)):
                found[i, j] = found.get((i, j), False) or infinite  # two masks may hide the same entry
            return [(i, j, infinite) for (i, j), infinite in found.items()]
        case Transpose():
            return [(i, j, infinite) for j, i, infinite in _hidden(solution, node.arg, known)]
        case ops.Quotient() if solution.number(node.divisor).is_positive:
            # A temperature leaves −∞ what it is; of a large number it is not known what is left.
            return [entry for entry in _hidden(solution, node.argument, known) if entry[2]]
        case MatMul() if _is_multiple(node) and all(solution.number(x).is_positive for x in node.args[:-1]):
            return [entry for entry in _hidden(solution, node.args[-1], known) if entry[2]]
        case MatrixSymbol():
            return known[str(node.name)]
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
            return [reading("equals_operand", result=names(name), operand=names(operand))]
    return []


__all__ = ["empty_inside", "masked_entries", "readings", "rows_sum_to_one"]
