"""Load scenarios by a built-in name or a path. Each problem of a file becomes an error: file, line, key, sentence.

>>> builtin_names()
('backward', 'bank', 'good', 'ironman', 'journey', 'refund', 'training', 'weather')
>>> load("weather").derivation["A"].shape.sizes
(3, 3)
>>> load("wether")
Traceback (most recent call last):
    ...
symattn.base.errors.UnknownNameError: unknown scenario 'wether': did you mean 'weather'? known: backward, bank, good, \
ironman, journey, refund, training, weather; a file of your own is given by a path that ends in .toml

A scenario may continue another one: ``extends = "weather"``. It inherits sizes, labels, symbols, operations, givens,
notation, figures and sections; its own definitions replace those of the same name. It does not inherit the title, the
words around the sections, the source, printed figures, claims, ``backward`` and ``train``.

>>> from symattn.read.scenario.schema import read_tables
>>> forward = {"title": "Forward", "steps": ["Y = X @ W"]}
>>> base = read_tables({"title": "One", "given": {"X": [["1"]], "W": [["2"]]}, "section": [forward]})
>>> file = read_tables({"title": "Two", "extends": "one.toml", "given": {"W": [["3"]]}, "section": [{"title": "On"}]})
>>> whole = extended(file, base)
>>> list(whole.given), [section.title[""] for section in whole.section], whole.given["W"].given.texts
(['X', 'W'], ['Forward', 'On'], (('3',),))

Values of the wrong form are removed from a file, so that the rest can be checked too.

>>> found = Problems()
>>> data = {"title": "t", "given": {"X": [["1"]], "Y": [["1"], ["2", "3"]]}}
>>> list(rest_of(data, [Problem(("given", "Y", 1), "…")], found).given), found.broken
(['X'], {'Y'})
"""

from __future__ import annotations

import re
import stat
import tomllib
from collections.abc import Iterable
from contextlib import suppress
from math import prod
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any

from symattn.base import limits
from symattn.base.errors import ArrayError, ScenarioError, UnknownNameError, printable, shown, unknown
from symattn.read.formula import defined_name
from symattn.read.given import Given
from symattn.read.scenario.build import build_scenario
from symattn.read.scenario.definitions import MadeSection
from symattn.read.scenario.fields import described
from symattn.read.scenario.model import Scenario
from symattn.read.scenario.problem import Key, Problem, Problems, must_be_known
from symattn.read.scenario.schema import File, SectionTable, read_tables

KEY: Key = ("extends",)

_TABLES = ("sizes", "labels", "operation", "given", "general", "notation", "substitute")
_SINGLE = ("language", "tokens", "token_axis", "figures")


def extended(file: File, base: File) -> File:
    """Return the file with everything it inherits from the one that it extends."""
    taken: dict[str, Any] = {name: {**getattr(base, name), **getattr(file, name)} for name in _TABLES}
    taken |= {name: getattr(base, name) for name in _SINGLE if name not in file.model_fields_set}
    sections = list(map(_made, base.section))
    if file.extends is not None and not file.extends.shown:
        sections = [MadeSection.hidden(KEY, [step for section in base.section for step in section.steps])]
    own = [section.after(len(sections)) for section in file.section]
    return file.model_copy(update={**taken, "section": [*sections, *own]})


def _made(section: SectionTable) -> MadeSection:
    """Return a section of another file; a hidden one stays hidden."""
    if isinstance(section, MadeSection):
        return section
    return MadeSection.of(KEY, **{name: getattr(section, name) for name in SectionTable.model_fields})


_DEFINING = ("operation", "given", "general", "sizes", "labels")
_REPAIRED = (*_DEFINING, "notation", "printed", "reasons", "substitute")
_DEFINES_NOTHING = (
    "language",
    "source",
    "intro",
    "opening",
    "puzzle",
    "asks",
    "conclusion",
    "code",
    "figures",
    "pictures",
    "words",
    "claim",
    "notation",
    "reasons",
    "substitute",
)
_ITEMS_WITHOUT_NAMES = ("show", "unfold", "listing", "prove", "variance", "figure", "what_if", "ask", "note")
_LINES = (*_REPAIRED, "section", "claim", "steps", "value")
_ROUNDS = 3
"""How often the rest is read again: a table without its misspelled key may lack the key that was meant."""
_MEANT = re.compile(r"\Aunknown key '\w+': did you mean '(\w+)'")
_KINDS = ("use", "step", "quantity", "tensor", *_ITEMS_WITHOUT_NAMES)
"""Keys that make a table an item; the first one found decides its kind, since ``note`` may also be a remark."""
_NOTE = {"note": "…"}
_CLAIM = {"says": "0", "about": "…"}


def rest_of(data: dict[str, Any], problems: Iterable[Problem], found: Problems) -> File | None:
    """Return the file without the values that have ``problems``, or ``None`` if the rest is not a valid file either.

    ``found`` learns which names are then missing.
    """
    rest, wrong = _copied(data), tuple(problems)
    for _ in range(_ROUNDS):
        for problem in wrong:
            # The value may be gone already, removed with an earlier one in the same table.
            with suppress(KeyError, IndexError, TypeError):
                if not _is_renamed(rest, problem):
                    _take_out(rest, problem.key, found)
        try:
            return read_tables(rest)
        except Problem as problem:
            wrong = problem.each
    return None


def _copied(value: Any) -> Any:
    """Copy tables and lists, but not the values in them."""
    if isinstance(value, dict):
        return {key: _copied(part) for key, part in value.items()}
    return [_copied(part) for part in value] if isinstance(value, list) else value


def _is_renamed(rest: dict[str, Any], problem: Problem) -> bool:
    """Give a misspelled key its right name, and return whether that was possible; not where errors look up its line."""
    meant = _MEANT.match(problem.message)
    table: Any = rest
    for part in problem.key[:-1] if meant else ():
        table = table[part]
    if meant is None or not isinstance(table, dict) or meant[1] in (*table, *_LINES):
        return False
    table[meant[1]] = table.pop(problem.key[-1])
    return True


def _take_out(rest: dict[str, Any], key: Key, found: Problems) -> None:
    match key:
        case ("section", int(i), *inner):
            _take_out_of_section(rest["section"], i, tuple(inner), found)
        case ("claim", int(i), *_):
            rest["claim"][i] = dict(_CLAIM)
        case ("tokens", int(i)):
            rest["tokens"][i] = "?"
        case ("tokens", str(language), int(i)):
            rest["tokens"][language][i] = "?"
        case ("given", str(name), str(option), *_) if option != "value" and option in rest["given"].get(name, ()):
            del rest["given"][name][option]
        case (str(table), str(name), *_) if table in _REPAIRED:
            rest[table].pop(name, None)
            if table in _DEFINING:
                found.broken.add(name)
        case ("figures", str(name), *_):
            rest["figures"].pop(name, None)
        case ("title", *_):
            rest["title"] = ""
        case (str(table), *_):
            rest.pop(table, None)
            found.nothing_is_sure |= table not in _DEFINES_NOTHING


def _take_out_of_section(sections: list[Any], i: int, key: Key, found: Problems) -> None:
    match key:
        case ("steps", int(j), *inner):
            _take_out_of_item(sections[i]["steps"], j, tuple(inner), found)
        case ("title", *_):
            sections[i]["title"] = ""
        case (str(name), *_):
            sections[i].pop(name, None)
            found.nothing_is_sure |= name not in ("number", "intro", "need")
        case _:
            sections[i] = {"title": ""}
            found.nothing_is_sure = True


def _take_out_of_item(items: list[Any], j: int, key: Key, found: Problems) -> None:
    item = items[j]
    if not isinstance(item, dict):
        items[j] = dict(_NOTE)
    elif key and key[0] in item and key[0] != next((kind for kind in _KINDS if kind in item), ""):
        gone = item.pop(key[0])
        if isinstance(gone, str) and "=" in gone:  # a step under a misspelled key
            found.broken.add(gone.partition("=")[0].strip())
    else:
        items[j] = dict(_NOTE)
        if name := _defined_in(item):
            found.broken.add(name)
        else:
            found.nothing_is_sure |= not any(kind in item for kind in _ITEMS_WITHOUT_NAMES)


def _defined_in(item: dict[str, Any]) -> str:
    """Return the name that an item defines, as far as it is known."""
    written = next((item[kind] for kind in ("step", "quantity", "tensor") if isinstance(item.get(kind), str)), "")
    return written.partition("=")[0].strip()


KEYS = ("file", "tensor", "decimals", "axes", "note")


def with_files(data: dict[str, Any], folder: Path | None, found: Problems) -> dict[str, Any]:
    """Return the data of a scenario with matrices read from files in place of their names.

    ``folder`` is the scenario's folder, ``None`` if it does not come from a file.

    >>> found = Problems()
    >>> with_files({"given": {"X": {"file": "../x.csv"}}}, Path("."), found)
    {'given': {}}
    >>> print(found.all[0].message)
    '../x.csv' leads out of the folder of the scenario: expected a file in it, such as "weights.npz"
    """
    givens = data.get("given")
    if not isinstance(givens, dict) or not any(_is_file(table) for table in givens.values()):
        return data
    read: dict[str, Any] = {}
    entries = 0
    for name, table in givens.items():
        if not _is_file(table):
            read[name] = table
            continue
        with found.caught(breaks=name):
            try:
                given = _read(table, folder)
                entries += prod(given.sizes)
                if entries > limits.GIVEN_ENTRIES:
                    more = f"the files of the scenario hold more than GIVEN_ENTRIES = {limits.GIVEN_ENTRIES} numbers"
                    raise Problem(("file",), more)
            except Problem as problem:
                raise problem.under(("given", name)) from None
            read[name] = {"value": given, **{key: table[key] for key in ("axes", "note") if key in table}}
    return {**data, "given": read}


def _is_file(table: object) -> bool:
    return isinstance(table, dict) and "file" in table


def _read(table: dict[str, Any], folder: Path | None) -> Given:
    for key in table:
        if key == "value":
            raise Problem((key,), "expected either value or file, came both: leave one of them out")
        must_be_known(key, KEYS, (key,), "key")
    file, tensor, decimals = table["file"], table.get("tensor"), table.get("decimals")
    for key, value in (("file", file), ("tensor", tensor)):
        if value is not None and not isinstance(value, str):
            raise Problem((key,), f"expected a text in quotes, came {described(value)}")
    if decimals is not None and (type(decimals) is not int or not 0 <= decimals <= limits.DIGITS):
        raise Problem(("decimals",), f"expected a whole number from 0 to {limits.DIGITS}, came {described(decimals)}")
    path = inside(file, folder)
    from symattn.read.arrays import read_file

    try:
        return read_file(path, decimals, tensor)
    except ArrayError as error:
        raise Problem(("file",) if tensor is None else ("tensor",), str(error)) from None


def inside(file: str, folder: Path | None) -> Path:
    """Return the path of a file in the folder of the scenario, with links resolved.

    Raises :class:`~symattn.read.scenario.problem.Problem` for a path that leads out of it.
    """
    if folder is None:
        raise Problem(("file",), "a scenario that is no file itself has no folder to look for files in")
    out = Problem(
        ("file",),
        f'{shown(file)} leads out of the folder of the scenario: expected a file in it, such as "weights.npz"',
    )
    parts = (*PurePosixPath(file).parts, *PureWindowsPath(file).parts)
    if ".." in parts or PurePosixPath(file).is_absolute() or PureWindowsPath(file).anchor:
        raise out
    try:
        is_inside = (folder / file).resolve().is_relative_to(folder.resolve())
    except (OSError, ValueError, RuntimeError):
        raise Problem(("file",), f"{shown(file)} is not a path") from None
    if not is_inside:
        raise out
    # The error names the path as it was written.
    return folder / file


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
"""Hints for messages of the TOML reader: the usual mistake behind each."""


def builtin_names() -> tuple[str, ...]:
    """Return the names of the scenarios that come with symattn, in alphabetical order."""
    return tuple(sorted(path.stem for path in _DATA.glob(f"*{_SUFFIX}")))


def load(source: str | Path) -> Scenario:
    """Load the scenario with that built-in name, or the file at that path (which ends in ``.toml``).

    Raises :class:`~symattn.base.errors.UnknownNameError` for an unknown name, and
    :class:`~symattn.base.errors.ScenarioError` for a file that cannot be read or does not hold a scenario;
    a wrong formula or shape stays a :class:`~symattn.base.errors.FormulaError` or
    :class:`~symattn.base.errors.ShapeError`.
    """
    if not isinstance(source, str | Path):
        raise ScenarioError(f"load: expected the name of a built-in scenario or a path, came {described(source)}")
    path = path_of(source)
    try:
        text = file_text(path)
    except Problem as problem:
        raise problem.located(path, "") from None
    return loads(text, printable(Path(path).stem), path)


def loads(text: str, name: str = "scenario", path: str | None = None) -> Scenario:
    """Load a scenario from a TOML text; errors call the file ``path``.

    >>> loads('title = "Mine"\\n[given]\\nX = [["1"], ["2", "3"]]', path="lesson.toml")
    Traceback (most recent call last):
        ...
    symattn.base.errors.ScenarioError: lesson.toml, line 3, given.X[2]: row 2 has length 2, row 1 has length 1: \
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
    """Read a scenario from a TOML text; return it, or all problems, up to a limit.

    Files that it names are looked for in ``folder``; without it there are none.

    >>> [problem.key for problem in examine('titel = "Mine"\\n[given]\\nX = [["a"]]', "mine", "mine.toml")[1]]
    [('titel',), ('given', 'X', 0, 0)]
    """
    found = Problems()
    scenario = None
    with found.caught():
        file = _file_of(text, folder, found)
        if file is not None:
            scenario = build_scenario(file, name, path, text, found)
    return (None if found.all else scenario), tuple(found.all)


def _file_of(text: str, folder: Path | None, found: Problems, behind: tuple[str, ...] = ()) -> File | None:
    """Return the checked file with everything it inherits; ``behind`` are the files that extend it."""
    data = with_files(_plainly_named(_toml(text)), folder, found)
    base = None
    if "extends" in data:
        with found.caught():
            base = _extended_by(data["extends"], folder, behind)
        # If the other file cannot be read, the inherited names are unknown.
        found.nothing_is_sure |= base is None
        if base is not None and base.symbols and isinstance(own := data.get("symbols", []), list):
            data["symbols"] = [*base.symbols, *(each for each in own if each not in base.symbols)]
    try:
        file: File | None = read_tables(data)
    except Problem as problem:
        found.add(problem)
        file = rest_of(data, problem.each, found)
    return file if file is None or base is None else extended(file, base)


def _extended_by(said: Any, folder: Path | None, behind: tuple[str, ...]) -> File | None:
    """Return the file that another extends, or ``None`` if the value is not a name."""
    name = said.get("scenario") if isinstance(said, dict) else said
    if not isinstance(name, str):
        return None
    try:
        path = str(inside(name, folder)) if name.lower().endswith(_SUFFIX) else path_of(name)
        text = file_text(path)
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
    """Replace names written otherwise by their plain forms, as steps do for W^Q."""
    plain = dict(data)
    for table in _NAMED:
        if isinstance(named := data.get(table), dict):
            called = {name: defined_name(name) for name in named}
            if len(set(called.values())) == len(called):
                plain[table] = {called[name]: value for name, value in named.items()}
    return plain


def path_of(source: str | Path) -> str:
    """Return the path of a built-in scenario by its name, or the path itself, which ends in ``.toml``.

    Raises :class:`~symattn.base.errors.UnknownNameError` for any other name.
    """
    if str(source).lower().endswith(_SUFFIX):
        return str(source)
    if source not in builtin_names():
        sentence = unknown("scenario", str(source), builtin_names(), "symattn scenarios")
        raise UnknownNameError(f"{sentence}; a file of your own is given by a path that ends in {_SUFFIX}")
    return str(_DATA / f"{source}{_SUFFIX}")


def files_behind(path: str) -> tuple[Path, ...]:
    """Return the file of a scenario and the files that its givens are read from, as far as it can be read.

    >>> [file.name for file in files_behind(path_of("weather"))]
    ['weather.toml']
    """
    try:
        data = _toml(file_text(path))
    except (Problem, ScenarioError):
        data = {}
    givens, base = data.get("given"), data.get("extends")
    tables = givens.values() if isinstance(givens, dict) else ()
    named = [table.get("file") for table in tables if isinstance(table, dict)]
    base = base.get("scenario") if isinstance(base, dict) else base
    named += [base] if isinstance(base, str) and base.lower().endswith(_SUFFIX) else []
    return (Path(path), *(Path(path).parent / name for name in dict.fromkeys(named) if isinstance(name, str)))


def file_text(path: str) -> str:
    """Read the text of a file: a regular one, not too large, in UTF-8.

    Raises :class:`~symattn.read.scenario.problem.Problem` for any other, :class:`~symattn.base.errors.ScenarioError`
    for a text that is not a path.
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
    """Return the hint for an error of the TOML reader."""
    if re.search("[“”„‘’]", line):
        return '; quotes are written straight, as in "text"'
    for said, hint in _TOML_HINTS:
        if said in what:
            return hint
    return ""


def _line(text: str, pattern: re.Pattern[str]) -> int | None:
    found = pattern.search(text)
    return text.count("\n", 0, found.start()) + 1 if found else None
