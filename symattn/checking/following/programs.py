"""Programs of a document, interpreted over values that are enclosures; nothing is executed."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import reduce
from types import MappingProxyType
from typing import Any, TypeAlias

from flint import arb

from symattn.base.budget import Budget, apart, spend
from symattn.base.errors import BudgetError, SymattnError
from symattn.checking.following import arrays, worlds
from symattn.checking.following.array_functions import LIBRARY, call
from symattn.checking.following.arrays import EntryArray, ProgramValue, Unknown, items_of, kind_of
from symattn.checking.following.program_functions import BUILTINS, call_builtin, call_method, compared, spoil, truth_of
from symattn.checking.following.program_texts import (
    PrintedItem,
    ShownValue,
    Text,
    as_parts,
    formatted,
    parts_of,
    percent_text,
    variable_of,
)
from symattn.checking.following.rows import NoFit, ball
from symattn.checking.following.worlds import Worlds

STEPS, BY_NODE = 6_000_000, 8
"""Steps that a piece of a program may cost, and each node of it."""

TURNS, CALLS, ITEMS = 3_000, 30, 1_000
"""Turns of one loop, calls inside each other, and what may be printed."""


@dataclass(frozen=True)
class LibraryModule:
    """A module, or something in one: ``np.linalg``."""

    name: str


@dataclass(frozen=True, eq=False)
class LibraryFunction:
    """A function of a library, or a method with its object."""

    name: str
    bound: tuple[ProgramValue, ...] = ()


@dataclass(frozen=True, eq=False)
class DefinedFunction:
    """A function that the document defines."""

    node: ast.FunctionDef | ast.Lambda
    scope: Variables
    defaults: tuple[Mapping[str, ProgramValue], ...] = ()


@dataclass(eq=False)
class Variables:
    """Variables of a function, or of the program."""

    names: dict[str, ProgramValue]
    outer: Variables | None = None
    of_program: frozenset[str] = frozenset()
    """Names that the function declares ``global`` or ``nonlocal``."""

    def find(self, name: str) -> ProgramValue:
        """Return the value of a name; ``None`` in Python's sense is a value too, so what is missing is a KeyError."""
        scope: Variables | None = self
        while scope is not None:
            if name in scope.names:
                return scope.names[name]
            scope = scope.outer
        raise KeyError(name)

    def bind(self, name: str, value: ProgramValue) -> None:
        """Give a name a value."""
        scope = self
        while name in scope.of_program and scope.outer is not None:
            scope = scope.outer
        scope.names[name] = value


class _ReturnedValue(Exception):
    def __init__(self, value: ProgramValue) -> None:
        super().__init__()
        self.value = value


class _Break(Exception):
    """A loop ends."""


class _Continue(Exception):
    """A turn of a loop ends."""


class _Lost(Exception):
    """A loop may end here, or not."""


def _jump(body: Sequence[ast.AST], reason: str) -> None:
    """Leave a function or a loop that statements which were not followed may leave."""
    waiting = [(node, False) for node in body]
    while waiting:
        node, is_inside = waiting.pop()
        if isinstance(node, ast.Return):
            raise _ReturnedValue(Unknown(reason))
        if isinstance(node, ast.Break | ast.Continue) and not is_inside:
            raise _Lost(reason)
        if not isinstance(node, ast.FunctionDef | ast.Lambda | ast.ClassDef):
            is_inside |= isinstance(node, ast.For | ast.While)
            waiting.extend((each, is_inside) for each in ast.iter_child_nodes(node))


_MODULES = frozenset("np numpy torch F nn jnp jax tf tensorflow math scipy pd plt random".split())
_SILENT = re.compile(r"\A(?:plt|show|plot|display|draw|log|check|assert|pd|sns|ax|fig)")
_CONSTANTS: Mapping[str, Callable[[], arb]] = MappingProxyType(
    {"pi": arb.pi, "e": lambda: arb(1).exp(), "inf": arb.pos_inf, "nan": arb.nan}
)
_RANDOM = re.compile(r"\b(?:random|rand\w*|seed|normal|shuffle|dropout|Dropout|manual_seed|default_rng)\b")

Resolve: TypeAlias = Callable[[str], Any]


@dataclass(eq=False)
class Session:
    """The variables of a document's programs, and what they print."""

    resolve: Resolve = lambda name: None
    """Return what the document says of a name that no program defines, or ``None``."""
    names: dict[str, ProgramValue] = field(default_factory=dict)
    items: list[PrintedItem] = field(default_factory=list)
    formulas: dict[str, str] = field(default_factory=dict)
    """The expressions that variables of the program were assigned last."""
    assigned: dict[str, ProgramValue] = field(default_factory=dict)
    """The variables that the last piece assigned."""
    values: list[PrintedItem] = field(default_factory=list)
    """What the last piece assigned and what stands alone in it, line by line."""
    depth: int = 0

    def run(self, source: str) -> None:
        """Interpret a piece of a program. Raises SyntaxError if it is no Python."""
        body = ast.parse(source).body
        self.assigned, self.values, scope = {}, [], Variables(self.names)
        try:
            with apart(Budget(STEPS)):
                for statement in body:
                    self.do([statement], scope)
                    self._note(statement)
        except BudgetError:
            self.lose(body, scope, "the program takes too many steps")
        except (_ReturnedValue, _Break, _Continue, _Lost) as jump:
            self.lose(body, scope, str(jump) or "a jump outside of a function")
        except RecursionError:
            self.lose(body, scope, "the program is nested too deep")
        for statement in body:
            for name in _targets([statement])[0]:
                self.assigned[name] = self.names.get(name, Unknown("a name that is not assigned"))

    def _note(self, statement: ast.stmt) -> None:
        """Remember what a line assigns or shows, for a comment behind it."""
        match statement:
            case (
                ast.Assign(targets=[ast.Name(id=name)], value=value)
                | ast.AugAssign(target=ast.Name(id=name), value=value)
            ):
                self.formulas[name] = ast.unparse(value) if isinstance(statement, ast.Assign) else name
                shown = ShownValue(self.names.get(name), self.formulas[name], name)
                is_given = isinstance(value, ast.Constant | ast.List | ast.UnaryOp)
                self.values.append(PrintedItem((shown,), statement.lineno, "given" if is_given else "assigned"))

    def do(self, body: Sequence[ast.stmt], scope: Variables) -> None:
        """Interpret statements one after the other."""
        for statement in body:
            spend(BY_NODE)
            try:
                rule = _STATEMENTS.get(type(statement))
                if rule is not None:
                    rule(self, statement, scope)
                    continue
                reason = f"{type(statement).__name__} is not modelled"
            except (NoFit, KeyError, OverflowError, ValueError, TypeError, IndexError) as error:
                reason = str(error) if isinstance(error, NoFit) else "something that is not modelled"
            self.lose([statement], scope, reason)
            _jump([statement], reason)

    def lose(self, body: Sequence[ast.stmt], scope: Variables, reason: str) -> None:
        """Make everything that statements assign or change unknown, and what they print."""
        names, changed = _targets(body)
        for name in changed:
            try:
                spoil(scope.find(name), reason)
            except KeyError:
                continue
        for name in (*names, *changed):
            if not isinstance(scope.names.get(name), EntryArray) or name in names:
                scope.bind(name, Unknown(reason))
        for node in (each for one in body for each in ast.walk(one)):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print":
                _print(self, (ShownValue(Unknown(reason), ""),), node.lineno, "lost")

    def value(self, node: ast.expr, scope: Variables) -> ProgramValue:
        """Evaluate an expression; what cannot be followed is :class:`Unknown`."""
        spend(BY_NODE)
        try:
            rule = _EXPRESSIONS.get(type(node))
            return Unknown(f"{type(node).__name__} is not modelled") if rule is None else rule(self, node, scope)
        except (NoFit, KeyError, OverflowError, ZeroDivisionError, ValueError, TypeError, IndexError) as error:
            if isinstance(error, SymattnError):
                return Unknown(str(error))
            return Unknown(f"{ast.unparse(node)[:60]} is not modelled")


def _do_import(session: Session, node: ast.Import, scope: Variables) -> None:
    for each in node.names:
        root = each.name.partition(".")[0]
        scope.bind(each.asname or root, LibraryModule(each.name if each.asname else root))


def _do_import_from(session: Session, node: ast.ImportFrom, scope: Variables) -> None:
    for each in node.names:
        scope.bind(each.asname or each.name, _member(LibraryModule(node.module or ""), each.name))


def _do_global(session: Session, node: ast.Global | ast.Nonlocal, scope: Variables) -> None:
    scope.of_program |= frozenset(node.names)


def _do_expr(session: Session, node: ast.Expr, scope: Variables) -> None:
    value = session.value(node.value, scope)
    if isinstance(node.value, ast.Call):
        called = ast.unparse(node.value.func)
        if isinstance(value, Unknown) and (_SILENT.match(called) or "seed" in called):
            return
        if isinstance(value, Unknown):
            for each in (node.value.func, *node.value.args):
                owner = each.value if isinstance(each, ast.Attribute) else each
                if isinstance(owner, ast.Name) and owner.id in scope.names:
                    spoil(scope.names[owner.id], value.reason)
        if value is None:
            return
    if scope.outer is None and not isinstance(node.value, ast.Constant):
        shown = _shown(session, node.value, value)
        session.values.append(PrintedItem(shown, node.lineno, "echo"))
        session.items.append(PrintedItem(shown, node.lineno, "echo"))


def _do_function_def(session: Session, node: ast.FunctionDef, scope: Variables) -> None:
    is_plain = not node.decorator_list or all("no_grad" in ast.unparse(each) for each in node.decorator_list)
    yields = any(isinstance(each, ast.Yield | ast.YieldFrom | ast.Await) for each in ast.walk(node))
    made = _function(session, node, scope) if is_plain and not yields else Unknown(f"{node.name} is not modelled")
    scope.bind(node.name, made)


def _do_return(session: Session, node: ast.Return, scope: Variables) -> None:
    raise _ReturnedValue(None if node.value is None else session.value(node.value, scope))


def _do_jump(session: Session, node: ast.Break | ast.Continue, scope: Variables) -> None:
    raise _Break if isinstance(node, ast.Break) else _Continue


def _do_assign(session: Session, node: ast.Assign | ast.AnnAssign, scope: Variables) -> None:
    if node.value is not None:
        value = session.value(node.value, scope)
        for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
            _assign(session, target, value, scope)


def _do_aug_assign(session: Session, node: ast.AugAssign, scope: Variables) -> None:
    target = node.target
    load: ast.expr = ast.parse(ast.unparse(target), mode="eval").body
    before, name = session.value(load, scope), type(node.op).__name__
    by = session.value(node.value, scope)
    if isinstance(before, list) and name == "Add" and isinstance(by, list | tuple):
        call_method("extend", before, [by], {})
        return
    made = _operated(session, name, before, by)
    if not isinstance(before, EntryArray) or isinstance(made, Unknown):
        if isinstance(made, Unknown):
            spoil(before, made.reason)
        _assign(session, target, made, scope)
    elif before.kind == "int" and kind_of(made) == "float":
        spoil(before, "a fraction in an array of integers")
    else:
        arrays.put(before, ..., made)


def _assign(session: Session, target: ast.expr, value: ProgramValue, scope: Variables) -> None:
    match target:
        case ast.Name(id=name):
            scope.bind(name, value)
        case ast.Tuple(elts=targets) | ast.List(elts=targets):
            parts = [value] * len(targets) if isinstance(value, Unknown) else items_of(value)
            if len(parts) != len(targets):
                raise NoFit("so many values for other names")
            for each, part in zip(targets, parts, strict=True):
                _assign(session, each, part, scope)
        case ast.Subscript(value=owner, slice=key):
            of, at = session.value(owner, scope), _key(session, key, scope)
            try:
                if isinstance(of, Unknown):
                    raise NoFit(of.reason)
                arrays.put(of, at, value)
            except NoFit as error:
                spoil(of, str(error))
        case _:
            raise NoFit("an attribute is assigned")


def _do_loop(session: Session, node: ast.For | ast.While, scope: Variables) -> None:
    turns = items_of(session.value(node.iter, scope)) if isinstance(node, ast.For) else range(TURNS)
    if len(turns) > TURNS:
        raise NoFit("a loop with too many turns")
    for each in turns:
        try:
            if isinstance(node, ast.For):
                _assign(session, node.target, each, scope)
            elif not _truth(session, node.test, scope):
                break
            spend(BY_NODE)
            session.do(node.body, scope)
        except _Continue:
            continue
        except _Break:
            return
        except _Lost as lost:
            raise NoFit(str(lost)) from None
    else:
        if isinstance(node, ast.While):
            raise NoFit("a loop with too many turns")
    session.do(node.orelse, scope)


def _known(session: Session, node: ast.expr, scope: Variables) -> ProgramValue:
    """Evaluate an expression. Raises :class:`NoFit` if it is unknown."""
    value = session.value(node, scope)
    if isinstance(value, Unknown):
        raise NoFit(value.reason)
    return value


def _branch(session: Session, node: ast.If | ast.IfExp, scope: Variables) -> Any:
    return node.body if _truth(session, node.test, scope) else node.orelse


def _truth(session: Session, node: ast.expr, scope: Variables) -> bool:
    """Evaluate a condition. Raises :class:`NoFit` if it is open."""
    return truth_of(_known(session, node, scope))


def _of_constant(session: Session, node: ast.Constant, scope: Variables) -> ProgramValue:
    if isinstance(node.value, float):
        return worlds.number(arb.pos_inf() if node.value == float("inf") else ball(Fraction(repr(node.value))))
    if isinstance(node.value, int) and node.value.bit_length() > arrays.MOST_BITS:
        raise NoFit("a number with too many digits")
    return node.value if isinstance(node.value, int | str | type(None)) else Unknown("a constant of another kind")


def _of_name(session: Session, node: ast.Name, scope: Variables) -> ProgramValue:
    try:
        return scope.find(node.id)
    except KeyError:
        pass
    if node.id in BUILTINS:
        return LibraryFunction(node.id)
    if node.id == "__name__":
        return "__main__"
    if (found := session.resolve(node.id)) is not None:
        return arrays.wrapped(found)
    if node.id in _MODULES:
        return LibraryModule(node.id)
    if node.id in LIBRARY:
        return LibraryFunction(f".{node.id}")
    return Unknown(f"{node.id} is not defined here")


def _member(owner: ProgramValue, name: str) -> ProgramValue:
    if isinstance(owner, LibraryModule):
        whole_name = f"{owner.name}.{name}"
        if _RANDOM.search(whole_name):
            return Unknown("random numbers")
        if name in _CONSTANTS and owner.name.partition(".")[0] in ("np", "numpy", "math", "torch", "jnp"):
            return worlds.number(_CONSTANTS[name]())
        if name == "newaxis":
            return None
        root = {"F": "torch", "numpy": "np", "jnp": "np"}.get(owner.name, owner.name.partition(".")[0])
        return LibraryFunction(f"{root}.{name}") if name in LIBRARY else LibraryModule(whole_name)
    if isinstance(owner, EntryArray):
        match name:
            case "T" | "mT":
                return owner.T
            case "shape":
                return owner.shape
            case "ndim":
                return owner.axes
            case "size" if not owner.is_tensor:
                return reduce(lambda a, b: a * b, owner.shape)
            case "data" | "values":
                return owner
            case "dtype" | "device":
                return LibraryModule(owner.kind)
    if isinstance(owner, tuple) and len(owner) == 2 and name in ("values", "indices"):
        return owner[name == "indices"]
    return LibraryFunction(f".{name}", (owner,))


def _of_bin_op(session: Session, node: ast.BinOp, scope: Variables) -> ProgramValue:
    left, right = session.value(node.left, scope), session.value(node.right, scope)
    return _operated(session, type(node.op).__name__, left, right)


def _operated(session: Session, name: str, left: ProgramValue, right: ProgramValue) -> ProgramValue:
    for each in (left, right):
        if isinstance(each, Unknown):
            return each
    if (
        name == "Mod"
        and isinstance(left, str)
        and isinstance(right, Text | str | tuple | int | Worlds | EntryArray | list)
    ):
        return percent_text(left, right if isinstance(right, tuple) else (right,))
    if name == "Add" and (isinstance(left, Text) or isinstance(right, Text)):
        parts = (*as_parts(left), *as_parts(right))
        return Text(parts)
    try:
        return arrays.operate(name, left, right)
    except NoFit as error:
        return Unknown(str(error))


def _of_unary_op(session: Session, node: ast.UnaryOp, scope: Variables) -> ProgramValue:
    value = _known(session, node.operand, scope)
    match node.op:
        case ast.USub():
            return arrays.operate("Mult", value, -1)
        case ast.UAdd():
            return value
        case ast.Not():
            return not truth_of(value)
    if kind_of(value) != "bool":
        raise NoFit("a complement of bits")
    return arrays.entrywise(lambda a: arb(int(a.is_zero())), "bool", value)


def _of_bool_op(session: Session, node: ast.BoolOp, scope: Variables) -> ProgramValue:
    value: ProgramValue = None
    for each in node.values:
        value = _known(session, each, scope)
        if truth_of(value) != isinstance(node.op, ast.And):
            return value
    return value


def _of_compare(session: Session, node: ast.Compare, scope: Variables) -> ProgramValue:
    left = _known(session, node.left, scope)
    made: ProgramValue = True
    for op, other in zip(node.ops, node.comparators, strict=True):
        right = _known(session, other, scope)
        made = compared(type(op).__name__, left, right)
        if len(node.ops) > 1 and not truth_of(made):
            return False
        left = right
    return made


def _listed(session: Session, nodes: Sequence[ast.expr], scope: Variables) -> list[ProgramValue]:
    made: list[ProgramValue] = []
    for each in nodes:
        if isinstance(each, ast.Starred):
            made.extend(items_of(_known(session, each.value, scope)))
        else:
            made.append(session.value(each, scope))
    return made


def _of_dict(session: Session, node: ast.Dict, scope: Variables) -> ProgramValue:
    made: dict[Any, ProgramValue] = {}
    for key, value in zip(node.keys, node.values, strict=True):
        at = None if key is None else _known(session, key, scope)
        if not isinstance(at, str | int):
            raise NoFit("a dictionary with other keys")
        made[at] = session.value(value, scope)
    return made


def _of_list_comp(session: Session, node: ast.ListComp | ast.GeneratorExp, scope: Variables) -> ProgramValue:
    return list(_comprehended(session, node.generators, node.elt, Variables({}, scope)))


def _comprehended(
    session: Session, generators: Sequence[ast.comprehension], made: ast.expr, scope: Variables
) -> Iterator[ProgramValue]:
    if not generators:
        yield session.value(made, scope)
        return
    first, *rest = generators
    turns = items_of(_known(session, first.iter, scope))
    if len(turns) > TURNS:
        raise NoFit("a list that is too long")
    for each in turns:
        _assign(session, first.target, each, scope)
        if all(_truth(session, test, scope) for test in first.ifs):
            yield from _comprehended(session, rest, made, scope)


def _key(session: Session, node: ast.expr, scope: Variables) -> ProgramValue:
    match node:
        case ast.Slice(lower, upper, step):
            return slice(*(None if each is None else _known(session, each, scope) for each in (lower, upper, step)))
        case ast.Tuple(elts=parts):
            return tuple(_key(session, each, scope) for each in parts)
        case ast.Constant(value=value) if value is ...:
            return ...
    return _known(session, node, scope)


def _of_joined_str(session: Session, node: ast.JoinedStr, scope: Variables) -> ProgramValue:
    parts: list[str | ShownValue] = []
    for each in node.values:
        if isinstance(each, ast.FormattedValue):
            value = session.value(each.value, scope)
            spec = ast.unparse(each.format_spec) if each.format_spec is not None else ""
            parts.extend(formatted(value, spec, _shown(session, each.value, value)))
        elif isinstance(each, ast.Constant):
            parts.append(str(each.value))
    if not all(isinstance(each, str) for each in parts):
        return Text(tuple(parts))
    made = "".join(map(str, parts))
    return made if len(made) <= arrays.MOST_ENTRIES else Unknown("a text that is too long")


def _shown(session: Session, node: ast.expr, value: ProgramValue) -> tuple[str | ShownValue, ...]:
    """Return what is printed of a value: of texts their parts."""
    if isinstance(value, str | Text):
        return parts_of(value)
    name = variable_of(node)
    return (ShownValue(value, session.formulas.get(name) or ast.unparse(node)[:200], name),)


def _of_call(session: Session, node: ast.Call, scope: Variables) -> ProgramValue:
    function = _known(session, node.func, scope)
    given = _listed(session, node.args, scope)
    if any(each.arg is None for each in node.keywords):
        raise NoFit("arguments that are unpacked")
    named = {each.arg: session.value(each.value, scope) for each in node.keywords if each.arg}
    if isinstance(function, LibraryFunction) and function.name == "print":
        _printed(session, node, given, named)
        return None
    if isinstance(function, DefinedFunction):
        return _called(session, function, given, named)
    if isinstance(function, LibraryFunction):
        if function.bound and isinstance(function.bound[0], list | dict | str | Text):
            return call_method(function.name[1:], function.bound[0], given, named)
        if function.name in BUILTINS:
            return call_builtin(function.name, given, named)
        return _of_library(function, given, named)
    if isinstance(function, LibraryModule) and "set_printoptions" in function.name:
        return None
    raise NoFit(f"{ast.unparse(node.func)[:60]} is not modelled")


def _of_library(
    function: LibraryFunction, given: Sequence[ProgramValue], named: Mapping[str, ProgramValue]
) -> ProgramValue:
    """Call a function of NumPy, PyTorch or SciPy, or a method."""
    root, _, name = function.name.rpartition(".")
    options = {key: value for key, value in named.items() if key != "inplace"}
    if root == "scipy" and "softmax" in name:
        options.setdefault("axis", None)
    made = call(name, *function.bound, *given, **options)
    if isinstance(made, EntryArray) and root in ("torch", "np", "numpy"):
        made.is_tensor = root == "torch"
    return made


def _function(session: Session, node: ast.FunctionDef | ast.Lambda, scope: Variables) -> ProgramValue:
    if node.args.vararg or node.args.kwarg:
        return Unknown("a function with any number of arguments")
    ordered = [each.arg for each in (*node.args.posonlyargs, *node.args.args)]
    defaults = dict(zip(ordered[len(ordered) - len(node.args.defaults) :], node.args.defaults, strict=True))
    defaults |= {
        each.arg: value
        for each, value in zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True)
        if value is not None
    }
    return DefinedFunction(node, scope, ({name: session.value(each, scope) for name, each in defaults.items()},))


def _called(
    session: Session, function: DefinedFunction, given: Sequence[ProgramValue], named: Mapping[str, ProgramValue]
) -> ProgramValue:
    """Call a function that the document defines."""
    node = function.node
    ordered = [each.arg for each in (*node.args.posonlyargs, *node.args.args)]
    asked = {*ordered, *(each.arg for each in node.args.kwonlyargs)}
    values = {**function.defaults[0], **dict(zip(ordered, given, strict=False)), **named}
    if len(given) > len(ordered) or set(values) != asked:
        raise NoFit("a call with other arguments than the function has")
    if session.depth >= CALLS:
        raise NoFit("too many calls inside each other")
    session.depth += 1
    try:
        scope = Variables(dict(values), function.scope)
        if isinstance(node, ast.Lambda):
            return session.value(node.body, scope)
        session.do(node.body, scope)
    except _ReturnedValue as returned:
        return returned.value
    finally:
        session.depth -= 1
    return None


def _printed(
    session: Session, node: ast.Call, given: Sequence[ProgramValue], named: Mapping[str, ProgramValue]
) -> None:
    parts: list[str | ShownValue] = []
    apart_by = named.get("sep", " ")
    for place, value in enumerate(given):
        if place:
            parts.append(apart_by if isinstance(apart_by, str) else " ")
        is_plain = len(node.args) == len(given) and not isinstance(node.args[place], ast.Starred)
        parts.extend(_shown(session, node.args[place], value) if is_plain else as_parts(value))
    _print(session, tuple(parts), node.lineno)


def _print(session: Session, parts: tuple[str | ShownValue, ...], line: int, kind: str = "print") -> None:
    if len(session.items) < ITEMS:
        session.items.append(PrintedItem(parts, line, kind))


def _targets(body: Sequence[ast.stmt]) -> tuple[list[str], list[str]]:
    """Return the names that statements assign, and those of objects that they change."""
    names: dict[str, None] = {}
    changed: dict[str, None] = {}
    waiting: list[ast.AST] = list(body)
    while waiting:
        node = waiting.pop(0)
        match node:
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name) | ast.AsyncFunctionDef(name=name):
                names[name] = None
                continue
            case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
                names[name] = None
            case ast.AugAssign(target=target) if (owner := _owner(target)) is not None:
                changed[owner] = None
            case ast.Subscript(ctx=ast.Store()) | ast.Attribute(ctx=ast.Store()):
                if (owner := _owner(node)) is not None:
                    changed[owner] = None
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=inner))):
                if (owner := _owner(inner)) is not None and owner not in _MODULES:
                    changed[owner] = None
        waiting.extend(ast.iter_child_nodes(node))
    return list(names), list(changed)


def _owner(node: ast.AST) -> str | None:
    """Return the variable that a part belongs to: ``S`` of ``S[0][1]``."""
    while isinstance(node, ast.Subscript | ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else None


_STATEMENTS: Mapping[type[ast.stmt], Callable[..., None]] = MappingProxyType(
    {
        ast.Pass: lambda *_: None,
        ast.Assert: lambda *_: None,
        ast.Import: _do_import,
        ast.ImportFrom: _do_import_from,
        ast.Global: _do_global,
        ast.Nonlocal: _do_global,
        ast.Expr: _do_expr,
        ast.FunctionDef: _do_function_def,
        ast.Return: _do_return,
        ast.Break: _do_jump,
        ast.Continue: _do_jump,
        ast.Assign: _do_assign,
        ast.AnnAssign: _do_assign,
        ast.AugAssign: _do_aug_assign,
        ast.If: lambda session, node, scope: session.do(_branch(session, node, scope), scope),
        ast.For: _do_loop,
        ast.While: _do_loop,
        ast.With: lambda session, node, scope: session.do(node.body, scope),
    }
)
_EXPRESSIONS: Mapping[type[ast.expr], Callable[..., ProgramValue]] = MappingProxyType(
    {
        ast.Constant: _of_constant,
        ast.Name: _of_name,
        ast.Attribute: lambda session, node, scope: _member(_known(session, node.value, scope), node.attr),
        ast.BinOp: _of_bin_op,
        ast.UnaryOp: _of_unary_op,
        ast.BoolOp: _of_bool_op,
        ast.Compare: _of_compare,
        ast.IfExp: lambda session, node, scope: session.value(_branch(session, node, scope), scope),
        ast.Tuple: lambda session, node, scope: tuple(_listed(session, node.elts, scope)),
        ast.List: lambda session, node, scope: _listed(session, node.elts, scope),
        ast.Dict: _of_dict,
        ast.ListComp: _of_list_comp,
        ast.GeneratorExp: _of_list_comp,
        ast.Subscript: lambda session, node, scope: arrays.get(
            _known(session, node.value, scope), _key(session, node.slice, scope)
        ),
        ast.Lambda: lambda session, node, scope: _function(session, node, scope),
        ast.JoinedStr: _of_joined_str,
        ast.Call: _of_call,
    }
)
