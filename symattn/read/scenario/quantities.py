"""Names that are not matrices: quantities, which are numbers over sizes, and tensors, which are stacked matrices."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod
from types import MappingProxyType

from sympy import Expr

from symattn.base.errors import FormulaError, ShapeError, SymattnError, cut
from symattn.operations.terms import Kept, size_symbol
from symattn.read.plan import Plan, names_in
from symattn.read.quantities import Quantity, in_letters, needed, put_in, quantity_values, read_quantity, unknown_in
from symattn.read.scenario.definitions import DefinedName, entries, must_be_name, split_step
from symattn.read.scenario.model import SizesByName
from symattn.read.scenario.problem import AT_ONCE, Key, Problem, Problems, key_text, located, must_be_known
from symattn.read.scenario.schema import File
from symattn.read.scenario.tables import QuantityTable, TensorTable


@dataclass(frozen=True)
class Extras:
    """The quantities and tensors of a file, and the keys that define them."""

    quantities: Mapping[str, Quantity]
    tensors: frozenset[str]
    keys: Mapping[str, Key]


def read_extras(file: File, derivation: Plan, defined: tuple[DefinedName, ...], problems: Problems = AT_ONCE) -> Extras:
    """Read quantities and tensors in the order of the file; every name must be new, every quantity a number."""
    quantities: dict[str, Quantity] = {}
    known = quantity_values({}, derivation.sizes)
    keys = {definition.name: definition.key for definition in defined}
    found: dict[str, Key] = {}
    for key, entry in entries(file):
        if isinstance(entry, QuantityTable):
            with problems.caught(breaks=entry.quantity.partition("=")[0].strip()):
                name, place, formula = split_step(entry.quantity, (*key, "quantity"))
                _must_be_new(name, place, "a quantity", derivation, {**keys, **found})
                quantities[name] = _quantity(name, formula, place, derivation, quantities, known)
                found[name] = place
        elif isinstance(entry, TensorTable):
            with problems.caught(breaks=entry.tensor.strip()):
                name, place = entry.tensor.strip(), (*key, "tensor")
                _must_be_new(name, place, "a tensor", derivation, {**keys, **found})
                found[name] = place
    tensors = frozenset(name for name in found if name not in quantities) | derivation.batches.keys()
    return Extras(MappingProxyType(quantities), tensors, MappingProxyType(found))


def _must_be_new(name: str, key: Key, what: str, derivation: Plan, keys: Mapping[str, Key]) -> None:
    must_be_name(name, key, what)
    if name in keys:
        raise Problem(key, f"{name} is already defined at {key_text(keys[name])}: give this one another name")
    if name in derivation.sizes:
        raise Problem(key, f"{name} is already the name of a size: give {what} another name")
    if name in derivation.symbols:
        raise Problem(key, f"{name} is already one of the symbols: give {what} another name")


def _quantity(
    name: str, text: str, key: Key, derivation: Plan, earlier: Mapping[str, Quantity], known: dict[Expr, Expr]
) -> Quantity:
    """Read one quantity; its value is added to ``known`` if it needs no counting."""
    try:
        quantity = read_quantity(name, text, derivation, earlier)
        for kept in quantity.value.atoms(Kept):
            _must_be_countable(kept, derivation)
        if not unknown_in(quantity.value, known):
            known[quantity.symbol] = put_in(quantity.value, known)
    except SymattnError as error:
        where = "" if str(error).startswith("formula ") else f"{name} = {cut(text)}: "
        raise Problem.of(type(error)(f"{where}{error}"), key) from None
    return quantity


def _must_be_countable(kept: Kept, derivation: Plan) -> None:
    general = [name for name in names_in(kept.mask) if derivation[name].general]
    if general and kept.letters is None:
        raise FormulaError(f"{general[0]} is general: it has no entries to count")


def read_at(
    name: str, at: Mapping[str, int], derivation: Plan, quantities: Mapping[str, Quantity], key: Key
) -> SizesByName:
    """Read other sizes for a quantity: each must be in its formula, and together they must give it a value."""
    must_be_known(name, quantities, key)  # if it is not, the problem of the quantity has been reported
    letters = in_letters(quantities[name].value, quantities)
    if letters.atoms(Kept):
        reason = "counts the entries of a mask one by one, and for other sizes there is no such mask"
        raise Problem(key, f"{name} {reason}: expected no at")
    for size in at:
        must_be_known(size, derivation.sizes, (*key, size), "size")
        if size_symbol(size) not in letters.free_symbols:
            used = ", ".join(sorted(map(str, letters.free_symbols))) or "no letters"
            raise Problem((*key, size), f"{size} is not in {name}, which has {used}")
    sizes = {**derivation.sizes, **at}
    if missing := unknown_in(letters, quantity_values({}, sizes)):
        raise Problem(key, f"{name} has no value here: {missing[0]} is a letter without a number")
    with located(key):
        quantity_values({**needed(quantities[name].value, quantities), name: quantities[name]}, sizes)
    return tuple(at.items())


def check_tensor(table: TensorTable, derivation: Plan, key: Key) -> None:
    """Check that a tensor's matrices have one shape, and that there are as many as its axes have places."""
    name = table.tensor.strip()
    for number, matrix in enumerate(table.of):
        must_be_known(matrix, derivation.by_name, (*key, "of", number))
    for number, axis in enumerate(table.axes):
        must_be_known(axis, derivation.sizes, (*key, "axes", number), "axis", f"; [sizes] names one: {axis} = 2")
        if not isinstance(derivation.sizes[axis], int):
            raise Problem((*key, "axes", number), f"{axis} is a letter without a number: expected a name from [sizes]")
    sizes = [int(derivation.sizes[axis]) for axis in table.axes]
    places, count = prod(sizes), len(table.of)
    if places != count:
        product = f"{' × '.join(table.axes)} = {' × '.join(map(str, sizes))}"
        total = f" = {places}" if len(sizes) > 1 else ""
        raise Problem(
            (*key, "axes"),
            f"the axes of {name} have {product}{total} {'place' if places == 1 else 'places'}, and of lists {count} "
            f"{'matrix' if count == 1 else 'matrices'}: expected one matrix for each place",
            ShapeError,
        )
    first = derivation[table.of[0]]
    for number, matrix in enumerate(table.of):
        if derivation[matrix].shape.sizes != first.shape.sizes:
            raise Problem(
                (*key, "of", number),
                f"{first.name} is {first.shape}, {matrix} is {derivation[matrix].shape}: the matrices of one tensor "
                "have one shape",
                ShapeError,
            )
