"""validate: every problem of every file, with its line, and nothing of files that are none of ours."""

from __future__ import annotations

from pathlib import Path

import pytest

import symattn
from symattn.solution import evaluation
from symattn.solution.domain import certify_domain
from symattn.validation import report, validate

GOOD = """title = "My head"
tokens = ["the", "cat"]
[given]
X = [["1", "0"], ["0", "1"]]
[[section]]
title = "Weights"
steps = [
  "A = softmax(X @ X.T)",
]
"""


@pytest.fixture
def lesson(tmp_path: Path) -> Path:
    path = tmp_path / "lesson.toml"
    path.write_text(GOOD, encoding="utf-8")
    return path


def wrong(path: Path, **changes: str) -> Path:
    text = GOOD
    for old, new in changes.items():
        text = text.replace({"steps": '"A = softmax(X @ X.T)"', "given": '["0", "1"]', "title": '"My head"'}[old], new)
    path.write_text(text, encoding="utf-8")
    return path


def test_a_good_file_has_no_findings_and_is_counted(lesson: Path) -> None:
    assert symattn.validate(lesson) == ()
    found = report(lesson)
    assert (found.is_good, found.givens, found.steps, found.sections) == (True, 1, 1, 1)


def test_findings_are_sorted_by_line_and_read_as_sentences(lesson: Path) -> None:
    found = validate(wrong(lesson, title='"{Z}"', given='["0"]', steps='"A = softmax(Y)"'))
    assert [(finding.line, finding.key) for finding in found] == [
        (1, "title"),
        (4, "given.X[2]"),
        (8, "section[1].steps[1]"),
    ]
    assert str(found[1]) == (
        f"{lesson}, line 4, given.X[2]: row 2 has length 1, row 1 has length 2: expected rows of one length"
    )


@pytest.mark.parametrize("name", ["nothing.toml", "notes.md", "wether", "a\0b.toml"])
def test_what_is_no_scenario_file_is_one_finding(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert len(validate(name)) == 1


def test_a_folder_is_all_its_scenarios(tmp_path: Path) -> None:
    (tmp_path / "b" / "c").mkdir(parents=True)
    (tmp_path / ".hidden").mkdir()
    for name in ("a.toml", "b/c/d.TOML", "b/e.toml"):
        (tmp_path / name).write_text('title = "{X}"', encoding="utf-8")
    for name in ("pyproject.toml", ".taplo.toml", ".hidden/f.toml", "g.txt"):
        (tmp_path / name).write_text("x = 1", encoding="utf-8")
    assert [Path(found.path).relative_to(tmp_path).as_posix() for found in validate(tmp_path)] == [
        "a.toml",
        "b/c/d.TOML",
        "b/e.toml",
    ]


UNSOLVED = {
    "a zero vector": ('"Z = X - X", "C = cosine(X, Z)"', "row 1 of Z is the zero vector, which has no direction"),
    "a false statement": ('{ prove = ["X + X", "X"] }', "X + X = X is false"),
    "an id that is none": ('"H = one_hot(row(X, 1) + row(X, 1) + row(X, 1), 2)"', "expected an id"),
    "words with a figure": ('"Z = X - X", "C = unit(Z)", { note = "{C[1,1]}" }', "cannot be brought to length 1"),
}


@pytest.mark.parametrize("case", UNSOLVED)
def test_what_only_the_numbers_show_is_found_where_it_is_solved(lesson: Path, case: str) -> None:
    steps, message = UNSOLVED[case]
    wrong(lesson, steps=steps)
    assert validate(lesson, solve=False) == ()
    (found,) = validate(lesson)
    assert message in found.message
    assert found.line == 8


def test_everything_that_cannot_be_solved_is_told_once(lesson: Path) -> None:
    steps = '\n"Z = X - X",\n"C = cosine(X, Z)",\n"D = C @ X",\n"E = unit(Z)",\n{ prove = ["X + X", "X"] }'
    found = validate(wrong(lesson, steps=steps))
    assert [finding.line for finding in found] == [10, 12, 13]
    assert [finding.key for finding in found] == [
        "section[1].steps[2]",
        "section[1].steps[4]",
        "section[1].steps[5].prove",
    ]


def test_what_rests_on_something_unsolved_is_not_tried_again(lesson: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[str] = []

    def certify(solution: object, formula: object, what: str) -> None:
        tried.append(what)
        certify_domain(solution, formula, what)  # type: ignore[arg-type]

    monkeypatch.setattr(evaluation, "certify_domain", certify)
    validate(wrong(lesson, steps='"Z = X - X", "C = unit(Z)", "D = C @ X", "E = D @ X"'))
    assert tried.count("step C") == 1


def test_claims_that_rest_on_something_unsolved_are_passed_over(lesson: Path) -> None:
    wrong(lesson, steps='"Z = X - X", "C = unit(Z)"')
    claims = (
        '[[claim]]\nsays = "1"\nabout = "x"\nvalue = "C[1,1]"\n[[claim]]\nsays = "0"\nabout = "x"\nvalue = "Z[1,1]"\n'
    )
    lesson.write_text(lesson.read_text(encoding="utf-8") + claims, encoding="utf-8")
    assert [finding.key for finding in validate(lesson)] == ["section[1].steps[2]"]
