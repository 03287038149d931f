"""Pages of others are read from their marks, and a finding at a carried figure is no alarm if it says so."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from symattn.checking.check import check
from symattn.checking.model import CheckedDocument
from tests.checking.report.made import at, made
from tests.checking.scoring import Score, outcome
from tests.checking.strangers import cases, cases_of

MARKED = "« Une somme » :\n\n$a = 1 + 2 = «4→3»$\n\n$b = a + 1 = «5~4»$\n\n$c = 2 + 2 = 4$\n"
WRONG, RIGHT = cases_of("sums.md", MARKED)


def test_every_page_has_a_case_with_its_errors_and_one_without() -> None:
    assert (WRONG.text.count("4"), WRONG.text.count("5")) == (2, 1)
    assert [(each.printed, each.right) for each in WRONG.errors] == [("4", "3")]
    assert RIGHT.text == WRONG.right_text == MARKED.replace("«4→3»", "3").replace("«5~4»", "4")
    assert (RIGHT.errors, RIGHT.carried) == ((), ())


def test_a_page_is_found_wrong_and_mended_and_right_where_it_is_put_right() -> None:
    assert outcome(WRONG, check).score == Score(1, 1, 1, 0, 1, 1, 1)
    assert outcome(RIGHT, check).score == Score(1, mended=1, quiet=1)


def test_a_carried_figure_is_false_only_where_it_is_called_wrong() -> None:
    carried = at(WRONG.text, 5, "5", "4", kind="propagated")
    for finding, false in ((carried, 0), (replace(carried, kind="wrong"), 1), (at(WRONG.text, 7, "4", "5"), 1)):

        def told(text: str, name: str, finding: object = finding) -> CheckedDocument:
            return made(text, [finding] if text == WRONG.text else [], name)  # type: ignore[list-item]

        assert (outcome(WRONG, told).score.found, outcome(WRONG, told).score.false) == (0, false)


def test_a_part_of_what_is_marked_may_be_corrected() -> None:
    (case, _) = cases_of("percent.md", "It is «12\\%→21\\%» of it.")
    finding = at(case.text, 1, "12", "21")
    assert case.errors[0].is_corrected(finding)
    assert not case.errors[0].is_corrected(replace(finding, expected="22"))


def test_all_pages_of_others_are_marked_as_they_should_be() -> None:
    for case in cases():
        assert not {"→", "~"} & set("".join(part.partition("»")[0] for part in case.text.split("«")[1:])), case.row


def test_pages_are_read_from_all_folders_by_their_endings(tmp_path: Path) -> None:
    for name in ("a.md", "b.tex", "inner/c.html", "notes.json"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("1 + 1 = «3→2»", encoding="utf-8")
    assert [each.row for each in cases(tmp_path)][::2] == ["a.md", "b.tex", "inner/c.html"]
