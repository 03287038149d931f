"""Find every error in scenario files in one run, without writing a page.

>>> from tempfile import TemporaryDirectory
>>> with TemporaryDirectory() as folder:
...     path = Path(folder) / "lesson.toml"
...     _ = path.write_text('titel = "Mine"\\n[given]\\nX = [["1"], ["2", "3"]]\\n')
...     for finding in validate(path):
...         finding.line, finding.key, finding.message[:44]
(1, 'titel', "unknown key 'titel': did you mean 'title'? s")
(3, 'given.X[2]', 'row 2 has length 2, row 1 has length 1: expe')
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from symattn.base import limits
from symattn.base.errors import ScenarioError, SymattnError, cut
from symattn.read.scenario.load import examine, file_text, path_of
from symattn.read.scenario.model import Scenario
from symattn.read.scenario.problem import Finding, Problem

NO_LESSONS = ("pyproject.toml", "taplo.toml", "tombi.toml")
"""Files for other programs, which are skipped in a folder."""


@dataclass(frozen=True)
class Report:
    """The report on one file: its errors, or else its contents in numbers."""

    path: str
    findings: tuple[Finding, ...]
    givens: int = 0
    steps: int = 0
    sections: int = 0
    misprints: int = 0
    """The number of findings about printed figures that differ from the derived ones: the file itself is right."""

    @property
    def is_good(self) -> bool:
        """Whether there are no findings."""
        return not self.findings

    @property
    def is_full(self) -> bool:
        """Whether there may be more findings than are listed."""
        return len(self.findings) >= limits.PROBLEMS


def validate(source: str | Path, *, solve: bool = True) -> tuple[Finding, ...]:
    """Return the errors in a scenario file, or in every one in a folder, in the order of files and lines.

    A built-in name is a file too. ``solve`` also solves it as :func:`symattn.derive` does, which finds errors that only
    the numbers show: a zero vector in a cosine, a sign that cannot be decided, a statement that is not proved.

    >>> validate("good")
    ()
    """
    return tuple(finding for report in reports((source,), solve=solve) for finding in report.findings)


def reports(sources: Iterable[str | Path], *, solve: bool = True) -> Iterator[Report]:
    """Yield one report for each file, as soon as it is known.

    Raises :class:`~symattn.base.errors.ScenarioError` for a source that is neither a name nor a path.
    """
    for source in sources:
        if not isinstance(source, str | Path):
            raise ScenarioError(f"validate: expected a name, a file or a folder, came {cut(repr(source))}")
        for path in files_of(source):
            yield report(path, solve=solve)


def files_of(source: str | Path) -> tuple[str | Path, ...]:
    """Return the scenario files in a folder and its subfolders, in alphabetical order; anything else is unchanged.

    Hidden files and folders are skipped, and so are files for other programs, such as ``pyproject.toml``.
    """
    folder = Path(source)
    try:
        if not folder.is_dir() or str(source).lower().endswith(".toml"):
            return (source,)
    except ValueError:  # no path can have that text
        return (source,)
    found = (path for path in folder.rglob("*") if path.suffix.lower() == ".toml" and path.is_file())
    shown = (path for path in found if not any(part.startswith(".") for part in path.relative_to(folder).parts))
    return tuple(sorted(path for path in shown if path.name not in NO_LESSONS))


def report(source: str | Path, *, solve: bool = True) -> Report:
    """Return the report on one file."""
    name, text = str(source), ""
    try:
        path = path_of(source)
        text = file_text(path)
        scenario, problems = examine(text, Path(path).stem, name, Path(path).parent)
    except Problem as problem:
        scenario, problems = None, (problem,)
    except SymattnError as error:
        return Report(name, (Finding(name, None, "", str(error)),))
    misprints: tuple[Problem, ...] = ()
    if scenario is not None and solve:
        problems = tuple(islice(_unsolved(scenario), limits.PROBLEMS))
        misprints = () if problems else tuple(islice(_misprinted(scenario), limits.PROBLEMS))
    findings = sorted(
        (problem.finding(name, text) for problem in (*problems, *misprints)), key=lambda finding: finding.line or 0
    )
    if scenario is None:
        return Report(name, tuple(findings))
    steps = scenario.derivation.steps
    givens = sum(step.is_given for step in steps)
    return Report(name, tuple(findings), givens, len(steps) - givens, len(scenario.sections), len(misprints))


def _unsolved(scenario: Scenario) -> Iterator[Problem]:
    from symattn.api.worked import WorkedSolution
    from symattn.show.build import failures

    try:
        solution = WorkedSolution(scenario)
    except SymattnError as error:
        yield Problem((), str(error))
        return
    yield from (Problem(key, message) for key, message in failures(scenario, solution.store))


def _misprinted(scenario: Scenario) -> Iterator[Problem]:
    """Yield the printed figures that are not derived and have no reason, with the known mistake that gives them."""
    if not scenario.printed:
        return
    from symattn.api.worked import WorkedSolution
    from symattn.claims.causes import mistaken
    from symattn.claims.mistakes.model import mistake_text
    from symattn.claims.source import compare, unexplained

    store = WorkedSolution(scenario).store
    names = unexplained(scenario, store)
    made = mistaken(scenario, store) if names else {}
    for name in names:
        first, *more = compare(scenario, store, name).differences
        where = f"{name}[{first.row}, {first.column}]" if first.row else f"the layout of {name}"
        derived = f"[{first.derived}, {first.high}]" if first.high else first.derived
        others = f", and {len(more)} more differ" if more else ""
        why = "; no mistake that is known gives them: mend the figures, or say why under [reasons]"
        if name in made:
            title, feedback = (mistake_text(made[name], part, "en") for part in ("title", "feedback"))
            why = f"; {title} ({made[name]}): {feedback}"
        yield Problem(("printed", name), f"{where} is printed {first.printed}, derived {derived}{others}{why}")
