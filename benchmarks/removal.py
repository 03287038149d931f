"""Functions of a check that nothing needs: each is disabled in turn, and the pages that call it are checked again.

    python -m benchmarks.removal [MODULE …] [--seconds N] [--every N] [--lines]

A function is replaced by values that say nothing: ``None``, ``False``, an empty text or collection, or its own argument
where it returns the like. It is listed if what is found stays the same with one of them on every page that calls it,
if no more than sentences change, or if a single page changes. MODULE is the beginning of a name below
``symattn.checking``, as ``reading.tables``; ``--seconds`` is how long one function may take, ``--every`` takes every
Nth page only. ``--lines`` lists the lines that no page runs, instead.
"""

from __future__ import annotations

import argparse
import ast
import functools
import gc
import signal
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib import import_module
from inspect import signature
from itertools import islice
from pathlib import Path
from time import perf_counter
from types import CodeType, FrameType, FunctionType
from typing import Any

import symattn.checking
from symattn.base.errors import SymattnError
from symattn.checking.check import check, checked
from symattn.checking.model import CheckedDocument
from symattn.checking.source import Readable, Stretch
from tests.checking import found, lines, own, plantings, said, strangers
from tests.checking.listed import seeds, twelve

ROOT = Path(symattn.checking.__file__).parent
TESTS = Path(found.__file__).parent
LONGEST = 10
"""Seconds that one page may take: a loop may have lost its end."""

Outcome = tuple[object, object]
"""What is found, and the sentences about it."""


@dataclass
class Page:
    """A text to check, what comes out, and which functions it calls."""

    name: str
    check: Callable[[], CheckedDocument]
    before: Outcome = ((), ())
    calls: set[int] = field(default_factory=set)
    """By the identity of their code, whose hash takes long."""

    def outcome(self) -> Outcome:
        """Check it, and tell what is found."""
        try:
            done = self.check()
        except SymattnError:
            return "not read", ()
        findings = [(each.start, each.printed, each.expected, each.kind) for each in done.findings]
        statuses = [(each.start, each.end, each.status) for each in done.figures]
        return (findings, statuses), (done.findings, done.figures, done.remarks, done.unfollowed)


# -- pages -------------------------------------------------------------------------------------------------------------


def _texts() -> Iterator[tuple[str, str, str]]:
    """What a page is, its text and the name of its file; the pages that take long come last."""
    for title, document in found.documents():
        yield f"document: {title}", document.text, document.name
    few = {said.cases: 9, lines.cases: 1, plantings.cases: 1, twelve: 1, seeds: 1, own.kept: 1}
    for write, step in few.items():
        for case in islice(write(True), 0, None, step):
            yield f"{case.part} {' '.join(case.labels)}".lstrip(), case.text, case.name
    for format, text, _ in found.pairs(TESTS / "sources" / "pieces.txt"):
        yield f"pieces: {text[:40]}", text, f"x.{format}"
    for case in strangers.cases():
        if case.part == "with errors":
            yield f"stranger: {case.name}", case.text, case.name


def pages() -> Iterator[Page]:
    """Every page there is, and every text of the table of readings."""
    for about, text, name in _texts():
        yield Page(about, functools.partial(check, text, name))
    for kind, text, _ in found.pairs(TESTS / "reading" / "readings.txt"):
        of = "code" if kind == "py" else kind
        piece = Stretch(of, text, range(len(text) + 1), language="python" * (kind == "py"))  # type: ignore[arg-type]
        yield Page(f"reading: {text[:40]}", functools.partial(checked, Readable("a.md", text, (piece,))))


def run(pages: list[Page]) -> None:
    """Check every page, and note what comes out and which functions it calls."""
    for page in pages:
        clear()
        sys.setprofile(lambda frame, event, _, calls=page.calls: event == "call" and calls.add(id(frame.f_code)))
        page.outcome()
        sys.setprofile(None)
        clear()
        page.before = page.outcome()


# -- functions ---------------------------------------------------------------------------------------------------------


def names(beginnings: list[str]) -> list[str]:
    """The modules of the check whose names begin so, without what stands before all of them."""
    files = (path.relative_to(ROOT).with_suffix("").parts for path in sorted(ROOT.rglob("*.py")))
    every = [".".join(parts) for parts in files if parts[-1] != "__init__"]
    return [name for name in every if not beginnings or name.startswith(tuple(beginnings))]


def functions(module: str) -> Iterator[tuple[str, FunctionType]]:
    """The functions and methods of a module."""
    space = vars(import_module(f"symattn.checking.{module}"))
    here = f"symattn.checking.{module}"
    for name, one in space.items():
        if isinstance(one, type) and one.__module__ == here:
            members = [(f"{name}.{each}", member) for each, member in vars(one).items()]
        else:
            members = [(name, one)]
        for full, member in members:
            for way in ("__func__", "fget", "func", "__wrapped__"):  # as decorators keep what they were given
                member = getattr(member, way, None) or member
            is_here = isinstance(member, FunctionType) and member.__code__.co_filename == space["__file__"]
            if is_here and member.__module__ == here and not full.endswith("__init__"):
                yield full, member


def neutral(function: FunctionType) -> Iterator[ast.expr]:
    """Bodies that say nothing, by what the function says it returns."""
    told = function.__annotations__.get("return", "None")
    hints = {name: kind for name, kind in function.__annotations__.items() if name != "return"}
    yield from (ast.Name(name, ast.Load()) for name in signature(function).parameters if hints.get(name) == told)
    yield from (ast.parse(text, mode="eval").body for text in _values(told))


def _values(told: str) -> Iterator[str]:
    kind = told.partition("[")[0]
    plain = {
        **dict.fromkeys(("Iterator", "Iterable"), "iter(())"),
        **dict.fromkeys(("tuple", "Sequence"), "()"),
        **{"list": "[]", "dict": "{}", "Mapping": "{}", "Counter": "{}", "set": "set()", "frozenset": "frozenset()"},
        **{"str": "''", "int": "0", "bool": "False"},
    }
    if "None" in told or kind not in plain:
        yield "None"
    if kind in plain:
        yield plain[kind]
    if kind == "bool":
        yield "True"
    if kind == "tuple" and "..." not in told:
        parts = ast.parse(told, mode="eval").body
        items = parts.slice.elts if isinstance(parts, ast.Subscript) and isinstance(parts.slice, ast.Tuple) else []
        yield f"({''.join(f'{next(_values(ast.unparse(each)))}, ' for each in items)})"


@contextmanager
def disabled(function: FunctionType, body: ast.expr) -> Iterator[None]:
    """The function returns this only; whoever holds it, it is the same object."""
    before = function.__code__
    given = [*signature(function).parameters]
    stub = ast.parse(f"def stub({', '.join(given)}): return {ast.unparse(body)}")
    made = next(each for each in compile(stub, before.co_filename, "exec").co_consts if isinstance(each, CodeType))
    kept = {
        f"co_{name}": getattr(before, f"co_{name}")
        for name in "argcount posonlyargcount kwonlyargcount freevars".split()
    }
    function.__code__ = made.replace(**kept, co_flags=made.co_flags | before.co_flags & 0x0C)  # *args, **kwargs
    is_of_phrases = function.__module__.endswith(PHRASES)
    clear(lexicon=is_of_phrases)
    try:
        yield
    finally:
        function.__code__ = before
        clear(lexicon=is_of_phrases)


def clear(*, lexicon: bool = False) -> None:
    """Forget what functions remember; the tree of phrases, which takes long, only if it is asked for."""
    for each in CACHES:
        if lexicon or each.__module__ != f"symattn.checking.{PHRASES}":
            each.cache_clear()


PHRASES = "phrases"
CACHES: list[Any] = []


class TooLongError(BaseException):
    """A page takes longer than it may."""


def _too_long(_: int, __: FrameType | None) -> None:
    raise TooLongError


def changes(function: FunctionType, pages: list[Page], seconds: float) -> tuple[list[str], bool, int]:
    """Up to two pages on which a disabled function changes what is found, whether it changes sentences, and how many
    pages were looked at; the least that one of the ways to disable it changes."""
    least: tuple[list[str], bool, int] = (["", ""], True, 0)
    for body in neutral(function):
        changed, says, looked, began = list[str](), False, 0, perf_counter()
        with disabled(function, body):
            for page in pages:
                clear()
                signal.setitimer(signal.ITIMER_REAL, LONGEST)
                try:
                    after = page.outcome()
                except (Exception, TooLongError):  # noqa: BLE001 - whatever it is, the function is needed
                    changed += [page.name, page.name]
                    break
                finally:
                    signal.setitimer(signal.ITIMER_REAL, 0)
                looked += 1
                changed += [page.name] * (after[0] != page.before[0])
                says |= after[1] != page.before[1]
                if len(changed) > 1 or perf_counter() - began > seconds:
                    break
        least = min(least, (changed, says, looked), key=lambda one: (len(one[0]), one[1]))
        if not least[0]:
            break
    return least


def length(function: FunctionType) -> int:
    """How many lines it has."""
    lines = [line for _, _, line in function.__code__.co_lines() if line]
    return max(lines) - function.__code__.co_firstlineno + 1


def listed(pages: list[Page], modules: list[str], seconds: float) -> None:
    """Print every function that few pages need, as it is found, and then how many lines they are."""
    calling: dict[int, list[Page]] = defaultdict(list)
    for page in pages:
        for code in page.calls:
            calling[code].append(page)
    sums: dict[str, int] = defaultdict(int)
    for module in modules:
        for name, function in functions(module):
            those = pages if module == PHRASES else calling[id(function.__code__)]
            changed, says, looked = changes(function, those, seconds)
            what = ["only sentences" if says else "nothing", f"one page ({', '.join(changed)})"]
            if len(changed) < 2:
                kind = what[len(changed)] if those else "is not called"
                sums[kind.partition(" (")[0]] += length(function)
                print(f"{length(function):4} {module}.{name}: {kind}, {looked} of {len(those)} pages", flush=True)
    print(*(f"{lines:5} lines: {kind}" for kind, lines in sums.items()), sep="\n")


def unused_lines(pages: list[Page], modules: list[str]) -> None:
    """Print the lines of functions that no page runs."""
    files = {str(ROOT.joinpath(*name.split(".")).with_suffix(".py")) for name in modules}
    ran: dict[str, set[int]] = defaultdict(set)

    def local(frame: FrameType, event: str, _: object) -> Any:
        ran[frame.f_code.co_filename].add(frame.f_lineno)
        return local

    clear()
    sys.settrace(lambda frame, event, _: local(frame, event, _) if frame.f_code.co_filename in files else None)
    for page in pages:
        page.outcome()
    sys.settrace(None)
    for path in sorted(files):
        source = Path(path).read_text(encoding="utf-8")
        inside = set[int]()
        waiting = [each for each in compile(source, path, "exec").co_consts if isinstance(each, CodeType)]
        while waiting:
            code = waiting.pop()
            waiting += [each for each in code.co_consts if isinstance(each, CodeType)]
            inside.update(line for _, _, line in code.co_lines() if line and line > code.co_firstlineno)
        for line in sorted(inside - ran[path]):
            text = source.splitlines()[line - 1]
            print(f"{Path(path).relative_to(ROOT)}:{line}: {text}")


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("modules", nargs="*")
    asked.add_argument("--seconds", type=float, default=20.0)
    asked.add_argument("--every", type=int, default=1)
    asked.add_argument("--lines", action="store_true")
    told = asked.parse_args()
    modules = names(told.modules)
    for module in modules:
        import_module(f"symattn.checking.{module}")
    CACHES.extend(
        each
        for each in gc.get_objects()
        if isinstance(each, functools._lru_cache_wrapper)
        and getattr(each, "__module__", "").startswith("symattn.checking")
    )
    signal.signal(signal.SIGALRM, _too_long)
    every = list(pages())[:: told.every]
    if told.lines:
        unused_lines(every, modules)
        return
    run(every)
    print(f"{len(every)} pages", flush=True)
    listed(every, modules, told.seconds)


if __name__ == "__main__":
    main()
