"""Forms of a matrix other than its values: in letters with ⋯ and ⋮, as named rows, as weighted sums of rows."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from sympy import Basic, MatMul, MatrixExpr, MatrixSymbol, Transpose, preorder_traversal

from symattn.base import limits
from symattn.base.budget import doing, spend
from symattn.base.errors import BudgetError, SymattnError
from symattn.base.printed import Figure, as_printed
from symattn.base.shapes import Axis
from symattn.compute.solution.store import Store
from symattn.read.plan import Plan, names_in
from symattn.show.blocks import Block, Equation, Matrix
from symattn.show.entries.letters import Letters, indexed
from symattn.show.math import (
    Accented,
    Call,
    Chain,
    Grid,
    Letter,
    Math,
    Number,
    Parens,
    Script,
    Sign,
    Sum,
    equation,
    joined,
    seq,
)
from symattn.show.notation.bases import at_letter, head
from symattn.show.notation.figures import guarded, long_sum, relation
from symattn.show.notation.formulas import Names, by_rule, formula
from symattn.show.window import Window


def general_form(solution: Store, name: str, names: Names) -> list[Block]:
    """Return the matrix in letters: entries x_{ij}, dot products x_i · x_j for X Xᵀ, weighted sums for W X."""
    step = solution.step(name)
    rows, columns = _length(step.shape.rows), _length(step.shape.columns)
    letters = Letters.choose(names, [name], {name: step.shape})
    if step.shape.rows.size == 1:
        entries = _spread(columns, lambda j: letters.entry(name, Number("1"), j))
        return [Matrix(names(name), rows, columns, (tuple(entries),), annotated=True)]
    node = step.formula
    symbol = names(name) if node is None else seq(names(name))
    blocks: list[Block] = []
    if node is not None and formula(node, names) != symbol:
        blocks.append(Equation((equation(symbol, formula(node, names)),), "formula"))
    if node is None or not _is_product(node):
        return [*blocks, Matrix(symbol, rows, columns, _grid(rows, columns, lambda i, j: letters.entry(name, i, j)))]
    left, right = node.args
    if isinstance(right, Transpose):
        grid = _grid(rows, columns, lambda i, j: joined([_row(left, names, i), _row(right.arg, names, j)], "·"))
        return [*blocks, Matrix(symbol, rows, columns, grid)]
    axis = solution.shape(str(left.name)).columns if isinstance(left, MatrixSymbol) else Axis(int(left.shape[1]))
    return [*blocks, *_weighted_letters(name, left, right, names, symbol, rows, _length(axis))]


def _is_product(node: Basic | None) -> bool:
    return isinstance(node, MatMul) and len(node.args) == 2 and all(arg.is_Matrix for arg in node.args)


def _weighted_letters(
    name: str, left: Basic, right: Basic, names: Names, symbol: Math, rows: Math, inner: Math
) -> list[Block]:
    weights = names.bases[left.name] if isinstance(left, MatrixSymbol) else formula(left, names)

    def term(i: Math, k: Math) -> Math:
        return seq(indexed(weights, (False, False), i, k), _row(right, names, k))

    def combination(i: Math) -> Math:
        return joined(_spread(inner, lambda k: term(i, k)), "+")

    i, k, vector = names.letters.row, Letter(names.letters.bound()), partial(row_of, name, names)
    one = Sum(k, Number("1"), inner, term(i, k))
    statement = Equation((equation(vector(i), one, combination(i)),), "statement")
    stack = tuple((part,) for part in _spread(rows, combination, Sign("⋮")))
    return [statement, Equation((equation(symbol, _stack(rows, vector), Grid(stack)),), "statement")]


def _stack(rows: Math, vector: Callable[[Math], Math]) -> Grid:
    return Grid(tuple((part,) for part in _spread(rows, vector, Sign("⋮"))))


def rows_form(solution: Store, name: str, names: Names) -> list[Block]:
    """Return the matrix as its rows, in letters: Z = [z_1; z_2; ⋮; z_m]."""
    rows = _length(solution.step(name).shape.rows)
    return [Equation((equation(names(name), _stack(rows, partial(row_of, name, names))),), "statement")]


def vectors_form(
    solution: Store, name: str, names: Names, labels: tuple[str, ...], decimals: int | None, window: Window
) -> list[Block]:
    """Return each row as a named vector with its figures: x_I = [1, 3, 2]."""
    figures = solution.figures(name, decimals)

    def line(i: int) -> list[Chain]:
        shown = window.row([Number(figure.text) for figure in figures[i]])
        return [Chain(row_of(name, names, _label(i, labels)), ((relation(figures[i]), Grid((shown,))),))]

    return [Equation(window.lines(len(figures), line), "statement")]


def right_factor(solution: Store, name: str) -> str:
    """Return the name of the right factor of a product, or an empty string."""
    node = solution.step(name).formula
    last = node.args[-1] if isinstance(node, MatMul) else None
    return str(last.name) if isinstance(last, MatrixSymbol) else ""


def weighted_form(
    solution: Store,
    name: str,
    names: Names,
    labels: tuple[tuple[str, ...], tuple[str, ...]],
    decimals: int | None,
    window: Window,
) -> list[Block]:
    """Return each row of a product A B as a weighted sum of the rows of B: z_I = 0.98 x_I + 0.02 x_am + …

    Raises :class:`~symattn.base.errors.SymattnError` if the name is not the product of two matrices.
    """
    if not _is_product(solution.step(name).formula):
        raise SymattnError(f"{name} cannot be shown as weighted sums: it is not the product of two matrices")
    left, right = (arg for arg in solution.formula(name).args)
    places = solution.style.decimals if decimals is None else decimals
    rows = solution.decimals(solution.part(left), places)

    def line(i: int) -> list[Chain]:
        weights = [Figure.written(as_printed(text) or text, False) for text in rows[i]]
        terms = [seq(guarded(w), Sign("·"), _row(right, names, _label(k, labels[1]))) for k, w in enumerate(weights)]
        return [Chain(row_of(name, names, _label(i, labels[0])), (("≈", long_sum(terms)),))]

    return [Equation(window.lines(len(rows), line), "working")]


def row_of(name: str, names: Names, i: Math) -> Math:
    """Return a row: the letter of its matrix's entries in bold, z_i of Z; (K_raw)_{i,·} for a name with several."""
    base = names.bases[name]
    if not (letter := head(base)) or len(letter) > 1:
        return _whole_row(base, i)
    return indexed(at_letter(base, _bold), (False, True), i, i)


def _bold(base: Math) -> Math:
    """Return the letter of a base in bold and in lower case, like the letter of a row."""
    match base:
        case Script(inner, None, above):
            return Script(_bold(inner), sup=above)
        case Accented("bold", inner):
            return _bold(inner)
        case Accented(kind, inner):
            return Accented(kind, _bold(inner))
        case Letter(name):
            return Accented("bold", Letter(name.lower()))
    return base


def _whole_row(base: Math, i: Math) -> Math:
    return at_letter(base, lambda letter: Script(letter, sub=seq(i, Sign(","), Sign("·"))))


def _label(i: int, labels: tuple[str, ...]) -> Math:
    return Letter(labels[i], "text") if i < len(labels) else Number(str(i + 1))


def _row(node: Basic, names: Names, i: Math) -> Math:
    if isinstance(node, MatrixSymbol):
        return row_of(str(node.name), names, i)
    written = formula(node, names)
    return _whole_row(written if isinstance(written, Call) else Parens(written), i)


def _length(axis: Axis) -> Math:
    """Return an axis's letter if it has one, m, n, d_k, otherwise its size."""
    return by_rule(axis.letter) if not axis.letter.isdigit() else Number(axis.letter)


def _spread(length: Math, piece: Callable[[Math], Math], dots: Sign | None = None) -> list[Math]:
    """Return pieces 1, 2, ⋯, n for a length that is a letter or more than 4; all of them for a shorter length."""
    if isinstance(length, Number):
        count = int(length.text)
        if count <= 4:
            return [piece(Number(str(k + 1))) for k in range(count)]
    return [piece(Number("1")), piece(Number("2")), dots or Sign("⋯"), piece(length)]


def _grid(rows: Math, columns: Math, cell: Callable[[Math, Math], Math]) -> tuple[tuple[Math, ...], ...]:
    dots = tuple(_spread(columns, lambda _: Sign("⋮"), Sign("⋱")))

    def row(i: Math) -> tuple[Math, ...]:
        return dots if isinstance(i, Sign) else tuple(_spread(columns, lambda j: cell(i, j)))

    return tuple(map(row, _spread(rows, lambda index: index, Sign("⋮"))))


def unfolded(derivation: Plan, name: str, stop: tuple[str, ...]) -> list[MatrixExpr]:
    """Return the formula of ``name``, then the same with one more layer of definitions put in, until only givens and
    the names in ``stop`` are left. Raises :class:`~symattn.base.errors.BudgetError` for too many nested definitions.

    >>> from symattn.base.shapes import shape
    >>> plan = Plan().given("X", shape(3, 2)).step("S", "X @ X.T").step("W", "softmax(S)").step("Z", "W @ X")
    >>> unfolded(plan, "Z", ())
    [W*X, Softmax(S)*X, Softmax(X*X.T)*X]
    """
    current = derivation[name].formula
    lines: list[MatrixExpr] = []
    while current is not None:
        lines.append(current)
        if len(lines) > limits.FORMULA_DEPTH:
            most = f"more than FORMULA_DEPTH = {limits.FORMULA_DEPTH} definitions inside one another"
            raise BudgetError(f'unfold {name}: {most}: stop at a later name with to = ["…"]')
        put_in: dict[MatrixExpr, MatrixExpr] = {}
        with doing(f"unfold {name}"):
            spend(_PIECE * _pieces_with_definitions(derivation, current, stop))
        for used in names_in(current):
            step = derivation[used]
            if used not in stop and step.formula is not None:
                put_in[MatrixSymbol(used, *step.formula.shape)] = step.formula
        current = current.xreplace(put_in) if put_in else None
    return lines


_PIECE = 400
"""The budget for writing one name or sign."""


def _pieces_with_definitions(derivation: Plan, formula: MatrixExpr, stop: tuple[str, ...]) -> int:
    """Return how many names and signs a formula has once the definitions of its names are put in."""
    own: dict[str, int] = {}
    pieces = 0
    for node in preorder_traversal(formula):
        pieces += 1
        if isinstance(node, MatrixSymbol) and node.name not in stop:
            if node.name not in own:
                inner = derivation[node.name].formula
                own[node.name] = 0 if inner is None else sum(1 for _ in preorder_traversal(inner))
            pieces += own[node.name]
    return pieces


def unfolding(derivation: Plan, name: str, stop: tuple[str, ...], called: str | None, names: Names) -> Chain:
    """Return the whole chain, or for ``called`` the first and the last: Attention(Q, K, V) = softmax(Q Kᵀ / √d_k) V."""
    lines: list[Math] = [formula(line, names) for line in unfolded(derivation, name, stop)]
    if called is not None:
        return Chain(Call(called, tuple(names(other) for other in stop)), (("=", lines[-1]),))
    # A name whose notation is its own formula (X Xᵀ) makes two layers look alike; say it once.
    distinct = [line for position, line in enumerate(lines) if position == 0 or line != lines[position - 1]]
    return Chain(names(name), tuple(("=", line) for line in distinct if line != names(name)))
