"""What strangers may send, and what may come of it: a value or one of the project's own errors, soon, in little room.

Each target takes bytes, as a file would hold them. :func:`tried` runs one and says what was wrong, if anything was.
"""

from __future__ import annotations

import resource
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
from sympy import Rational

from symattn.base.errors import SymattnError
from symattn.base.shapes import Axis, Shape
from symattn.checking.check import check
from symattn.compute.values.balls import at_precision
from symattn.course.export import exercises_from
from symattn.course.marking.answers import read_answers, read_cell
from symattn.course.marking.sources import students_from
from symattn.course.secret import read_secret
from symattn.operations.build import built
from symattn.operations.equations.ranges import piece_text
from symattn.operations.equations.read import read_operation
from symattn.operations.terms import symbol
from symattn.read.arrays import matrix
from symattn.read.formula import Scope, read_any, read_number
from symattn.read.models import attention_of
from symattn.read.scenario.load import loads
from tests.counted import TooMuchError, calls

CALLS = 20_000_000
"""How many calls one input may take: a count is the same on a busy machine."""

MEGABYTES = 500
"""How much memory the process may have used after any of them."""

ADDED = 100
"""How much one of them may add where the process had more before: other tests ran in it."""

Target = Callable[[bytes], object]

_FOLDER = Path(tempfile.mkdtemp(prefix="symattn-fuzz-"))
_SCOPE = Scope(
    {
        "X": Shape(Axis(3, "n"), Axis(4, "d")),
        "W": Shape(Axis(4, "d"), Axis(2)),
        "b": Shape(Axis(1), Axis(4, "d")),
        "ids": Shape(Axis(1), Axis(3, "n")),
        "G": Shape(Axis("m", "m"), Axis("m", "m")),
    },
    {"n": 3, "d": 4, "m": "m"},
    frozenset({"a"}),
)


def _text(read: Callable[[str], object]) -> Target:
    return lambda data: read(data.decode("utf-8", "replace"))


def _file(name: str, read: Callable[[Path], object]) -> Target:
    def target(data: bytes) -> None:
        path = _FOLDER / name
        path.write_bytes(data)
        read(path)

    return target


def operation(text: str) -> None:
    """An operation of one's own: its lines, applied to something of each kind, and an entry of it."""
    record = read_operation(text)
    given: dict[str, object] = {}
    for place, parameter in enumerate(record.parameters):
        axes = [Axis(4 if piece_text(axis) == "d" else 1 if piece_text(axis) == "1" else 2) for axis in parameter.axes]
        if parameter.is_matrix:
            one = symbol(f"X{place}", Shape(*(axes if len(axes) == 2 else [Axis(1), *axes])))
            given[parameter.name] = (one, one) if parameter.many else one
        elif parameter.kind == "size":
            given[parameter.name] = Axis(4 if parameter.name == "d" else 2)
        elif parameter.default is None:
            given[parameter.name] = 2 if parameter.kind == "whole" else Rational(1, 2)
    built(record, given).expr[0, 0]


def answer(text: str) -> None:
    """A cell of a student's answer: every text is a number, empty, or unreadable."""
    for thousands in (False, True):
        cell = read_cell(text, thousands)
        if cell.value is not None:
            with at_precision(128):
                cell.ball  # noqa: B018


def config(path: Path) -> None:
    """The configuration of a model, beside one layer of it."""
    layer = path.with_name("layer.npz")
    if not layer.exists():
        tensors = {f"attention.self.{part}": np.eye(4) for part in ("query.weight", "key.weight", "value.weight")}
        rows = {f"attention.self.{part}": np.ones(4) for part in ("query.bias", "key.bias", "value.bias")}
        np.savez(layer, **tensors, **rows)  # type: ignore[arg-type]
    attention_of(layer, input=[[1, 2, 3, 4]], head=1)


def _document(suffix: str) -> Target:
    def read(text: str) -> None:
        found = check(text, f"fuzz{suffix}")
        for each in found.findings:
            assert found.text[each.start : each.end].strip(), each

    return _text(read)


TARGETS: dict[str, Target] = {
    "formula": _text(lambda text: read_any(text, _SCOPE)),
    "number": _text(read_number),
    "operation": _text(operation),
    "scenario": _text(lambda text: loads(text, path="fuzz.toml")),
    **{kind: _file(f"fuzz.{kind}", matrix) for kind in ("csv", "npy", "npz", "safetensors")},
    "answer": _text(answer),
    "answers-json": _file("answers.json", read_answers),
    "answers-csv": _file("answers.csv", read_answers),
    "exercises-json": _text(exercises_from),
    "exercises-jsonl": _text(exercises_from),
    "students": _text(students_from),
    "config": _file("config.json", config),
    "secret": _file("fuzz.secret", read_secret),
    **{f"check-{kind}": _document(f".{kind}") for kind in ("md", "tex", "html", "ipynb", "txt")},
}


class FoundError(AssertionError):
    """An input that did what no input may do."""


def tried(target: Target, data: bytes) -> None:
    """Run one input; raises :class:`FoundError` where anything but a value or the project's own error comes of it."""
    before = _megabytes()
    try:
        calls(lambda: target(data), CALLS)
    except TooMuchError as error:
        raise FoundError(f"{error} for {data!r:.2000}") from error
    except SymattnError as error:
        if not str(error).strip() or len(str(error)) > 4_000:
            raise FoundError(f"an error that nobody can read: {error!r:.200} from {data!r:.500}") from error
    except Exception as error:
        raise FoundError(f"{type(error).__name__}: {error} from {data!r:.2000}") from error
    used = _megabytes()
    if used > max(MEGABYTES, before + ADDED):
        raise FoundError(f"{used:.0f} MB after {data!r:.500}")


def _megabytes() -> float:
    """The most memory that this process has used so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1024 if sys.platform != "darwin" else 1024**2)
