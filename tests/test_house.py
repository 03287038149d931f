"""The house holds: imports go downwards, files stay small, no module has state, nothing is run as code."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import TypeGuard

from tests.floors import FLOORS

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "symattn"
FILES = sorted(PACKAGE.rglob("*.py"))

NARROWER: dict[str, tuple[str, ...]] = {
    "compute.values": ("operations", "base"),
    "read.formula": ("operations", "base"),
}
"""Rooms that may not have everything below them: a formula does not know how numbers are worked out."""

NOT_HERE: dict[str, tuple[str, ...]] = {
    "write": ("sympy", "flint", "numpy", "mpmath", "symattn.compute", "symattn.operations"),
    "show": ("numpy", "jinja2", "symattn.write"),
    "operations": ("flint", "numpy"),
    "read.formula": ("flint", "numpy"),
    "read.plan": ("flint", "numpy"),
    "read.scenario": ("numpy", "jinja2", "symattn.compute"),
    "compute.proof": ("numpy",),
    "base.shapes": ("sympy", "flint", "numpy"),
    "base.errors": ("sympy", "flint", "numpy"),
    "base.limits": ("sympy", "flint", "numpy"),
}
"""What a room has nothing to do with."""

LONGEST_FILE = 800
MOST_METHODS = 25
MORE_METHODS: dict[str, tuple[int, str]] = {
    "api.authoring.derivation.Derivation": (48, "the derivation that users write"),
    "api.worked.WorkedSolution": (28, "the solution that users see"),
    "checking.following.evaluate.Appraiser": (40, "until the issue about checking"),
    "checking.following.follow.Follower": (28, "until the issue about checking"),
    "compute.solution.evaluation.Evaluation": (39, "the values of a solution, of which its parts know only the store"),
    "compute.solution.store.Store": (30, "the store, with the questions that its values answer"),
    "show.build._Builder": (26, "until the issue about what a page shows"),
    "write.beamer.SlidePage": (26, "until slides are a table of blocks"),
    "write.beamer._ByEntry": (46, "a writer of mathematics has a method for each kind of piece"),
    "write.beamer._ByLine": (46, "a writer of mathematics has a method for each kind of piece"),
    "write.math_writer.MathWriter": (35, "a writer of mathematics has a method for each kind of piece"),
    "write.mathml.MathML": (43, "a writer of mathematics has a method for each kind of piece"),
    "write.pandoc.WordDisplay": (46, "a writer of mathematics has a method for each kind of piece"),
    "write.plain_math.PlainMath": (44, "a writer of mathematics has a method for each kind of piece"),
    "write.tex_math.BookTex": (46, "a writer of mathematics has a method for each kind of piece"),
    "write.tex_math.DollarTex": (46, "a writer of mathematics has a method for each kind of piece"),
    "write.tex_math.MarkdownTex": (46, "a writer of mathematics has a method for each kind of piece"),
    "write.tex_math.NotebookTex": (46, "a writer of mathematics has a method for each kind of piece"),
    "write.tex_math.TexMath": (46, "a writer of mathematics has a method for each kind of piece"),
    "write.tex_math.WordTex": (46, "a writer of mathematics has a method for each kind of piece"),
    "write.typst_math.TypstMath": (44, "a writer of mathematics has a method for each kind of piece"),
}
"""Classes with more methods, how many, and why. The table can only shrink."""


def test_no_module_has_a_name_of_the_standard_library() -> None:
    # A script of the package has its folder in front of the path: `import numbers` would find ours.
    assert not {path.stem for path in PACKAGE.iterdir()} - {"__init__", "__main__"} & sys.stdlib_module_names


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def nodes_of(path: Path) -> list[ast.AST]:
    return list(ast.walk(tree_of(path)))


@cache
def name_of(path: Path) -> str:
    """``symattn/compute/values/ball.py`` as ``values.ball``; the package itself as the empty string."""
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    return ".".join(part for part in parts if part != "__init__")


def is_in(module: str, room: str) -> bool:
    return f"{module}.".startswith(f"{room}.")


def imports_in(nodes: Iterable[ast.AST]) -> Iterator[tuple[str, int]]:
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from ((alias.name, node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"line {node.lineno}: imports are written in full"
            yield from ((f"{node.module}.{alias.name}", node.lineno) for alias in node.names)


@cache
def imported(path: Path) -> list[tuple[str, int]]:
    """The full names of everything a module imports, wherever in it that happens, and the line."""
    return list(imports_in(nodes_of(path)))


MODULES = {name_of(path) for path in FILES}


def modules_of_ours(path: Path) -> Iterator[tuple[str, int]]:
    """The modules of symattn that a module imports, without the package's name."""
    for full, line in imported(path):
        if full == "symattn" or full.startswith("symattn."):
            name = full.removeprefix("symattn").removeprefix(".")
            while name not in MODULES:
                name = name.rpartition(".")[0]
            yield name, line


@cache
def floors_of(room: str) -> dict[str, int]:
    """The parts of a room, each with its floor."""
    return {part: number for number, floor in enumerate(FLOORS[room]) for part in floor.split()}


def everywhere(files: list[Path]) -> Callable[[Callable[[Path], None]], Callable[[], None]]:
    """One test of a rule for all files: it tells every place that breaks it."""

    def whole(rule: Callable[[Path], None]) -> Callable[[], None]:
        def test() -> None:
            broken = []
            for path in files:
                try:
                    rule(path)
                except AssertionError as error:
                    broken.append(f"{path.relative_to(ROOT)}: {error}")
            assert not broken, "\n".join(broken)

        return test

    return whole


def where(path: Path, line: int) -> str:
    return f"{path.relative_to(ROOT)}, line {line}"


# Imports


@everywhere(FILES)
def test_imports_go_downwards(path: Path) -> None:
    """In the package and in every room: of the first parts in which two names differ, the importing one is higher."""
    here = name_of(path)
    for other, line in modules_of_ours(path):
        room, mine, there = "", here, other
        while mine and there and mine != there:
            (mine, _, mine_inside), (there, _, there_inside) = mine.partition("."), there.partition(".")
            if mine == there:
                room, mine, there = f"{room}.{mine}".lstrip("."), mine_inside, there_inside
                continue
            floors = floors_of(room)
            assert floors[there] < floors[mine], f"{where(path, line)}: {mine} imports {there}, which is not below it"
            break


def circles(imports: dict[str, set[str]]) -> list[frozenset[str]]:
    """The modules that know each other, however long the way round."""
    reached = {module: set(found) for module, found in imports.items()}
    while True:
        further = {module: found.union(*(reached[other] for other in found)) for module, found in reached.items()}
        if further == reached:
            break
        reached = further
    around = {frozenset({one, *(other for other in found if one in reached[other])}) for one, found in reached.items()}
    return sorted((circle for circle in around if len(circle) > 1), key=sorted)


def test_no_modules_import_each_other() -> None:
    """Also not inside functions, nor for their types alone."""
    imports = {name_of(path): {other for other, _ in modules_of_ours(path) if other != name_of(path)} for path in FILES}
    assert circles({"a": {"b"}, "b": {"c"}, "c": {"b"}}) == [frozenset("bc")]
    found = circles(imports)
    assert not found, "\n".join(", ".join(sorted(circle)) for circle in found)


@everywhere(FILES)
def test_no_room_knows_more_than_it_should(path: Path) -> None:
    here = name_of(path)
    for room, allowed in NARROWER.items():
        for other, line in modules_of_ours(path) if is_in(here, room) else ():
            assert any(is_in(other, each) for each in (room, *allowed)), f"{where(path, line)}: {room} imports {other}"
    for room, forbidden in NOT_HERE.items():
        for full, line in imported(path) if is_in(here, room) else ():
            assert not any(is_in(full, each) for each in forbidden), f"{where(path, line)}: {room} imports {full}"


@everywhere([path for path in FILES if name_of(path).startswith("compute.values.")])
def test_the_cross_check_shares_nothing_with_the_other_evaluators(path: Path) -> None:
    """NumPy in a module of values and its equations, and these use none of the others."""
    here = name_of(path)
    names = [full for full, _ in imported(path)]
    rooms = tuple(f"symattn.{room}" for room in FLOAT_ROOMS)

    if here in FLOAT_ROOMS:
        others = (
            "flint",
            "mpmath",
            "symattn.compute.values",
            "symattn.compute.solution",
            "symattn.operations.equations.run",
        )
        assert not [name for name in names if name.startswith(others) and not name.startswith(rooms)]
    else:
        assert not [name for name in names if name.startswith(("numpy", *rooms))]


def test_heavy_imports_wait_until_they_are_needed() -> None:
    """`symattn --help` imports neither SymPy nor anything that does."""
    for name in ("", "__main__", "cli"):
        path = next(path for path in FILES if name_of(path) == name)
        for node in at_import(tree_of(path)):
            for full, line in imports_in(ast.walk(node)):
                light = full.split(".")[0] not in ("sympy", "numpy", "flint", "jinja2", "pydantic")
                ours = full.startswith("symattn.") and not full.startswith(
                    ("symattn.base.errors", "symattn.cli", "symattn.__version__")
                )
                assert light, f"{where(path, line)}: imports {full}"
                assert not ours, f"{where(path, line)}: imports {full}"


def at_import(tree: ast.Module) -> Iterator[ast.stmt]:
    """The statements that run when a module is imported."""
    for statement in tree.body:
        if isinstance(statement, ast.If) and "TYPE_CHECKING" in ast.unparse(statement.test):
            continue
        if not isinstance(statement, ast.FunctionDef | ast.ClassDef):
            yield statement


# Size and state


@everywhere(FILES)
def test_no_file_grows_long(path: Path) -> None:
    lines = path.read_text(encoding="utf-8").count("\n")

    assert lines <= LONGEST_FILE, f"{lines} lines"


def classes_of(trees: dict[str, ast.Module]) -> dict[str, tuple[set[str], list[str]]]:
    """Every class by its module and name: the methods that it has itself, and its bases among these classes."""
    nodes = {
        f"{module}.{node.name}": node for module, tree in trees.items() for node in ast.walk(tree) if is_class(node)
    }
    homes: dict[str, str] = {}
    for full in nodes:
        homes.setdefault(full.rpartition(".")[2], full)
    found: dict[str, tuple[set[str], list[str]]] = {}
    for full, node in nodes.items():
        names = [ast.unparse(base).split("[")[0].split(".")[-1] for base in node.bases]
        near = [f"{full.rpartition('.')[0]}.{name}" for name in names]
        bases = [one if one in nodes else homes.get(name, "") for one, name in zip(near, names, strict=True)]
        own = {each.name for each in node.body if isinstance(each, ast.FunctionDef)}
        found[full] = own, [base for base in bases if base not in ("", full)]
    return found


def is_class(node: ast.AST) -> TypeGuard[ast.ClassDef]:
    return isinstance(node, ast.ClassDef)


def methods_of(full: str, classes: dict[str, tuple[set[str], list[str]]]) -> set[str]:
    """The names of the methods of a class, with those of its bases in the package."""
    own, bases = classes[full]
    return own.union(*(methods_of(base, classes) for base in bases))


def test_no_class_has_many_methods() -> None:
    """With those of its bases, so that none is cut over files by inheritance."""
    small = ast.parse("class A:\n def f(self): ...\nclass B(A):\n def g(self): ...")
    assert methods_of("m.B", classes_of({"m": small})) == {"f", "g"}
    classes = classes_of({name_of(path): tree_of(path) for path in FILES})
    counts = {full: len(methods_of(full, classes)) for full in classes}
    many = {full: count for full, count in counts.items() if count > MOST_METHODS}

    assert not [f"{full}: {many[full]}" for full in many if many[full] > MORE_METHODS.get(full, (MOST_METHODS,))[0]]
    assert not [full for full in MORE_METHODS if full not in many], "these are small now: take them out of the table"


MUTABLE = (ast.List, ast.Dict, ast.Set, ast.ListComp, ast.DictComp, ast.SetComp)
MAKERS = {"list", "dict", "set", "bytearray", "defaultdict", "deque", "Counter", "OrderedDict", "WeakKeyDictionary"}
GROWS = set("append extend update add setdefault pop clear insert remove".split())
TABLE = re.compile(r"_?[A-Z][A-Z0-9_]*\Z|__(all|test)__\Z")


@everywhere(FILES)
def test_nothing_at_the_top_of_a_module_can_change(path: Path) -> None:
    """Lists, dicts and sets only as tables in capitals; no ``global``; no table is written to."""
    tables: set[str] = set()
    for statement in at_import(tree_of(path)):
        targets = statement.targets if isinstance(statement, ast.Assign) else [getattr(statement, "target", None)]
        value = getattr(statement, "value", None)
        made = isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id in MAKERS
        if not (isinstance(value, MUTABLE) or made):
            continue
        for target in targets:
            name = ast.unparse(target) if target is not None else ""
            assert TABLE.match(name), f"{where(path, statement.lineno)}: {name} can change"
            tables.add(name)
    for node in nodes_of(path):
        assert not isinstance(node, ast.Global), f"{where(path, node.lineno)}: global"
        if isinstance(node, ast.Assign | ast.AugAssign | ast.Delete):
            changed = node.targets if isinstance(node, ast.Assign | ast.Delete) else [node.target]
            for target in changed:
                written = isinstance(target, ast.Subscript) and ast.unparse(target.value) in tables
                assert not written, f"{where(path, node.lineno)}: writes to a table"
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            changes = node.func.attr in GROWS and ast.unparse(node.func.value) in tables
            assert not changes, f"{where(path, node.lineno)}: changes a table"


# Numbers and code

FLOAT_ROOMS = {"compute.values.float64"}
"""Where double precision is the point."""


EXACT_ROOMS = "compute.values compute.solution operations read.formula read.plan read.scenario".split()


@everywhere(FILES)
def test_no_float_is_written_where_values_are_worked_out(path: Path) -> None:
    here = name_of(path)
    if here in FLOAT_ROOMS or not any(is_in(here, room) for room in EXACT_ROOMS):
        return
    for node in nodes_of(path):
        is_float = isinstance(node, ast.Constant) and isinstance(node.value, float | complex)
        assert not is_float, f"{where(path, node.lineno)}: the float {ast.unparse(node)}"
        if isinstance(node, ast.Call) and ast.unparse(node.func) in {"float", "Float", "sympy.Float", "N", "nsimplify"}:
            allowed = here == "compute.solution.doubles" and enclosing(tree_of(path), node) == "doubles"
            assert allowed, f"{where(path, node.lineno)}: makes a float"


def enclosing(tree: ast.AST, wanted: ast.AST) -> str:
    """The name of the innermost function around a node."""
    found = ""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and any(inner is wanted for inner in ast.walk(node)):
            found = node.name
    return found


FORBIDDEN_CALLS = set(
    "eval exec compile __import__ parse_expr parse_latex lambdify S sympify nsimplify system popen".split()
)
FORBIDDEN_IMPORTS = tuple(
    f"{name}." for name in "pickle marshal shelve dill code subprocess sympy.parsing os.system ctypes".split()
)


@everywhere(FILES)
def test_nothing_from_outside_is_run_as_code(path: Path) -> None:
    for full, line in imported(path):
        runs = full == "subprocess" and name_of(path) == "write.pdf"  # what a page needs, without a shell
        assert runs or not f"{full}.".startswith(FORBIDDEN_IMPORTS), f"{where(path, line)}: imports {full}"
    for node in nodes_of(path):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute | ast.Name):
            called = node.func.attr if isinstance(node.func, ast.Attribute) else node.func.id
            if called in FORBIDDEN_CALLS:
                own = isinstance(node.func, ast.Attribute) and ast.unparse(node.func.value) in {"re", "self", "typst"}
                assert own, f"{where(path, node.lineno)}: calls {called}"


def test_the_global_settings_of_sympy_mpmath_and_flint_are_left_alone() -> None:
    for path in FILES:
        for node in nodes_of(path):
            if not isinstance(node, ast.Assign | ast.AugAssign):
                continue
            for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                if not isinstance(target, ast.Attribute | ast.Subscript):
                    continue
                text = ast.unparse(target)
                flint = text.startswith("ctx.") and not (name_of(path) == "compute.values.balls" and text == "ctx.prec")
                assert not flint, f"{where(path, node.lineno)}: {text}"
                assert not text.startswith(("mp.", "mpmath.", "sympy.")), f"{where(path, node.lineno)}: {text}"


@everywhere(FILES)
def test_properties_that_are_worked_out_once_hold_no_lock(path: Path) -> None:
    names = [full for full, _ in imported(path)]

    assert "functools.cached_property" not in names, f"{name_of(path)}: use symattn.base.remembered"


# Operations say what they are


def nodes_of_operations() -> list[ast.ClassDef]:
    """The classes that are MatrixExpr, directly or through what several nodes share."""
    files = [path for path in FILES if name_of(path).startswith("operations.")]
    classes = [node for path in files for node in tree_of(path).body if isinstance(node, ast.ClassDef)]
    found = made_of("MatrixExpr", classes)
    return [node for node in classes if node.name in found and not node.name.startswith("_")]


def made_of(base: str, classes: Iterable[ast.ClassDef]) -> set[str]:
    """The names of a class and of all that are made of it, at however many removes."""
    bases = {node.name: {ast.unparse(each).split(".")[-1] for each in node.bases} for node in classes}
    found = {base}
    while more := {name for name, above in bases.items() if above & found} - found:
        found |= more
    return found


def test_the_docstring_of_an_operation_starts_with_its_formula() -> None:
    """Its shapes are those of its definition; what has none says them, with an example."""
    for node in nodes_of_operations():
        text = ast.get_docstring(node) or ""
        defined = any(isinstance(each, ast.Assign) and "definition" in ast.unparse(each.targets) for each in node.body)

        assert "=" in text.splitlines()[0], f"{node.name}: the docstring starts with the formula"
        assert defined or re.search(r"^Shapes: .*→", text, re.MULTILINE), f"{node.name}: no line of shapes"
        assert defined or ">>> " in text, f"{node.name}: no example"
        order = [text.index(part) for part in ("Shapes:", ">>> ", "Source:") if part in text]
        assert order == sorted(order), f"{node.name}: formula, shapes, example, source, in this order"


# One word for one thing, and errors that are said

CAMEL = re.compile(r"[A-Z][A-Za-z0-9]*[a-z][A-Za-z0-9]*")


def types_of(tree: ast.Module) -> Iterator[str]:
    """The names of the classes and type aliases of a module, without private ones and variables of types."""
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            names = [node.name]
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            if isinstance(node.value, ast.Call) and ast.unparse(node.value.func) == "TypeVar":
                continue
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names = [target.id for target in targets if isinstance(target, ast.Name)]
        else:
            continue
        yield from filter(CAMEL.fullmatch, names)


def test_a_type_name_stands_for_one_thing_in_the_whole_package() -> None:
    homes: dict[str, list[str]] = {}
    for path in FILES:
        for name in dict.fromkeys(types_of(tree_of(path))):
            homes.setdefault(name, []).append(name_of(path))
    twice = {name: modules for name, modules in homes.items() if len(modules) > 1}

    assert twice == {}, "defined in several modules: one keeps the name, the others find their own word"


@cache
def errors() -> set[str]:
    return made_of(
        "SymattnError", [node for path in FILES for node in tree_of(path).body if isinstance(node, ast.ClassDef)]
    )


def public(body: list[ast.stmt], inside: str = "") -> Iterator[tuple[str, ast.FunctionDef]]:
    """The functions of a module, and the methods of its classes, that anybody may call."""
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("_"):
            if isinstance(node, ast.FunctionDef):
                yield f"{inside}{node.name}", node
            else:
                yield from public(node.body, f"{node.name}.")


def raised(function: ast.FunctionDef) -> Iterator[str]:
    """The errors of ours that a function raises by itself, not in a function inside it, and does not catch."""
    waiting: list[ast.AST] = list(function.body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Lambda):
            continue
        if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
            name = ast.unparse(node.exc.func).split(".")[-1]
            if name in errors():
                yield name
        waiting.extend(ast.iter_child_nodes(node))


def unsaid(path: Path) -> list[str]:
    return [
        f"{name}: {error}"
        for name, function in public(tree_of(path).body)
        for error in sorted(set(raised(function)))
        if error not in (ast.get_docstring(function) or "")
    ]


def test_public_functions_say_what_they_raise() -> None:
    broken = {name_of(path): names for path in FILES if (names := unsaid(path))}

    assert broken == {}


def test_the_house_was_found() -> None:
    assert len(FILES) > 20
    nodes = "Softmax LayerNorm ReLU CausalMask Broadcast Row Quotient Dot Cosine Entropy"
    assert {node.name for node in nodes_of_operations()} >= set(nodes.split())
    assert {"compute.values", "compute.solution", "read.formula", "read.scenario"} <= MODULES


@everywhere(
    [PACKAGE / "write" / "layout.py", PACKAGE / "write" / "latex.py", PACKAGE / "course" / "sheet" / "answer.py"]
)
def test_sizes_on_a_page_are_added_the_same_way_by_every_python(path: Path) -> None:
    # From Python 3.12 on `sum` adds floats otherwise, and a sheet had another number of lines.
    for node in nodes_of(path):
        added = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "sum"
        assert not added, f"{where(path, node.lineno)}: sizes are added by layout.total"


def test_every_module_has_its_floor() -> None:
    rooms = {module.rpartition(".")[0] for module in MODULES - {""}}
    for room in rooms:
        below = {module for module in MODULES - {room, ""} if is_in(module, room) or not room}
        inside = {module.removeprefix(f"{room}.").partition(".")[0] for module in below}
        assert len(inside) < 2 or set(floors_of(room)) == inside, room
    assert set(FLOORS) <= rooms


def test_the_package_has_few_rooms() -> None:
    """Twelve names are what somebody can hold in mind."""
    assert len(floors_of("")) - len({"__main__"}) <= 12
