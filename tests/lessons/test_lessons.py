"""Lessons that nobody polished, as teachers of other courses would write them: no page of theirs has a fault that a
machine can find."""

from __future__ import annotations

import re
from pathlib import Path
from shutil import which
from subprocess import run

import pytest

from symattn.api.worked import WorkedSolution, derive
from symattn.read.scenario.load import loads
from tests.lessons import faults
from tests.lessons.more import OTHERS, other

FOLDER = Path(__file__).parent
LESSONS = tuple(sorted(path.stem for path in FOLDER.glob("*.toml")))
QUICK = LESSONS[::4]


def found(solution: WorkedSolution, source: str) -> list[str]:
    data, page = faults.of_data(solution), solution.render()
    foreign = () if data["language"] == "en" else faults.foreign(page, data, source)
    return [*faults.of_page(page, data), *foreign]


def source_of(name: str) -> str:
    return (FOLDER / f"{name}.toml").read_text("utf-8")


@pytest.mark.long
def test_there_are_two_hundred_of_forty_kinds() -> None:
    assert len(LESSONS) == 40
    assert len(LESSONS) + len(OTHERS) == 200
    assert len({other(number) for number in OTHERS}) == len(OTHERS)


@pytest.mark.long
@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", QUICK)
def test_a_page_has_no_fault(name: str) -> None:
    assert found(derive(FOLDER / f"{name}.toml"), source_of(name)) == []


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted({*LESSONS} - {*QUICK}))
def test_no_other_page_has_one(name: str) -> None:
    assert found(derive(FOLDER / f"{name}.toml"), source_of(name)) == []


@pytest.mark.slow
@pytest.mark.parametrize("number", OTHERS)
def test_nor_has_a_lesson_of_the_same_kind(number: int) -> None:
    text = other(number)
    assert found(derive(loads(text)), text) == []


@pytest.mark.slow
@pytest.mark.parametrize("name", LESSONS)
def test_other_formats_have_none_either(name: str) -> None:
    solution = derive(FOLDER / f"{name}.toml")
    assert [*faults.of_html(solution.render("html")), *faults.of_latex(solution.render("latex"))] == []


@pytest.mark.slow
@pytest.mark.skipif(which("pdftotext") is None, reason="pdftotext reads where words stand")
@pytest.mark.parametrize("name", LESSONS)
def test_every_word_of_a_pdf_stands_within_its_text(name: str, tmp_path: Path) -> None:
    derive(FOLDER / f"{name}.toml").save(tmp_path / "lesson.pdf")
    assert list(faults.of_pdf((tmp_path / "lesson.pdf").read_bytes())) == []


@pytest.mark.slow
@pytest.mark.skipif(which("xelatex") is None, reason="needs XeLaTeX")
@pytest.mark.parametrize("name", LESSONS)
def test_xelatex_has_nothing_to_say(name: str, tmp_path: Path) -> None:
    derive(FOLDER / f"{name}.toml").save(tmp_path / "lesson.tex")
    command = ["xelatex", "-no-shell-escape", "-interaction=nonstopmode", "-halt-on-error", "lesson.tex"]
    log = run(command, cwd=tmp_path, capture_output=True, check=False).stdout.decode("utf-8", "replace")
    assert re.findall(r"Missing character:.*|Overfull \\[hv]box.*", log) == []


@pytest.mark.parametrize(
    ("page", "fault"),
    [
        (r"$\sum_{k=1}^{k} x_k$", "a sum binds k: 1 to k"),
        (r"$\sum_{d=1}^{3} x_d$", "a sum binds d: 1 to 3"),
        (r"$x_{1$", "a { too many in $x_{1$"),
        (r"$\left(x$", r"\\left(?![a-z]) without its other half in $\left(x$"),
        ("r is None", "printed as it is: None"),
        ("# One\n\n# Two\n\nwords", "nothing under # One"),
        ("# One\n\n**Note:**", "nothing behind **Note:**"),
        (r"$x = 7 = 7$", "a figure after itself: = 7 = 7"),
        (
            "$$\nX\\ (shape=1\\times 2)=\n\\begin{bmatrix}\n1 & 2\n\\end{bmatrix}\n$$",
            "figures that are nowhere in the data",
        ),
    ],
)
def test_the_faults_are_seen(page: str, fault: str) -> None:
    data = {"givens": [], "steps": [], "sizes": {"d": 3}, "symbols": []}
    assert any(each.startswith(fault) for each in faults.of_page(page, data))
