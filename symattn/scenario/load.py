"""A name or a path to a scenario. Whatever is wrong with the file becomes one error: file, line, key, sentence.

>>> builtin_names()
('good', 'ironman', 'journey', 'refund', 'weather')
>>> load("weather").derivation["A"].shape.sizes
(3, 3)
>>> load("wether")
Traceback (most recent call last):
    ...
symattn.errors.UnknownNameError: unknown scenario 'wether': did you mean 'weather'? known: good, ironman, journey, \
refund, weather; a file of your own is given by a path that ends in .toml
"""

from __future__ import annotations

import re
import stat
import tomllib
from pathlib import Path
from typing import Any

from symattn import limits
from symattn.errors import ScenarioError, UnknownNameError, shown, unknown
from symattn.scenario.build import build
from symattn.scenario.model import Scenario
from symattn.scenario.problem import Problem
from symattn.scenario.schema import read

_DATA = Path(__file__).parent / "data"
_SUFFIX = ".toml"
_LONG = re.compile(r"[0-9_]{4300}")
_LONG_KEY = re.compile(
    r"""(?:^|[\[{,])[ \t]*+(?:(?:[A-Za-z0-9_-]++|"[^"\\\n]*+"|'[^'\n]*+')[ \t]*+\.[ \t]*+){30}""", re.MULTILINE
)
_DEEP = re.compile(r"(\[\s*){50}")


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
    if not str(source).lower().endswith(_SUFFIX):
        if source not in builtin_names():
            sentence = unknown("scenario", str(source), builtin_names())
            raise UnknownNameError(f"{sentence}; a file of your own is given by a path that ends in {_SUFFIX}")
        source = _DATA / f"{source}{_SUFFIX}"
    path = str(source)
    return loads(_text_of(path), Path(path).stem, path)


def loads(text: str, name: str = "scenario", path: str | None = None) -> Scenario:
    """The scenario that a TOML text holds; ``path`` is what errors call the file.

    >>> loads('title = "Mine"\\n[given]\\nX = [["1"], ["2", "3"]]', path="lesson.toml")
    Traceback (most recent call last):
        ...
    symattn.errors.ScenarioError: lesson.toml, line 3, given.X[2]: row 2 has length 2, row 1 has length 1: \
expected rows of one length
    """
    path = f"{name}{_SUFFIX}" if path is None else path
    try:
        return build(read(_toml(text, path)), name, path, text)
    except Problem as problem:
        raise problem.located(path, text) from None


def _text_of(path: str) -> str:
    """The text of a file: a regular one, not too large, in UTF-8."""
    try:
        found = Path(path).stat()
        if stat.S_ISREG(found.st_mode) and found.st_size <= limits.FILE_BYTES:
            with Path(path).open("rb") as file:
                content = file.read(limits.FILE_BYTES + 1)
    except OSError as error:
        raise ScenarioError(f"{path}: {_why_not(path, error)}") from None
    except ValueError:
        raise ScenarioError(f"{shown(path)}: is not a path") from None
    if not stat.S_ISREG(found.st_mode):
        raise ScenarioError(f"{path}: is a folder or a device, expected a file")
    if found.st_size > limits.FILE_BYTES or len(content) > limits.FILE_BYTES:
        raise ScenarioError(f"{path}: is larger than FILE_BYTES = {limits.FILE_BYTES} bytes")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise ScenarioError(f"{path}, line {line}: is not UTF-8: byte 0x{content[error.start]:02x}") from None


def _why_not(path: str, error: OSError) -> str:
    reason = error.strerror or type(error).__name__
    hint = ""
    if isinstance(error, FileNotFoundError) and Path(path).stem in builtin_names():
        hint = f"; the built-in scenario is called {Path(path).stem}, without {_SUFFIX}"
    return f"cannot be read: {reason}{hint}"


def _toml(text: str, path: str) -> dict[str, Any]:
    if _LONG_KEY.search(text):  # tomllib takes the square of a key's length in time
        raise ScenarioError(f"{path}{_line(text, _LONG_KEY)}: a key of more than 30 parts")
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        message = str(error)
        found = re.search(r" \(at (?:line (\d+), column (\d+)|end of document)\)\Z", message)
        line = int(found[1]) if found and found[1] else text.count("\n") + 1
        what = message[: found.start()] if found else message
        column = f" (column {found[2]})" if found and found[2] else ""
        raise ScenarioError(f"{path}, line {line}: is not TOML: {what}{column}") from None
    except RecursionError:
        raise ScenarioError(f"{path}{_line(text, _DEEP)}: lists or tables are nested too deep") from None
    except ValueError:
        raise ScenarioError(f"{path}{_line(text, _LONG)}: a number has too many digits") from None


def _line(text: str, pattern: re.Pattern[str]) -> str:
    found = pattern.search(text)
    return f", line {text.count(chr(10), 0, found.start()) + 1}" if found else ""
