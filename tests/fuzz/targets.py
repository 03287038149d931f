"""What strangers may send, and what may come of it: a value or one of the project's own errors, soon, in little room.

Each target takes bytes, as a file would hold them. :func:`tried` runs one and says what was wrong, if anything was.
"""

from __future__ import annotations

import resource
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from sympy import Rational

from symattn.base.errors import SymattnError
from symattn.base.shapes import Axis, Shape
from symattn.operations.build import built
from symattn.operations.equations.ranges import written
from symattn.operations.equations.read import read_operation
from symattn.operations.terms import symbol
from symattn.read.formula import Scope, read_any, read_number
from symattn.read.scenario.load import loads
from tests.counted import TooMuchError, calls

CALLS = 20_000_000
"""How many calls one input may take: a count is the same on a busy machine."""

MEGABYTES = 500
"""How much memory the process may have used after any of them."""

ADDED = 100
"""How much one of them may add where the process had more before: other tests ran in it."""

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


def formula(data: bytes) -> None:
    """A formula over a few names."""
    read_any(data.decode("utf-8", "replace"), _SCOPE)


def operation(data: bytes) -> None:
    """An operation of one's own: its lines, applied to something of each kind, and an entry of it."""
    record = read_operation(data.decode("utf-8", "replace"))
    given: dict[str, object] = {}
    for place, parameter in enumerate(record.parameters):
        axes = [Axis(4 if written(axis) == "d" else 1 if written(axis) == "1" else 2) for axis in parameter.axes]
        if parameter.is_matrix:
            matrix = symbol(f"X{place}", Shape(*(axes if len(axes) == 2 else [Axis(1), *axes])))
            given[parameter.name] = (matrix, matrix) if parameter.many else matrix
        elif parameter.kind == "size":
            given[parameter.name] = Axis(4 if parameter.name == "d" else 2)
        elif parameter.default is None:
            given[parameter.name] = 2 if parameter.kind == "whole" else Rational(1, 2)
    built(record, given).expr[0, 0]


def number(data: bytes) -> None:
    """A number as a given holds it."""
    read_number(data.decode("utf-8", "replace"))


def scenario(data: bytes) -> None:
    """A scenario file."""
    loads(data.decode("utf-8", "replace"), path="fuzz.toml")


def answer(data: bytes) -> None:
    """A cell of a student's answer: every text is a number, empty, or unreadable."""
    from symattn.compute.values.balls import at_precision
    from symattn.course.marking.answers import read_cell

    for thousands in (False, True):
        cell = read_cell(data.decode("utf-8", "replace"), thousands)
        if cell.value is not None:
            with at_precision(128):
                cell.ball  # noqa: B018


def _answers(suffix: str) -> Callable[[bytes], None]:
    folder = Path(tempfile.mkdtemp(prefix="symattn-fuzz-"))
    path = folder / f"fuzz{suffix}"

    def read(data: bytes) -> None:
        from symattn.course.marking.answers import read_answers

        path.write_bytes(data)
        read_answers(path)

    read.__doc__ = f"A file of answers that ends in {suffix}."
    return read


def exercises(data: bytes) -> None:
    """Exercises as data: JSON or JSONL."""
    from symattn.course.export import exercises_from

    exercises_from(data.decode("utf-8", "replace"))


def students(data: bytes) -> None:
    """A table with the names of a class."""
    from symattn.course.marking.sources import students_from

    students_from(data.decode("utf-8", "replace"))


def _secret() -> Callable[[bytes], None]:
    path = Path(tempfile.mkdtemp(prefix="symattn-fuzz-")) / "fuzz.secret"

    def read(data: bytes) -> None:
        from symattn.course.secret import read_secret

        path.write_bytes(data)
        read_secret(path)

    read.__doc__ = "A file with a secret."
    return read


def _file(suffix: str) -> Callable[[bytes], None]:
    folder = Path(tempfile.mkdtemp(prefix="symattn-fuzz-"))
    path = folder / f"fuzz{suffix}"

    def read(data: bytes) -> None:
        from symattn.read.arrays import matrix

        path.write_bytes(data)
        matrix(path)

    read.__doc__ = f"An array file that ends in {suffix}."
    return read


def _config() -> Callable[[bytes], None]:
    folder = Path(tempfile.mkdtemp(prefix="symattn-fuzz-"))
    name = folder / "layer.npz"

    def read(data: bytes) -> None:
        import numpy as np

        from symattn.read.models import attention_of

        if not name.exists():
            tensors = {f"attention.self.{part}": np.eye(4) for part in ("query.weight", "key.weight", "value.weight")}
            rows = {f"attention.self.{part}": np.ones(4) for part in ("query.bias", "key.bias", "value.bias")}
            np.savez(name, **tensors, **rows)  # type: ignore[arg-type]
        (folder / "config.json").write_bytes(data)
        attention_of(name, input=[[1, 2, 3, 4]], head=1)

    read.__doc__ = "The configuration of a model, beside one layer of it."
    return read


def _document(suffix: str) -> Callable[[bytes], None]:
    def read(data: bytes) -> None:
        from symattn.checking.check import check

        found = check(data.decode("utf-8", "replace"), f"fuzz{suffix}")
        for each in found.findings:
            assert found.text[each.start : each.end].strip(), each

    read.__doc__ = f"A document that is checked, and that ends in {suffix}."
    return read


TARGETS: dict[str, Callable[[bytes], None]] = {
    "formula": formula,
    "number": number,
    "operation": operation,
    "scenario": scenario,
    "csv": _file(".csv"),
    "npy": _file(".npy"),
    "npz": _file(".npz"),
    "safetensors": _file(".safetensors"),
    "answer": answer,
    "answers-json": _answers(".json"),
    "answers-csv": _answers(".csv"),
    "exercises-json": exercises,
    "exercises-jsonl": exercises,
    "students": students,
    "config": _config(),
    "secret": _secret(),
    "check-md": _document(".md"),
    "check-tex": _document(".tex"),
    "check-html": _document(".html"),
    "check-ipynb": _document(".ipynb"),
    "check-txt": _document(".txt"),
}


class FoundError(AssertionError):
    """An input that did what no input may do."""


def tried(target: Callable[[bytes], None], data: bytes) -> None:
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
