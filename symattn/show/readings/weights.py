"""Which rows attend to which columns: the largest weights of a row, ties, masked weights, the sums of rows."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from flint import fmpq
from sympy import Integer, MatMul, MatrixSymbol, Rational, Transpose, log

from symattn import operations as ops
from symattn.base.printed import decimal_text
from symattn.base.shapes import whole_sizes
from symattn.compute.solution import proofs
from symattn.compute.solution.domain import axis_of_rows, let_through
from symattn.compute.solution.on_the_way import numbers
from symattn.compute.solution.proofs import known_signs
from symattn.compute.solution.store import Store
from symattn.compute.values.balls import at_precision, number_ball
from symattn.compute.values.certify import START_BITS, unless_open
from symattn.operations.stages import same_as_ours
from symattn.show.blocks import Argument, Phrase
from symattn.show.math import Number
from symattn.show.notation.figures import in_matrix
from symattn.show.notation.names import Names
from symattn.show.readings.sentence import AxisLabels, ReadStep, columns_of, labelled, reading, remark
from symattn.show.window import places
from symattn.show.working.masked import masked_entries

NEARLY = fmpq(19, 20)
"""The share of a row above which an entry is nearly all of it."""

AHEAD = Rational(6, 5)
"""How many times the second largest weight the largest has to be, for a row to attend most to its column; a row whose
largest weight is less than so many times the smallest is nearly even."""

MOST_BY_LENGTH = 2
"""So many groups of rows are told with what would come first by direction alone; more are counted."""

FEWEST_REPEATS = 3
"""So many rows with a second just behind are told in one sentence, after the first of them."""


def softmax(step: ReadStep) -> list[Phrase]:
    """Return the weights of every row, or of a single row in order; the masked weights; the sums of rows."""
    is_one = step.solution.rows(step.name) == 1 < step.solution.columns(step.name) and step.columns
    if is_one and not _empty(step.solution, step.name) and not _mixes(step.solution, step.name):
        found = [_ranking(step)]
    else:
        found = _without_repeats(step, step.by_rows(lambda i: attends(step, i, i + 1, step.rows)))
    return [*found, *_equal_rows(step), *_by_length(step), *_masked_away(step), *sums(step)]


def _without_repeats(step: ReadStep, found: list[Phrase]) -> list[Phrase]:
    """Return the readings of rows with those that say the same as an earlier one, of a second just behind, in one."""
    behind = [phrase for phrase in found if {("labelled", 1), ("ahead", 0)} <= {*phrase.arguments} and _is_pair(phrase)]
    if len(behind) < FEWEST_REPEATS:
        return found
    places = [int(str(dict(phrase.arguments)["row"])) - 1 for phrase in behind[1:]]
    rows = columns_of(places, step.rows)
    kept = [phrase for phrase in found if phrase not in behind[1:]]
    return [*kept, reading("behind_too", rows=rows, times=Number(str(float(AHEAD))))]


def _is_pair(phrase: Phrase) -> bool:
    """Return whether a reading tells a first column and a second one just behind."""
    told = dict(phrase.arguments)
    top, quiet = told["top"], ("even", "forced", "open", "alone")
    return isinstance(top, tuple) and len(top) == 1 and not any(told.get(key) for key in quiet) and not told["ties"]


def row_of_weights(step: ReadStep) -> list[Phrase]:
    """Return the reading of a row taken from a matrix of weights."""
    node = step.node
    if not isinstance(node.argument, MatrixSymbol):
        return []
    name = str(node.argument.name)
    if not isinstance(same_as_ours(step.solution.step(name).formula), ops.Softmax):
        return []
    return [attends(step, 0, node.number, step.names.row_labels(name))]


def attends(step: ReadStep, i: int, shown_row: int, rows: AxisLabels) -> Phrase:
    """Return how row i shares out its weight: to one column that it can see, nearly evenly, or most of it to some.

    The largest weight comes with the second largest, which may be just behind, and with its part of the row: more than
    half, nearly all, or all. The reading says so if several may be the largest.
    """
    solution, name, columns = step.solution, step.name, step.columns
    if i in _empty(solution, name):
        return reading("sees_no_key", **labelled(shown_row - 1, rows))
    largest, *others = proofs.groups(solution, name, i)
    width, top = solution.columns(name), largest.columns
    hidden = _hidden_in_row(step, i)
    ties = [each.columns for each in others if len(each.columns) > 1 and not each.open and not hidden & {*each.columns}]
    source = _source(solution, name)
    shape = solution.shape(source)
    own = shown_row - 1 if columns and shape.rows.name == shape.columns.name else None
    said: dict[str, Argument] = {
        **labelled(shown_row - 1, rows),
        "top": columns_of(top, columns, own),
        "weight": Number(solution.figures(name)[i][top[0]].text),
        "part": _part(solution, name, i * width + top[0]) if len(top) == 1 else 0,
        "open": int(largest.open is not None),
        "ties": tuple(columns_of(group, columns, own) for group in ties),
    }
    if solution.shape(name).ndim < 2:
        said["row"] = 0  # the only one, of a vector
    if columns and not are_weights(solution, source):
        return reading("largest_share", **said)
    said |= _spread(step, i, hidden, [largest, *others])
    return reading("attends", **said, labelled=int(bool(columns)), alone=int(width == 1))


def _part(solution: Store, name: str, index: int) -> int:
    """Return 3 if an entry is all of its row, 2 for nearly all, 1 for more than half, otherwise 0."""
    row, column = divmod(index, solution.columns(name))
    figures = solution.figures(name)[row]
    if all(figure.exact and figure.number == 0 for j, figure in enumerate(figures) if j != column):
        return 3
    printed = figures[column].number  # the sentence is about the figure beside it
    if printed is None or printed <= fmpq(1, 2) or not _is_more(solution, name, index, Rational(1, 2)):
        return 0
    return 1 + int(printed > NEARLY and _is_more(solution, name, index, Rational(int(NEARLY.p), int(NEARLY.q))))


def _is_more(solution: Store, name: str, index: int, than: Rational) -> bool:
    return unless_open(lambda: proofs.compare(solution, name, index, than)) == 1


def _spread(step: ReadStep, i: int, hidden: set[int], order: Sequence[proofs.Group]) -> dict[str, Argument]:
    """Return how evenly a row is spread over what it can see.

    ``forced`` if that is one column; ``even`` is the number of columns if all have nearly the same weight, of which
    ``least`` is the smallest; otherwise ``second`` has the columns with the next weight, ``next``, and ``ahead`` is
    whether the largest leaves it behind.
    """
    solution, name, width = step.solution, step.name, step.solution.columns(step.name)
    figures = solution.figures(name)[i]
    seen = width - len(hidden)
    told: dict[str, Argument] = {"forced": int(bool(hidden) and seen == 1), "even": 0, "ahead": 1}
    shown = [group for group in order if not hidden & {*group.columns}]
    if seen < 2 or len(shown) < 2 or any(group.open for group in (shown[0], shown[1], shown[-1])):
        return told
    (first, *_), (last, *_) = shown[0].columns, shown[-1].columns
    second = shown[1].columns
    with at_precision(START_BITS):
        value = solution.enclosure(name, START_BITS)
        gap, range_ = (value[i, first] - number_ball(AHEAD) * value[i, j] for j in (second[0], last))
    if proofs.sign_of(range_) == -1:
        return {**told, "even": seen, "least": Number(figures[last].text)}
    own = i if step.columns and solution.shape(name).rows.name == solution.shape(name).columns.name else None
    told |= {"ahead": int(proofs.sign_of(gap) in (0, 1)), "next": Number(figures[second[0]].text)}
    return {**told, "second": columns_of(second, step.columns, own)}


# -- rows that are equal -----------------------------------------------------------------------------------------


def _equal_rows(step: ReadStep) -> list[Phrase]:
    """Return which rows of weights are exactly equal, and why, where their scores are a product that tells."""
    solution, name = step.solution, step.name
    rows, columns = solution.rows(name), solution.columns(name)
    if not 1 < rows <= step.most or columns < 2 or solution.style.carry == "rounded":
        return []
    groups: list[list[int]] = []
    for i in range(rows):
        group = next((group for group in groups if _are_equal_rows(solution, name, group[0], i)), None)
        if group is None:
            groups.append([i])
        else:
            group.append(i)
    found = []
    for group in (group for group in groups if len(group) > 1):
        why, about = _why_equal(step, group)
        told = columns_of(group, step.rows)
        found.append(reading("equal_rows", rows=told, why=why, about=about))
    return found


def _are_equal_rows(solution: Store, name: str, one: int, other: int) -> bool:
    """Return whether two rows are proved to be equal; nothing is proved of rows that a first look tells apart."""
    width, value = solution.columns(name), solution.enclosure(name, START_BITS)
    pairs = [(one * width + j, other * width + j) for j in range(width)]
    entries = value.entries()
    return all(entries[a].overlaps(entries[b]) for a, b in pairs) and all(
        unless_open(lambda a=a, b=b: proofs.equal_entries(solution, name, a, b)) is True  # type: ignore[misc]
        for a, b in pairs
    )


def _why_equal(step: ReadStep, rows: Sequence[int]) -> tuple[int, tuple[Argument, ...]]:
    """Return 1 and the queries if these rows of them are equal, or 2 and the keys, with two of their columns, if the
    queries differ only in what these equal columns make no difference to; otherwise 0."""
    product = _product_of_scores(step)
    if product is None:
        return 0, ()
    left, right = product
    queries, keys = (proofs.value_numbers(step.solution, name) for name in product)
    if queries is None or keys is None:
        return 0, ()
    first, *others = (queries[i] for i in rows)
    if all(other == first for other in others):
        return 1, (step.names(left),)
    apart = {k for other in others for k, (a, b) in enumerate(zip(first, other, strict=True)) if a != b}
    if len(apart) == 2 and all(row[min(apart)] == row[max(apart)] for row in keys):
        return 2, (step.names(right), *(k + 1 for k in sorted(apart)))
    return 0, ()


def _by_length(step: ReadStep) -> list[Phrase]:
    """Return the rows whose largest weight goes to a longer key though another one lies closer to their direction."""
    product, solution = _product_of_scores(step), step.solution
    if product is None or not step.columns or solution.style.carry == "rounded" or step.most < solution.rows(step.name):
        return []
    queries, keys = map(solution.rational, product)
    if queries is None or keys is None or masked_entries(solution, step.node.argument):
        return []
    known = [sum(x * x for x in row) for row in keys.tolist()]
    groups: dict[tuple[int, bool], list[int]] = {}
    shape = solution.shape(step.name)
    alike = bool(shape.rows.name) and shape.rows.name == shape.columns.name
    for i, scores in enumerate((queries * keys.transpose()).tolist()):
        # The order of the cosines: they grow with the score times its size over the squared length.
        cosines = [x * abs(x) / length if length else fmpq(0) for x, length in zip(scores, known, strict=True)]
        top, nearest = ([j for j, x in enumerate(each) if x == max(each)] for each in (scores, cosines))
        if len(top) == len(nearest) == 1 and top != nearest:
            own = alike and nearest == [i]
            groups.setdefault((0 if own else nearest[0], own), []).append(i)
    if len(groups) > MOST_BY_LENGTH:
        return [reading("by_length_rows", count=sum(map(len, groups.values())), total=solution.rows(step.name))]
    return [
        reading(
            "by_length",
            rows=columns_of(rows, step.rows),
            nearest=columns_of([nearest], step.columns),
            own=int(own),
        )
        for (nearest, own), rows in groups.items()
    ]


def _product_of_scores(step: ReadStep) -> tuple[str, str] | None:
    """Return the names Q and K if the weights are the softmax of Q Kᵀ: scaled, with names on the way or not."""
    node = step.node.argument
    for _ in range(len(step.solution.derivation.steps)):
        node = same_as_ours(node)
        match node:
            case ops.Quotient():
                node = node.argument
            case MatrixSymbol() if (formula := step.solution.step(str(node.name)).formula) is not None:
                node = formula
            case MatMul(args=(MatrixSymbol() as queries, turned)):
                if isinstance(turned, MatrixSymbol):
                    turned = same_as_ours(step.solution.step(str(turned.name)).formula)
                keys = turned.arg if isinstance(turned, Transpose) else None
                return (str(queries.name), str(keys.name)) if isinstance(keys, MatrixSymbol) else None
            case _:
                return None
    return None


def _source(solution: Store, step: str) -> str:
    """Return the matrix that a single row was taken from; for any other step, the step itself."""
    node = solution.step(step).formula
    return str(node.argument.name) if isinstance(node, ops.Row) else step


def are_weights(solution: Store, name: str) -> bool:
    """Return whether rows attend to columns: both are the same tokens, or other rows are mixed with these numbers.

    Probabilities of the next token are not attention, and a word of the vocabulary is not a token beside it.
    """
    shape = solution.shape(name)
    if not shape.columns.name or shape.columns.name == shape.rows.name:
        return True
    return _mixes(solution, name)


def _mixes(solution: Store, name: str) -> bool:
    """Return whether other rows, which have a name, are mixed with the numbers of a matrix."""
    formulas = (step.formula for step in solution.derivation.steps if step.formula is not None)
    pairs = (pair for formula in formulas for node in formula.find(MatMul) for pair in pairwise(node.args))
    mixed = (rows for factor, rows in pairs if isinstance(factor, MatrixSymbol) and factor.name == name)
    return any(rows.atoms(MatrixSymbol) for rows in mixed)


def _hidden_in_row(step: ReadStep, i: int) -> set[int]:
    """Return the columns of row i that a mask hides."""
    node = step.solution.step(step.name).formula
    masked = masked_entries(step.solution, node.argument) if isinstance(node, ops.Softmax) else []
    return {j for row, j, _ in masked if row == i}


def _ranking(step: ReadStep) -> Phrase:
    figures = step.solution.figures(step.name)[0]
    places = tuple(
        (
            columns_of(group.columns, step.columns),
            in_matrix(figures[group.columns[0]]),
            int(group.open is not None),
        )
        for group in proofs.groups(step.solution, step.name, 0)
    )
    return reading("ranking", places=places)


def _masked_away(step: ReadStep) -> list[Phrase]:
    """Return how many weights a mask makes 0, and how many it makes so small that they print as 0."""
    masked, figures = masked_entries(step.solution, step.node.argument), step.solution.figures(step.name)
    exactly = [figures[i][j].text for i, j, infinite in masked if infinite]
    nearly = [figures[i][j].text for i, j, infinite in masked if not infinite]
    # A finite mask only makes weights smaller, and not even that in a row that it masks entirely.
    nearly = [text for text in nearly if not text.strip("0.")]
    return [
        (reading if texts is exactly else remark)(
            "masked_away", count=len(texts), weight=Number(texts[0]), exactly=int(texts is exactly)
        )
        for texts in (exactly, nearly)
        if texts
    ]


# -- rows that see no key ----------------------------------------------------------------------------------------


def _empty(solution: Store, name: str) -> tuple[int, ...]:
    """Return the rows, counted from 0, of a softmax that see no key; for a single row of it, the row itself."""
    node, row = same_as_ours(solution.formula(name)), None
    while isinstance(node, ops.Row):
        row = node.number - 1  # for a row of a row, the row taken first
        node = same_as_ours(solution.formula(str(node.argument.name)))
    found = let_through(solution, node.argument) if isinstance(node, ops.Softmax) else ()
    return found if row is None else (0,) if row in found else ()


def empty_inside(solution: Store, name: str, names: Names, whole: bool = True) -> tuple[Phrase, ...]:
    """Return the rows that see no key in a softmax inside a formula, or with ``whole`` in the formula itself."""
    formula = same_as_ours(solution.formula(name))
    found: dict[Phrase, None] = {}
    for node in sorted(formula.atoms(ops.Softmax) - (set() if whole else {formula}), key=str):
        labels = names.labels.get(axis_of_rows(solution, node.argument), ())
        for i in let_through(solution, node.argument):
            found[reading("sees_no_key", **labelled(i, labels))] = None
    return tuple(found)


# -- sums --------------------------------------------------------------------------------------------------------


def rows_sum_to_one(solution: Store, name: str, rounded: bool = False) -> tuple[Phrase, ...]:
    """Return the reading that the rows of shares sum to 1, except for those that see no key.

    ``rounded`` says that the printed figures do not.
    """
    empty = _empty(solution, name)
    count = solution.rows(name) - len(empty)
    told = {"count": count, "others": int(bool(empty)), "rounded": int(rounded)}
    return (reading("rows_sum_to_one", **told),) if count else ()


def sums(step: ReadStep) -> list[Phrase]:
    """Return the reading that rows sum to 1, and a remark where their printed figures do not."""
    sees_none = _empty(step.solution, step.name)
    printed = [] if sees_none or step.solution.columns(step.name) == 1 else _printed_sums(step)
    found = list(rows_sum_to_one(step.solution, step.name, bool(printed)))
    if printed:
        rows = tuple((row + 1, Number(total)) for row, total in printed)
        found.append(remark("printed_sums", rows=rows, single=int(step.solution.rows(step.name) == 1)))
    return found


def _printed_sums(step: ReadStep) -> list[tuple[int, str]]:
    """Return the rows whose printed figures do not sum to 1, with that sum."""
    found: list[tuple[int, str]] = []
    figures, empty = step.solution.figures(step.name), _empty(step.solution, step.name)
    for i in places(len(figures), step.most):
        if i is None or i in empty:
            continue
        numbers = [figure.number for figure in figures[i] if figure.number is not None]
        total = sum(numbers, fmpq(0))
        if len(numbers) == len(figures[i]) and total != 1:
            digits = max(figure.places for figure in figures[i])
            found.append((i, decimal_text(int(total * 10**digits), digits)))
    return found


def entropy(step: ReadStep) -> list[Phrase]:
    """Return the largest possible entropy, and which rows come closest to it and stay farthest from it."""
    solution, width = step.solution, whole_sizes(step.with_sizes.argument)[1]
    largest = log(Integer(width))
    (figure,) = numbers(solution, lambda bits: [number_ball(largest)], ["the largest entropy"], lambda _: largest)
    found = [reading("entropy_range", count=width, most=Number(figure.text), exactly=int(figure.exact))]
    if solution.rows(step.name) > 1:
        whole = MatrixSymbol(step.name, *map(Integer, solution.shape(step.name).sizes))
        groups = proofs.groups(solution, solution.part(Transpose(whole)), 0)
        if len(groups) > 1 and not (groups[0].open or groups[-1].open):
            most, least = (columns_of(group.columns, step.rows) for group in (groups[0], groups[-1]))
            found.append(reading("entropy_rows", most=most, least=least))
    return found


def zero_shares(solution: Store, name: str) -> tuple[Phrase, ...]:
    """Return the reading that 0 ln 0 counts as 0, if an entropy has shares that are 0."""
    entropies = same_as_ours(solution.formula(name)).atoms(ops.Entropy)
    has_zeros = any(0 in row for node in entropies for row in known_signs(solution, node.argument))
    return (reading("zero_shares"),) if has_zeros else ()
