"""Evaluate names whose values hold free symbols: their closed forms, known entries, and the assumptions they need.

Nothing else in a solution works with symbols: a value that follows from symbols and has none left is a number again.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from sympy import (
    Add,
    Basic,
    Expr,
    Function,
    ImmutableDenseMatrix,
    MatAdd,
    MatMul,
    MatrixExpr,
    MatrixSymbol,
    S,
    postorder_traversal,
)

from symattn import operations as ops
from symattn.base import limits
from symattn.base.errors import DomainError, NoValueError
from symattn.base.shapes import in_rows, whole_sizes
from symattn.compute.solution.domain import HOLDS, asked, is_partial, prove_defined
from symattn.compute.solution.operands import Operands, operand_exact
from symattn.compute.solution.proofs import entry_size
from symattn.compute.solution.store import Store
from symattn.compute.values.applied import frame
from symattn.compute.values.cost import closed_form_size
from symattn.compute.values.exact import CASES, exact, known_order
from symattn.operations.equations.defined import Demanded
from symattn.operations.stages import Stage
from symattn.operations.symbols import Need, entry_symbols, need, needs_of, pieces, tidy, together_needed
from symattn.read.given import Given
from symattn.read.plan import names_in


@dataclass(frozen=True)
class SymbolicState:
    """The state of one name. One without symbols behind it has no closed form here."""

    touched: bool = False
    value: ImmutableDenseMatrix | None = None
    holds: bool = False
    """Whether symbols are left in the value, or may be where it is too long to be computed."""
    size: int = 1
    needs: tuple[Need, ...] = ()


class SymbolicValues:
    """The closed forms of one solution whose derivation has symbols, computed in order and cached."""

    def __init__(self, solution: Store) -> None:
        self._solution = solution
        self._states: dict[str, SymbolicState] = {}
        self._known: dict[str, str] = {}
        self._tidied: dict[Expr, Expr] = {}
        self.written: dict[Hashable, Any] = {}
        """A cache for code that writes closed forms."""

    def state(self, name: str) -> SymbolicState:
        """Return the state of a name."""
        if name not in self._states:
            if self._solution.step(name).general:
                return SymbolicState()
            for needed in self._solution.needed(name):
                if needed not in self._states:
                    self._states[needed] = self._work_out(needed)
        return self._states[name]

    def behind(self, name: str) -> tuple[str, ...]:
        """Return the symbols that a name depends on, whether any is left in its value or not."""
        solution, found = self._solution, set()
        for needed in solution.needed(name):
            given = solution.givens.get(needed)
            parts = [solution.step(needed).formula] if given is None else given.entries if given.array is None else []
            found |= {symbol.name for part in parts if part is not None for symbol in entry_symbols(part)}
        return tuple(sorted(map(str, found)))

    def no_value(self, name: str, what: str, index: int = 0) -> NoValueError:
        """Return the error for a request for numbers of a name with symbols; it names the first entry with symbols from
        ``index`` on."""
        state, put_in = self.state(name), "put numbers in their place with substitute(…)"
        if state.value is None:
            return NoValueError(
                f"{name} has no {what}: it rests on the free symbols {', '.join(self.behind(name))}, and its closed "
                f"forms are longer than CLOSED_FORM = {limits.CLOSED_FORM} numbers in an entry or CLOSED_FORMS = "
                f"{limits.CLOSED_FORMS} in the matrix; {put_in}"
            )
        entries = list(enumerate(state.value))
        index, entry = next(((k, x) for k, x in entries[index:] if x.free_symbols), entries[index])
        held = ", ".join(map(str, entry_symbols(entry)))
        return NoValueError(
            f"{name} has no {what}: {self._solution.place(name, index)} holds the free symbol{'s' * (',' in held)} "
            f"{held}; {put_in}"
        )

    def value(self, name: str) -> ImmutableDenseMatrix:
        """Return the closed form of a touched name. Raises :class:`~symattn.base.errors.NoValueError` if too long."""
        found = self.state(name).value
        if found is None:
            raise self.no_value(name, "closed form that could be worked out")
        return found

    def known(self, name: str) -> str:
        """Return the name of a matrix with the known entries of ``name``, and 0 where its entries hold symbols."""
        if name not in self._known:
            value, given = self.value(name), self._solution.givens.get(name)
            columns = value.cols
            held = [bool(x.free_symbols) for x in value]
            texts = [""] * len(held) if given is None else [text for row in given.texts for text in row]
            values = [S.Zero if is_held else x for x, is_held in zip(value, held, strict=True)]
            texts = ["0" if is_held else text for text, is_held in zip(texts, held, strict=True)]
            known = Given(in_rows(values, columns), in_rows(texts, columns))
            self._known[name] = self._solution.side_by_side(name, known)
        return self._known[name]

    def known_at(self, name: str, index: int) -> str:
        """Return the name under which an entry, counted from 0, is a number, or raise an error that names the entry."""
        value = self.value(name)
        if list(value)[index].free_symbols:
            raise self.no_value(name, "number there", index)
        return self.known(name)

    def decimals(self, name: str, digits: int) -> tuple[tuple[str | None, ...], ...]:
        """Return the known entries with so many decimals, certified, and ``None`` for the others."""
        rows = zip(self.value(name).tolist(), self._solution.decimals(self.known(name), digits), strict=True)
        return tuple(
            tuple(None if value.free_symbols else text for value, text in zip(values, texts, strict=True))
            for values, texts in rows
        )

    def carried(self, name: str) -> ImmutableDenseMatrix:
        """Return an operand in rounded mode: printed figures of known entries, closed forms of the others."""
        value, known = self.value(name), operand_exact(self._solution, self.known(name))
        entries = [x if x.free_symbols else figure for x, figure in zip(value, known, strict=True)]
        return ImmutableDenseMatrix(value.rows, value.cols, entries)

    @property
    def assumptions(self) -> tuple[Need, ...]:
        """The assumptions about the symbols in all steps that can be evaluated, such as that no divisor is 0."""
        found: list[Need] = []
        for step in self._solution.derivation.steps:
            if not step.general:
                found += self.state(step.name).needs
        return together_needed(found)

    # -- working out ---------------------------------------------------------------------------------------------

    def _work_out(self, name: str) -> SymbolicState:
        solution = self._solution
        given = solution.givens.get(name)
        if given is not None:
            return self._given(given)
        if solution.rounded_givens(name):
            return SymbolicState()
        formula = solution.formula(name)
        if not self.touches(formula):
            return SymbolicState()
        size = closed_form_size(formula, self._size_of)
        too_long = any(self._is_too_long(used) for used in names_in(formula))
        rows, columns = whole_sizes(formula)
        if too_long or size > limits.CLOSED_FORM or size * rows * columns > limits.CLOSED_FORMS:
            return SymbolicState(True, None, True, size)
        needs = tuple(self._needs(formula, f"step {name}"))
        value = self.evaluate(formula).applyfunc(self._tidy)
        self._must_be_numbers(name, value)
        return SymbolicState(True, value, _holds(value), max(_size(value), 2 ** _nesting(value)), needs)

    def _must_be_numbers(self, name: str, value: ImmutableDenseMatrix) -> None:
        for index, entry in enumerate(value):
            if entry not in _INFINITE and entry.has(S.NaN, S.ComplexInfinity, *_INFINITE):
                place = self._solution.place(name, index)
                raise DomainError(f"step {name}: {place} is not a number: an infinite value cannot be used here")

    def _tidy(self, value: Expr) -> Expr:
        return tidy(value, self._tidied)

    def _given(self, given: Given) -> SymbolicState:
        if given.array is not None or not any(value.free_symbols for value in given.entries):
            return SymbolicState()
        value = ImmutableDenseMatrix(*given.shape, given.entries)
        needs = tuple(each for entry in value if entry.free_symbols for each in needs_of(entry))
        return SymbolicState(True, value, True, _size(value), needs)

    def touches(self, formula: Basic) -> bool:
        """Return whether a formula has symbols in it, or a name whose value holds some."""
        return bool(entry_symbols(formula)) or any(self.state(used).holds for used in names_in(formula))

    def _is_too_long(self, name: str) -> bool:
        state = self.state(name)
        return state.touched and state.value is None

    def _size_of(self, name: str) -> int:
        state = self.state(name)
        return state.size if state.touched else entry_size(self._solution, name)

    def evaluate(self, formula: MatrixExpr) -> ImmutableDenseMatrix:
        """Return the closed form of a formula over names of the solution; cases left open by symbols remain cases."""
        cases: dict[str, ImmutableDenseMatrix] = {}
        operands = Operands(self._solution, cases)
        stand_ins: dict[Basic, Basic] = {}
        for node in dict.fromkeys(postorder_traversal(formula)):
            if not (type(node) in CASES or isinstance(node, MatAdd)) or not self.touches(node):
                continue
            if isinstance(node, MatAdd):
                value = exact(node.xreplace(stand_ins), operands).applyfunc(_with_infinity)
            else:
                value = CASES[type(node)](node, exact(node.argument.xreplace(stand_ins), operands))
            # '<' cannot be in the name of a step.
            stand_in = MatrixSymbol(f"<case {len(stand_ins) + 1}>", *node.shape)
            stand_ins[node] = stand_in
            cases[stand_in.name] = value
        return exact(formula.xreplace(stand_ins), operands)

    def _needs(self, formula: MatrixExpr, what: str) -> Iterator[Need]:
        """Yield the conditions for a formula to have a value; prove the known ones, or raise an error if one fails."""
        for node in dict.fromkeys(postorder_traversal(formula)):
            if isinstance(node, ops.Quotient):
                yield from needs_of(node.divisor)
                yield from need(node.divisor, "≠")
            elif isinstance(node, MatMul):
                yield from (each for arg in node.args if not arg.is_Matrix for each in needs_of(arg))
            elif is_partial(node) and not self._touches_domain(node):
                prove_defined(node, self._solution, what)
            elif is_partial(node) or (isinstance(node, ops.ArgMax | ops.TopK) and self.touches(node)):
                for operand, relation in conditions(node, what):
                    yield from self._of_entries(operand, relation, f"{what}, {frame(node).operation.name}")

    def _touches_domain(self, node: Basic) -> bool:
        """Return whether a node's domain depends on symbols: that of a softmax does not, and −∞ is not a symbol."""
        return not isinstance(node, ops.Softmax) and self.touches(node.mask if isinstance(node, ops.Keep) else node)

    def _of_entries(self, operand: MatrixExpr, relation: Demanded, what: str) -> Iterator[Need]:
        for value in map(self._tidy, self.evaluate(operand)):
            if value.free_symbols:
                yield from need(value, relation)
            elif not HOLDS[relation](known_order(value, S.Zero)):
                raise DomainError(f"{what}: a number that has to be {relation} 0 is {value}")


_INFINITE = (S.Infinity, S.NegativeInfinity)

_CALLED: Mapping[str, str] = MappingProxyType(
    {"ArgMax": "argmax", "Keep": "the mask of keep", "OneHot": "one_hot", "TopK": "top_k"}
)


@Stage
def conditions(node: Basic, what: str) -> Iterable[tuple[MatrixExpr, Demanded]]:
    """Return the operands of a node that must not be 0, must not be negative or must be positive."""
    # Symbols stand for finite numbers, so conditions that only −∞ could violate are left out.
    return tuple((formula, demand.relation) for demand, formula in asked(node) if not demand.unless_hidden)


@conditions.register(ops.ArgMax)
@conditions.register(ops.TopK)
@conditions.register(ops.Keep)
@conditions.register(ops.OneHot)
def _(node: Basic, what: str) -> Iterable[tuple[MatrixExpr, Demanded]]:
    raise NoValueError(
        f"{what}: {_CALLED[type(node).__name__]} needs numbers, and what it is given holds free symbols; put numbers "
        "in their place with substitute(…)"
    )


def _with_infinity(entry: Expr) -> Expr:
    """Return −∞ where a mask adds it: SymPy leaves −∞ + 1/t unevaluated, as if t could be 0."""
    found = [infinity for infinity in _INFINITE if isinstance(entry, Add) and infinity in entry.args]
    return found[0] if len(found) == 1 else entry


def _holds(value: ImmutableDenseMatrix) -> bool:
    return any(entry.free_symbols for entry in value)


def _nesting(value: ImmutableDenseMatrix) -> int:
    """Return how deep functions are nested; SymPy, looking for a sign, handles each level twice."""
    found: dict[Basic, int] = {}
    for entry in value:
        for node in postorder_traversal(entry):
            if node not in found:
                found[node] = isinstance(node, Function) + max((found[arg] for arg in node.args), default=0)
    return max(found[entry] for entry in value)


def _size(value: ImmutableDenseMatrix) -> int:
    """Estimate how many numbers and letters the longest entry holds."""
    return max((pieces(entry, 4 * limits.CLOSED_FORM) + 1) // 2 for entry in value)
