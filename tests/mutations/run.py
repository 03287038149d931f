"""Faults put into the package on purpose, one at a time, and whether the tests see them.

    python -m tests.mutations.run              every fault; takes some minutes
    python -m tests.mutations.run values proof only the faults of these rooms

``faults.toml`` has a table for each fault, by rooms: ``what`` goes wrong; ``where``, the end of the dotted name of a
function, a class or a table of the package, as long as it takes to mean one; ``change``, a piece of Python to look for
there and another to put in its place; and the ``tests`` that must turn red. Both are read as syntax trees, so that
a fault depends neither on how a line is written nor on the file it is in. A name such as ``_a`` stands for any
expression. The first place that fits is changed, or the ``nth``.
Works on a copy; nothing is changed here. The exit code is 1 if a fault is not seen.
"""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from copy import deepcopy
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
NOT_COPIED = shutil.ignore_patterns("__pycache__", ".git", ".venv", ".hypothesis", ".*_cache", "node_modules")
ANYTHING = re.compile("_[a-z]")
GREEN, RED = 0, 1


@dataclass(frozen=True)
class Fault:
    """One fault: where it is put, and the tests that are held to see it."""

    room: str
    what: str
    where: str
    change: tuple[str, str]
    tests: tuple[str, ...]
    nth: int = 1

    @property
    def file(self) -> Path:
        return _only_scope(self.where)[0]

    def changed_text(self) -> str:
        """The text of its file with the fault in it; raise ValueError where there is no place for it."""
        file, scope = _only_scope(self.where)
        tree = ast.parse(file.read_text(encoding="utf-8"))
        inside = next(node for node, name in _scopes(tree) if name == scope)
        pattern, new = map(_parsed, self.change)
        for place, (owner, field, index, node) in enumerate(_places(inside, pattern), 1):
            if place == self.nth:
                put = _filled(new, _matched(pattern, node) or {})
                if isinstance(node, ast.stmt) and not isinstance(put, ast.stmt):
                    put = ast.Expr(put)
                held = getattr(owner, field)
                if index is None:
                    setattr(owner, field, put)
                else:
                    held[index] = put
                return ast.unparse(ast.fix_missing_locations(tree))
        raise ValueError(f"{self.where} has no {self.change[0]!r} number {self.nth}")


def faults(*rooms: str) -> Iterator[Fault]:
    """All faults of these rooms, or of all."""
    for room, tables in tomllib.loads(Path(__file__).with_name("faults.toml").read_text(encoding="utf-8")).items():
        if not rooms or room in rooms:
            for table in tables:
                yield Fault(room, **{**table, "change": tuple(table["change"]), "tests": tuple(table["tests"])})


# Where


def _scopes(inside: ast.AST, name: str = "") -> Iterator[tuple[ast.AST, str]]:
    """The functions, classes and assigned names of a module, with their dotted names in it."""
    for node in ast.iter_child_nodes(inside):
        match node:
            case ast.FunctionDef(name=own) | ast.ClassDef(name=own):
                yield node, f"{name}.{own}"
                yield from _scopes(node, f"{name}.{own}")
            case ast.Assign(targets=[ast.Name(id=own)]) | ast.AnnAssign(target=ast.Name(id=own)):
                yield node, f"{name}.{own}"
            case ast.If() | ast.Try() | ast.With():
                yield from _scopes(node, name)


@cache
def _texts() -> dict[Path, str]:
    return {file: file.read_text(encoding="utf-8") for file in sorted((ROOT / "symattn").rglob("*.py"))}


@cache
def _only_scope(where: str) -> tuple[Path, str]:
    """The file that has it, and its dotted name there."""
    defined = re.compile(rf"(?m)^ *(def |class |){re.escape(where.split('.')[-1])}\b")
    found = {
        (file, name)
        for file, text in _texts().items()
        if defined.search(text)
        for _, name in _scopes(ast.parse(text))
        if f".{'.'.join(file.relative_to(ROOT).with_suffix('').parts)}{name}".endswith(f".{where}")
    }
    if len(found) != 1:
        raise ValueError(f"{where} is the name of {len(found)} things in the package, not of one")
    return found.pop()


# What


def _parsed(text: str) -> ast.AST:
    [statement] = ast.parse(text).body
    return statement.value if isinstance(statement, ast.Expr) else statement


def _places(inside: ast.AST, pattern: ast.AST) -> Iterator[tuple[ast.AST, str, int | None, ast.AST]]:
    """Where a node that fits stands, from the first: whose it is, in which field and at which place of it."""
    for field, value in ast.iter_fields(inside):
        for index, node in enumerate(value) if isinstance(value, list) else [(None, value)]:
            if isinstance(node, ast.AST):
                if _matched(pattern, node) is not None:
                    yield inside, field, index, node
                yield from _places(node, pattern)


def _matched(pattern: object, node: object) -> dict[str, ast.AST] | None:
    """What each letter stands for if the node is as the pattern says, otherwise None."""
    if isinstance(pattern, ast.Name) and ANYTHING.fullmatch(pattern.id) and isinstance(node, ast.expr):
        return {pattern.id: node}
    if type(pattern) is not type(node):
        return None
    if isinstance(pattern, ast.AST):
        fields = [name for name in pattern._fields if name not in ("kind", "type_comment", "type_params")]
        pairs = [(getattr(pattern, name), getattr(node, name)) for name in fields]
    elif isinstance(pattern, list) and isinstance(node, list) and len(pattern) == len(node):
        pairs = [*zip(pattern, node, strict=True)]
    else:
        return {} if pattern == node and not isinstance(pattern, list) else None
    found: dict[str, ast.AST] = {}
    for wanted, there in pairs:
        more = _matched(wanted, there)
        if more is None or any(ast.dump(found.get(name, each)) != ast.dump(each) for name, each in more.items()):
            return None
        found |= more
    return found


def _filled(new: ast.AST, found: dict[str, ast.AST]) -> ast.AST:
    """What takes the place, with the nodes that its letters stand for."""

    class Filling(ast.NodeTransformer):
        def visit_Name(self, node: ast.Name) -> ast.AST:
            return deepcopy(found.get(node.id, node))

    return Filling().visit(deepcopy(new))


# Whether it is seen


def outcome(tests: tuple[str, ...], fault: Fault | None = None) -> int:
    """Pytest's exit code for these tests in a copy of the checkout, with the fault in it or without one."""
    with tempfile.TemporaryDirectory() as name:
        copy = Path(name, "copy")
        shutil.copytree(ROOT, copy, ignore=NOT_COPIED)
        if fault:
            (copy / fault.file.relative_to(ROOT)).write_text(fault.changed_text(), encoding="utf-8")
        of_slow = ["-m", ""] if any("[" in test for test in tests) else ["-m", "not slow"]
        command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *of_slow, *tests]
        environment = {**os.environ, "PYTHONPATH": str(copy), "PYTHONDONTWRITEBYTECODE": "1"}
        return subprocess.run(command, cwd=copy, env=environment, capture_output=True, check=False).returncode


def main() -> int:
    """Every fault with whether it was seen; 1 where one was not, or where tests are red without any."""
    every = [*faults(*sys.argv[1:])]
    chosen = sorted({fault.tests for fault in every})
    missed = 0
    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        for tests, code in zip(chosen, pool.map(outcome, chosen), strict=True):
            if code != GREEN:
                missed += 1
                print(f"red without any fault ({code}): {' '.join(tests)}")
        for fault, code in zip(every, pool.map(lambda each: outcome(each.tests, each), every), strict=True):
            missed += code != RED
            print(f"{'seen' if code == RED else f'NOT SEEN ({code})'}: {fault.where}: {fault.what}")
    print(f"{len(every)} faults, {missed} not seen")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
