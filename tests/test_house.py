"""The floors of the house: imports go downwards, files stay small, nothing from outside is run."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "symattn"
FILES = sorted(PACKAGE.rglob("*.py"))

FLOORS = [
    {"errors", "limits"},
    {"shapes"},
    {"operations"},
    {"formula", "values"},
    {"derivation"},
    {"scenario"},
    {"solution"},
    {"listing"},
    {"document"},
    {"render"},
    {"files"},
    {"api", "cli", "__init__", "__main__"},
]
"""From the ground up. Inside one floor modules may import one another."""

LEVEL = {part: level for level, parts in enumerate(FLOORS) for part in parts}

LONGEST_FILE = 470


def part_of(path: Path) -> str:
    first = path.relative_to(PACKAGE).parts[0]
    return first.removesuffix(".py")


def imports(path: Path) -> set[str]:
    """The parts of symattn that a file imports, those for types only left out."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            node.body = []
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "symattn":
            rest = node.module.split(".")[1:]
            found.update([rest[0]] if rest else [alias.name for alias in node.names])
        elif isinstance(node, ast.Import):
            found.update(alias.name.split(".")[1] for alias in node.names if alias.name.startswith("symattn."))
    return {name for name in found if name in LEVEL}


def test_every_part_of_the_package_has_a_floor() -> None:
    assert {part_of(path) for path in FILES} == set(LEVEL)


@pytest.mark.parametrize("path", FILES, ids=[str(path.relative_to(PACKAGE)) for path in FILES])
def test_imports_go_downwards_only(path: Path) -> None:
    own = LEVEL[part_of(path)]
    above = {name for name in imports(path) if LEVEL[name] > own}
    assert not above, f"{path.name} is on floor {own} and imports {above}"


def test_the_check_of_floors_can_fail(tmp_path: Path) -> None:
    path = tmp_path / "bad.py"
    path.write_text("from symattn.render.formats import render\n", encoding="utf-8")
    assert imports(path) == {"render"}
    assert LEVEL["render"] > LEVEL["values"]


@pytest.mark.parametrize("part", ["render"])
def test_a_renderer_cannot_compute(part: str) -> None:
    for path in (PACKAGE / part).rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"^\s*(from|import) (sympy|flint|numpy|mpmath)", text, flags=re.MULTILINE), path
        assert "solution" not in imports(path), path


def test_a_derivation_cannot_see_a_number() -> None:
    for name in ("derivation.py", "formula.py"):
        assert not imports(PACKAGE / name) & {"values", "solution", "scenario"}


@pytest.mark.parametrize("path", FILES, ids=[str(path.relative_to(PACKAGE)) for path in FILES])
def test_files_stay_small(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) <= LONGEST_FILE


@pytest.mark.parametrize("path", FILES, ids=[str(path.relative_to(PACKAGE)) for path in FILES])
def test_nothing_from_outside_is_run(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    called = {node.func.id for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)}
    assert not called & {"eval", "exec", "sympify", "parse_expr", "compile", "__import__"}
    imported = {
        alias.name for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom) for alias in node.names
    }
    assert not imported & {"pickle", "parse_expr", "sympify", "marshal", "shelve"}


@pytest.mark.parametrize("path", FILES, ids=[str(path.relative_to(PACKAGE)) for path in FILES])
def test_no_module_keeps_mutable_state(path: Path) -> None:
    """Tables in capital letters are constants; anything else at module level must not be a list, dict or set."""
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign | ast.AnnAssign) and isinstance(node.value, ast.List | ast.Dict | ast.Set):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            for target in targets:
                assert isinstance(target, ast.Name)
                assert target.id.isupper() or target.id == "__all__", f"{path.name}: {target.id}"


@pytest.mark.parametrize("path", sorted((PACKAGE / "values").glob("*.py")), ids=lambda path: path.name)
def test_no_float_enters_the_exact_values(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    floats = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, float)]
    assert set(floats) <= ({0.0} if path.name == "float64.py" else set())


def test_every_operation_documents_formula_shapes_and_an_example() -> None:
    for path in (PACKAGE / "operations").glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef) and any(getattr(b, "id", "") == "MatrixExpr" for b in node.bases):
                text = ast.get_docstring(node) or ""
                assert "=" in text.splitlines()[0], f"{node.name}: the first line is the formula"
                assert "Shapes:" in text, node.name
                assert ">>>" in text, node.name


def test_words_exist_in_every_language() -> None:
    folder = PACKAGE.parent / "templates" / "language"
    macros = {
        path.name: set(re.findall(r"{% macro (\w+\([^)]*\)) %}", path.read_text(encoding="utf-8")))
        for path in folder.glob("*.j2")
    }
    assert set(macros) == {"en.j2", "zh-Hans.j2", "zh-Hant.j2"}
    helpers = {"list_of(items)", "counted(n, one, many)", "quoted(items)"}
    assert len({frozenset(found - helpers) for found in macros.values()}) == 1


def test_scenarios_have_their_words_in_every_language() -> None:
    import tomllib

    def walk(value: object, path: str) -> None:
        if isinstance(value, dict):
            if value.keys() & {"en", "zh-Hans", "zh-Hant"}:
                assert value.keys() == {"en", "zh-Hans", "zh-Hant"}, path
            for key, inner in value.items():
                walk(inner, f"{path}.{key}")
        elif isinstance(value, list):
            for number, inner in enumerate(value):
                walk(inner, f"{path}[{number}]")

    for file in (PACKAGE / "scenario" / "data").glob("*.toml"):
        walk(tomllib.loads(file.read_text(encoding="utf-8")), file.stem)
