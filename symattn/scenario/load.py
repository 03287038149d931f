"""A name or a path to a scenario. Whatever is wrong with the file becomes one error: file, line, key, sentence.

>>> builtin_names()
('backward', 'good', 'ironman', 'journey', 'refund', 'training', 'weather')
>>> load("weather").derivation["A"].shape.sizes
(3, 3)
>>> load("wether")
Traceback (most recent call last):
    ...
symattn.errors.UnknownNameError: unknown scenario 'wether': did you mean 'weather'? known: backward, good, ironman, \
journey, refund, training, weather; a file of your own is given by a path that ends in .toml
"""

from __future__ import annotations

import re
import stat
import tomllib
from pathlib import Path
from typing import Any

from symattn import limits
from symattn.errors import ScenarioError, UnknownNameError, printable, shown, unknown
from symattn.formula import defined_name
from symattn.scenario.build import build
from symattn.scenario.extending import KEY, extended
from symattn.scenario.fields import described
from symattn.scenario.model import Scenario
from symattn.scenario.nearby import inside, with_files
from symattn.scenario.problem import Problem, Problems
from symattn.scenario.repair import rest_of
from symattn.scenario.schema import File, read

_DATA = Path(__file__).parent / "data"
_SUFFIX = ".toml"
_LONG = re.compile(r"[0-9_]{4300}")
_LONG_KEY = re.compile(
    r"""(?:^|[\[{,])[ \t]*+(?:(?:[A-Za-z0-9_-]++|"[^"\\\n]*+"|'[^'\n]*+')[ \t]*+\.[ \t]*+){30}""", re.MULTILINE
)
_DEEP = re.compile(r"(\[\s*){50}")


_TOML_HINTS = (
    ("Illegal character '\\n'", '; a text that starts with " ends with " on the same line'),
    ("overwrite", "; this key or table is there already"),
    ("mutate", "; this key or table is there already"),
    ("twice", "; this key or table is there already"),
    ("Unclosed array", "; every [ needs its ], with a comma between two values"),
    ("Unclosed inline table", "; every { needs its }, with a comma between two keys"),
    ("initial character for a key", "; a table in { } stands on one line, a key without quotes has no spaces"),
    ("Unescaped", "; a backslash in a text is doubled"),
    ("Invalid value", "; a text stands in quotes, a number that is not whole too"),
    ("Invalid statement", "; a line starts with a key of the letters A to Z, digits, _ and -, or with [table]; Greek "
        "letters go by their names, as in alpha"),
    ("Expected '='", "; expected key = value, or the name of a table in brackets"),
)  # fmt: skip
"""What is usually meant where the reader of TOML stops and says this."""


def builtin_names() -> tuple[str, ...]:
    """The names of the scenarios that come with symattn, in alphabetical order."""
    return tuple(sorted(path.stem for path in _DATA.glob(f"*{_SUFFIX}")))


def load(source: str | Path) -> Scenario:
    """The scenario of that built-in name, or in the file at that path (which ends in ``.toml``).

    Raises :class:`~symattn.errors.UnknownNameError` for a name that is not built in, and
    :class:`~symattn.errors.ScenarioError` for a file that cannot be read or does not hold a scenario;
    a formula or shape that is wrong stays a :class:`~symattn.errors.FormulaError` or
    :class:`~symattn.errors.ShapeError`.
    """
    if not isinstance(source, str | Path):
        raise ScenarioError(f"load: expected the name of a built-in scenario or a path, came {described(source)}")
    path = path_of(source)
    try:
        text = text_of(path)
    except Problem as problem:
        raise problem.located(path, "") from None
    return loads(text, printable(Path(path).stem), path)


def loads(text: str, name: str = "scenario", path: str | None = None) -> Scenario:
    """The scenario that a TOML text holds; ``path`` is what errors call the file.

    >>> loads('title = "Mine"\\n[given]\\nX = [["1"], ["2", "3"]]', path="lesson.toml")
    Traceback (most recent call last):
        ...
    symattn.errors.ScenarioError: lesson.toml, line 3, given.X[2]: row 2 has length 2, row 1 has length 1: \
expected rows of one length
    """
    if not isinstance(text, str):
        raise ScenarioError(f"loads: expected the text of a scenario, came {described(text)}; load reads a file")
    folder = None if path is None else Path(path).parent
    path = f"{name}{_SUFFIX}" if path is None else path
    scenario, problems = examine(text, name, path, folder)
    if scenario is None:
        raise problems[0].located(path, text, len(problems) - 1)
    return scenario


def examine(text: str, name: str, path: str, folder: Path | None = None) -> tuple[Scenario | None, tuple[Problem, ...]]:
    """The scenario that a TOML text holds, or everything that is wrong with it, up to a limit.

    ``folder`` is where files that it names are looked for; without it there are none.

    >>> [problem.key for problem in examine('titel = "Mine"\\n[given]\\nX = [["a"]]', "mine", "mine.toml")[1]]
    [('titel',), ('given', 'X', 0, 0)]
    """
    found = Problems()
    scenario = None
    with found.caught():
        file = _file_of(text, folder, found)
        if file is not None:
            scenario = build(file, name, path, text, found)
    return (None if found.all else scenario), tuple(found.all)


def _file_of(text: str, folder: Path | None, found: Problems, behind: tuple[str, ...] = ()) -> File | None:
    """The checked file, with what it takes of the one that it extends; ``behind`` are those that extend it."""
    data = with_files(_plainly_named(_toml(text)), folder, found)
    base = None
    if "extends" in data:
        with found.caught():
            base = _extended_by(data["extends"], folder, behind)
        # What it would have taken is not known where the other cannot be read.
        found.nothing_is_sure |= base is None
        if base is not None and base.symbols and isinstance(own := data.get("symbols", []), list):
            data["symbols"] = [*base.symbols, *(each for each in own if each not in base.symbols)]
    try:
        file: File | None = read(data)
    except Problem as problem:
        found.add(problem)
        file = rest_of(data, problem.each, found)
    return file if file is None or base is None else extended(file, base)


def _extended_by(said: Any, folder: Path | None, behind: tuple[str, ...]) -> File | None:
    """The file that another extends; ``None`` where what is said of it has not the form of a name."""
    name = said.get("scenario") if isinstance(said, dict) else said
    if not isinstance(name, str):
        return None
    try:
        path = str(inside(name, folder)) if name.lower().endswith(_SUFFIX) else path_of(name)
        text = text_of(path)
    except UnknownNameError as error:
        raise Problem(KEY, str(error), UnknownNameError) from None
    except Problem as problem:
        raise Problem(KEY, f"{shown(name)}: {problem.message}") from None
    if path in behind:
        raise Problem(KEY, f"{' extends '.join(Path(each).name for each in (*behind, path))}: expected an end")
    if len(behind) >= limits.EXTENDED:
        raise Problem(KEY, f"more than EXTENDED = {limits.EXTENDED} scenarios that extend one another")
    within = Problems()
    with within.caught():
        file = _file_of(text, Path(path).parent, within, (*behind, path))
    if within.all:
        raise Problem(KEY, str(within.all[0].finding(printable(Path(path).name), text)))
    return file


_NAMED = ("given", "general", "sizes", "notation", "printed", "reasons")


def _plainly_named(data: dict[str, Any]) -> dict[str, Any]:
    """The tables of names with the plain names of what is written otherwise, W^Q as in a step."""
    plain = dict(data)
    for table in _NAMED:
        if isinstance(named := data.get(table), dict):
            called = {name: defined_name(name) for name in named}
            if len(set(called.values())) == len(called):
                plain[table] = {called[name]: value for name, value in named.items()}
    return plain


def path_of(source: str | Path) -> str:
    """The path of a scenario: of a built-in one by its name, or the path itself, which ends in ``.toml``.

    Raises :class:`~symattn.errors.UnknownNameError` for any other name.
    """
    if str(source).lower().endswith(_SUFFIX):
        return str(source)
    if source not in builtin_names():
        sentence = unknown("scenario", str(source), builtin_names(), "symattn scenarios")
        raise UnknownNameError(f"{sentence}; a file of your own is given by a path that ends in {_SUFFIX}")
    return str(_DATA / f"{source}{_SUFFIX}")


def files_behind(path: str) -> tuple[Path, ...]:
    """The file of a scenario and the files that its givens are read from, as far as it can be read.

    >>> [file.name for file in files_behind(path_of("weather"))]
    ['weather.toml']
    """
    try:
        data = _toml(text_of(path))
    except (Problem, ScenarioError):
        data = {}
    givens, base = data.get("given"), data.get("extends")
    tables = givens.values() if isinstance(givens, dict) else ()
    named = [table.get("file") for table in tables if isinstance(table, dict)]
    base = base.get("scenario") if isinstance(base, dict) else base
    named += [base] if isinstance(base, str) and base.lower().endswith(_SUFFIX) else []
    return (Path(path), *(Path(path).parent / name for name in dict.fromkeys(named) if isinstance(name, str)))


def text_of(path: str) -> str:
    """The text of a file: a regular one, not too large, in UTF-8.

    Raises :class:`~symattn.scenario.problem.Problem` for any other, :class:`~symattn.errors.ScenarioError` for no path.
    """
    try:
        found = Path(path).stat()
        if stat.S_ISREG(found.st_mode) and found.st_size <= limits.FILE_BYTES:
            with Path(path).open("rb") as file:
                content = file.read(limits.FILE_BYTES + 1)
    except OSError as error:
        raise Problem((), _why_not(path, error)) from None
    except ValueError:
        raise ScenarioError(f"{shown(path)}: is not a path") from None
    if not stat.S_ISREG(found.st_mode):
        raise Problem((), "is a folder or a device, expected a file")
    _must_not_be_larger(found.st_size)
    _must_not_be_larger(len(content))
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise Problem((), f"is not UTF-8: byte 0x{content[error.start]:02x}", line=line) from None


def _why_not(path: str, error: OSError) -> str:
    reason = error.strerror or type(error).__name__
    hint = ""
    if isinstance(error, FileNotFoundError) and Path(path).stem in builtin_names():
        hint = f"; the built-in scenario is called {Path(path).stem}, without {_SUFFIX}"
    return f"cannot be read: {reason}{hint}"


def _must_not_be_larger(size: int) -> None:
    if size > limits.FILE_BYTES:
        raise Problem((), f"is larger than FILE_BYTES = {limits.FILE_BYTES} bytes")


def _toml(text: str) -> dict[str, Any]:
    _must_not_be_larger(len(text.encode("utf-8", "surrogatepass")))
    if _LONG_KEY.search(text):  # tomllib takes the square of a key's length in time
        raise Problem((), "a key of more than 30 parts", line=_line(text, _LONG_KEY))
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        message = str(error)
        found = re.search(r" \(at (?:line (\d+), column (\d+)|end of document)\)\Z", message)
        line = int(found[1]) if found and found[1] else text.count("\n") + 1
        what = message[: found.start()] if found else message
        column = f" (column {found[2]})" if found and found[2] else ""
        hint = _toml_hint(what, text.splitlines()[line - 1] if line <= len(text.splitlines()) else "")
        raise Problem((), f"is not TOML: {what}{column}{hint}", line=line) from None
    except RecursionError:
        raise Problem((), "lists or tables are nested too deep", line=_line(text, _DEEP)) from None
    except ValueError:
        raise Problem((), "a number has too many digits", line=_line(text, _LONG)) from None


def _toml_hint(what: str, line: str) -> str:
    """What is usually meant where the reader of TOML stops."""
    if re.search("[“”„‘’]", line):
        return '; quotes are written straight, as in "text"'
    for said, hint in _TOML_HINTS:
        if said in what:
            return hint
    return ""


def _line(text: str, pattern: re.Pattern[str]) -> int | None:
    found = pattern.search(text)
    return text.count("\n", 0, found.start()) + 1 if found else None
