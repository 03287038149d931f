"""Every form of a report: under its schema, for its readers, and with nothing of a document that could do something."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft4Validator, Draft202012Validator, FormatChecker, ValidationError
from markdown_it import MarkdownIt

from symattn.base.errors import STEERING
from symattn.checking.model import KINDS, CheckedDocument, Explained, Unfollowed
from symattn.checking.report.annotated import annotated
from symattn.checking.report.causes import SAID, causes_of
from symattn.checking.report.form import as_json, document_data, json_schema, schema_text
from symattn.checking.report.lines import SourceLines, marked, width
from symattn.checking.report.markdown import MOST, as_markdown
from symattn.checking.report.sarif import as_commands, as_sarif
from symattn.checking.report.text import as_text, explained
from tests.checking.report.made import TEXT, at, clean, made, tutorial

HOSTILE = "\x1b[2J\u202e`<script>|@all #12 %0A::error::x ##[error] $x$ {0} [a](http://b) \\input{x} -->\x07"
"""What a document may say to a terminal, a page, a runner."""


def hostile() -> CheckedDocument:
    text = f"{HOSTILE} 0.37\n{HOSTILE}\n"
    words = dict.fromkeys(("of", "because", "worked"), HOSTILE)
    found = at(text, 1, "0.37", HOSTILE, **words, explained=(Explained(HOSTILE, HOSTILE),))
    left = Unfollowed(2, 1, HOSTILE, HOSTILE, 2)
    return made(text, [found, replace(found, kind="propagated")], f"{HOSTILE}.md", [left])


FORMS: dict[str, Callable[..., str]] = {
    "text": as_text,
    "json": lambda documents: as_json(documents, several=True),
    "sarif": lambda documents: as_sarif(documents, [(HOSTILE, HOSTILE)], strict=True),
    "markdown": as_markdown,
    "github": lambda documents: as_commands(documents, strict=True),
    "explain": lambda documents: explained(documents[0], 1),
}


@pytest.mark.parametrize("form", FORMS)
def test_nothing_of_a_document_steers(form: str) -> None:
    text = FORMS[form]([hostile(), hostile()])
    assert not STEERING.search(text.replace("\n", ""))
    assert text.endswith("\n")
    assert not text.endswith("\n\n")
    assert text == FORMS[form]([hostile(), hostile()])


# -- text --------------------------------------------------------------------------------------------------------------


def test_the_text_tells_coverage_first_and_one_cause_once() -> None:
    text = as_text([tutorial()])
    assert text.startswith(
        "tutorial.md: 11 figures: 10 verified (6 right, 4 wrong), 1 not verified; 4 given\n\n1. Line 4: S[3, 1]"
    )
    assert text.count("\n1. ") == 1
    assert "\n2. " not in text
    assert "    7 | 注意力 A: 0.37, 0.26, 0.37\n      |           ^^^^  ^^^^  ^^^^\n" in text
    for told in ("1·1 + 1·1 = 2", "Perhaps: One digit is another.", "no formula leads to it: 1 figure, line 8: 0.5"):
        assert told in text


def test_colours_are_only_added() -> None:
    coloured = as_text([tutorial(), clean()], colour=True)
    assert coloured != as_text([tutorial(), clean()])
    assert re.sub("\x1b\\[[0-9]+m", "", coloured) == as_text([tutorial(), clean()])


def test_what_is_much_is_folded() -> None:
    text = "".join(f"x = {number}.5\n" for number in range(100))
    found = [at(text, line, f"{line - 1}.5", "0", kind="propagated") for line in range(1, 101)]
    left = [Unfollowed(line, 1, "x", "no formula", 1) for line in range(1, 101, 2)]
    told = as_text([made(text, found, unfollowed=left)])
    assert "… and 91 places more: lines 10–100\n" in told
    assert "no formula: 50 figures, lines 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23 and 38 more\n" in told
    assert len(told) < 2_500


def test_the_origin_of_a_cause_follows_from_nothing_else() -> None:
    (cause,) = causes_of(tutorial())
    assert (cause.origin.line, len(cause.others)) == (4, 3)
    follower = [replace(each, kind="propagated") for each in tutorial().findings]
    assert causes_of(made(TEXT, follower))[0].origin.line == 4


@pytest.mark.parametrize(
    ("text", "span"),
    [
        ("注意力 0.5", (4, 7)),
        ("e\u0301 = 7", (5, 6)),
        ("\ta\x1b b 7", (6, 7)),
        ("𝛼 = 7", (4, 5)),
        ("7" * 500, (250, 253)),
    ],
)
def test_marks_stand_under_what_they_mark(text: str, span: tuple[int, int]) -> None:
    (line,) = marked(text, [span])
    before = len(line.marks) - len(line.marks.lstrip())
    columns, reached = 0, 0
    for place, sign in enumerate(line.shown):
        if columns >= before:
            reached = place
            break
        columns += width(sign)
    assert columns == before
    assert line.shown[reached:].lstrip("\u0301").startswith(text[slice(*span)])
    assert set(line.marks.strip()) == {"^"}


def test_a_place_behind_a_line_is_marked_behind_it() -> None:
    (line,) = marked("ab", [(2, 2)])
    assert (line.shown, line.marks) == ("ab", "  ^")
    assert list(marked("ab", [])) == []


@pytest.mark.parametrize("text", ["", "\n", "a", "a\n", "a\r\nb", "𝛼𝛽 1\n𝛼 2"])
def test_lines_are_those_of_the_file(text: str) -> None:
    lines = SourceLines(text)
    assert "".join(lines.whole_line(number) for number in range(1, lines.count + 1)) == text
    for place in range(len(text)):
        line, column = lines.position(place)
        assert lines.start(line) + column - 1 == place
        before = text[lines.start(line) : place]
        assert lines.utf_16(place) == (line, len(before.encode("utf-16-le")) // 2 + 1)


# -- JSON --------------------------------------------------------------------------------------------------------------


def test_json_is_what_the_schema_says(root: Path) -> None:
    Draft202012Validator.check_schema(json_schema())
    schema = Draft202012Validator(json_schema())
    for text in (
        as_json([tutorial()]),
        as_json([hostile()]),
        as_json([clean()], several=True),
        as_json([tutorial(), clean()], [("a.md", "a.md: cannot be read")], several=True),
        as_json([], several=True),
    ):
        schema.validate(json.loads(text))
    copy = (root / "docs" / "check.schema.json").read_text(encoding="utf-8")
    assert copy == schema_text(), "write it again: symattn check --schema -o docs/check.schema.json"


def test_json_has_the_keys_that_were_promised_first() -> None:
    data = document_data(tutorial())
    assert list(data)[:2] == ["findings", "coverage"]
    assert list(data["findings"][0])[:7] == ["line", "column", "printed", "expected", "kind", "because", "cause"]
    assert list(data["coverage"])[:4] == ["figures", "verified", "wrong", "not_verified"]
    assert [each["line"] for each in data["findings"]] == [4, 7, 7, 7]


def test_every_kind_has_its_words() -> None:
    assert set(KINDS) == set(SAID)


# -- SARIF -------------------------------------------------------------------------------------------------------------

SARIF = Draft4Validator(
    json.loads(Path(__file__).with_name("sarif-2.1.0-rtm.5.json").read_text(encoding="utf-8")),
    format_checker=FormatChecker(),
)
"""The schema of SARIF 2.1.0, as Microsoft gives it away: unchanged from the package @microsoft/jest-sarif 1.0.0-beta.0
of npm, which is under the licence of MIT in ``sarif-2.1.0-rtm.5.licence.txt``."""
CORNERS = ("startLine", "startColumn", "endLine", "endColumn")
REGION = {
    "type": "object",
    "required": CORNERS,
    "additionalProperties": False,
    "properties": {corner: {"type": "integer", "minimum": 1} for corner in CORNERS},
}
TEXT_OF = {
    "type": "object",
    "required": ["text"],
    "additionalProperties": False,
    "properties": {"text": {"type": "string"}},
}


def uri_reference(text: str) -> bool:
    return re.fullmatch(r"(?:[a-z]+://)?[\w.~%/()!$&'*+,;=@-]*", text, re.ASCII) is not None


def logged(documents: list[CheckedDocument], **more: Any) -> Any:
    """A log under its schema, which keeps the rules that a schema cannot say too."""
    log = json.loads(as_sarif(documents, **more))
    SARIF.validate(log)
    (run,) = log["runs"]
    rules = run["tool"]["driver"]["rules"]
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        for location in (*result["locations"], *result.get("relatedLocations", ())):
            place = location["physicalLocation"]
            Draft202012Validator(REGION).validate(place["region"])
            file = place["artifactLocation"]
            assert run["artifacts"][file["index"]]["location"]["uri"] == file["uri"]
            assert uri_reference(file["uri"]), file["uri"]
        Draft202012Validator(TEXT_OF).validate(result["message"])
        assert not re.search(r"(?<!\{)\{(?:\{\{)*[0-9]", result["message"]["text"])
    prints = [result["partialFingerprints"]["symattn/v1"] for result in run["results"]]
    assert len(set(prints)) == len(prints) or len(documents) > 1
    return log


def test_sarif_has_a_result_for_each_place() -> None:
    log = logged([tutorial(), clean()], unread=[("no.md", "no.md: cannot be read")])
    assert log["version"] == "2.1.0"
    (run,) = log["runs"]
    assert [result["ruleId"] for result in run["results"]] == ["wrong", "propagated", "propagated", "propagated"]
    origin, *others = run["results"]
    assert [each["physicalLocation"]["region"]["startLine"] for each in origin["relatedLocations"]] == [7, 7, 7]
    for other in others:
        (back,) = other["relatedLocations"]
        assert back["physicalLocation"] == origin["locations"][0]["physicalLocation"]
    assert run["invocations"][0]["executionSuccessful"] is False
    logged([hostile()], unread=[(HOSTILE, HOSTILE)], strict=True)


def test_every_kind_of_finding_keeps_the_schema_of_sarif() -> None:
    found = [at(TEXT, 4, "1", "2", 2 + place % 2, kind=kind, cause=place) for place, kind in enumerate(KINDS, 1)]
    (run,) = logged([made(TEXT, found), made("", (), "empty.md")], strict=True)["runs"]
    assert {result["ruleId"] for result in run["results"]} == set(KINDS)
    with pytest.raises(ValidationError):
        SARIF.validate({"version": "2.1.0", "runs": [run | {"columns": 1}]})


def test_the_fixes_of_sarif_put_right_what_they_name() -> None:
    text = "𝛼𝛽 = 0.37, 𝛾 = 0.26\r\n" + TEXT
    found = [at(text, 1, "0.37", "0.51"), at(text, 1, "0.26", "0.19", cause=2)]
    (run,) = logged([made(text, found)])["runs"]
    assert run["columnKind"] == "utf16CodeUnits"
    units = text.split("\n")[0].encode("utf-16-le")
    for result in reversed(run["results"]):
        (replacement,) = result["fixes"][0]["artifactChanges"][0]["replacements"]
        region = replacement["deletedRegion"]
        start, end = (2 * (region[key] - 1) for key in ("startColumn", "endColumn"))
        units = units[:start] + replacement["insertedContent"]["text"].encode("utf-16-le") + units[end:]
    assert units.decode("utf-16-le") == "𝛼𝛽 = 0.51, 𝛾 = 0.19\r"


def test_fingerprints_stay_where_lines_move() -> None:
    def prints(document: CheckedDocument) -> list[str]:
        results = json.loads(as_sarif([document]))["runs"][0]["results"]
        return [result["partialFingerprints"]["symattn/v1"] for result in results]

    moved = "More.\n\n" + TEXT
    spread = [replace(each, line=each.line + 2, start=each.start + 7, end=each.end + 7) for each in tutorial().findings]
    assert prints(tutorial()) == prints(made(moved, spread))


def test_what_is_not_verified_is_told_only_where_that_is_asked_for() -> None:
    def rules(strict: bool) -> list[str]:
        results = logged([tutorial()], strict=strict)["runs"][0]["results"]
        return [result["ruleId"] for result in results]

    assert rules(True) == [*rules(False), "not_verified"]
    assert as_commands([tutorial()], True).count("::error") == as_commands([tutorial()]).count("::error") + 1


# -- GitHub ------------------------------------------------------------------------------------------------------------


def test_commands_of_github_are_one_line_each() -> None:
    lines = as_commands([tutorial("a,b.md")]).splitlines()
    assert lines[0] == (
        "::error file=a%2Cb.md,line=4,col=39,endColumn=40,title=symattn%3A wrong::"
        "1, expected 2 (wrong)%0AS is Q Kᵀ.%0A1·1 + 1·1 = 2%0APerhaps: One digit is another."
    )
    assert lines[-1] == "symattn: a,b.md: 11 figures: 10 verified (6 right, 4 wrong), 1 not verified; 4 given"
    for line in as_commands([hostile()], strict=True).splitlines():
        assert re.fullmatch(r"::(?:error|warning) (?:[a-zA-Z]+=[^,:]*(?:,(?=[a-z])|))*::.*|symattn: .*", line), line
    assert "##[" not in as_commands([hostile()]).splitlines()[-1]


# -- Markdown ----------------------------------------------------------------------------------------------------------


def test_the_comment_has_a_table_of_places() -> None:
    page = as_markdown([tutorial()])
    assert page.startswith("### `tutorial.md`\n\n11 figures: ")
    html = MarkdownIt("commonmark").enable("table").render(page)
    assert html.count("<tr>") == 4
    assert "\n                                      ^\n" in html
    assert "<li>no formula leads to it: 1 figure, line 8</li>" in html


def test_nothing_of_a_document_is_markdown_or_calls_somebody() -> None:
    page = as_markdown([hostile()])
    html = MarkdownIt("commonmark").enable("table").render(page)
    assert "<script" not in html
    assert "<a " not in html
    outside = re.sub(r"<code.*?</code>|<pre>.*?</pre>", "", html, flags=re.DOTALL)
    assert not re.search(r"(?<![>])@\w|(?<![>&])#\d", outside), outside


@pytest.mark.long
def test_a_comment_is_never_longer_than_github_takes() -> None:
    text = "".join(f"x = {number}.5 {'y' * 200}\n" for number in range(2_000))
    found = [at(text, line, f"{line - 1}.5", "0", cause=line) for line in range(1, 2_001)]
    left = [Unfollowed(line, 1, "x", f"{line} {'no' * 400}", 1) for line in range(1, 2_001)]
    page = as_markdown([made(text, found, unfollowed=left)])
    assert MOST // 2 < len(page) < 65_536
    assert " causes more.\n" in page


# -- a line ------------------------------------------------------------------------------------------------------------


def test_a_line_is_explained_figure_by_figure() -> None:
    told = explained(tutorial(), 4)
    assert told.startswith("tutorial.md, line 4:\n    4 | S = ")
    parts = ("Column 39: 1, expected 2 (wrong)", "it is:", "S[3, 1]", "made by:", "Q Kᵀ", "of 3 other places: line 7")
    assert all(part in told for part in parts)
    assert explained(tutorial(), 7).count("cause:      line 4: 1, expected 2 (wrong)") == 3
    last = explained(tutorial(), 8)
    assert "Column 12: 0.5 (not verified)\n   why not:    no formula leads to it" in last
    assert explained(tutorial(), 1).endswith("No figure was read on this line.\n")


# -- annotated copies --------------------------------------------------------------------------------------------------


def without(text: str, lines: str) -> str:
    return re.sub(lines, "", text, flags=re.MULTILINE)


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize(
    ("name", "lines"),
    [
        ("a.tex", r"^% symattn: .*\n"),
        ("a.txt", r"^(?: *\^[ ^]*|\[symattn\] .*)\r?\n"),
        ("a.html", r"<aside.*</aside>\r?\n"),
    ],
)
def test_an_annotated_copy_only_adds(name: str, lines: str, end: str) -> None:
    text = TEXT.replace("\n", end)
    copy = annotated(tutorial(name, text))
    assert without(copy, lines) == text
    assert copy.count("expected") == 4
    assert copy.count("\n") - copy.count("\r\n") == (0 if end == "\r\n" else copy.count("\n"))
    assert annotated(clean(name)) == clean(name).text


def test_remarks_stand_behind_formulas_tables_and_programs_of_markdown() -> None:
    text = "$$\nA = 1\n\nB = 2\n$$\n\n```python\nx = 3\n\ny = 4\n```\n\n| a | b |\n|---|---|\n| 5 | 6 |\nEnd 7."
    found = [at(text, line, figure, "0", cause=line) for line, figure in ((2, "1"), (8, "3"), (15, "5"), (16, "7"))]
    copy = annotated(made(text, found))
    blocks = [each.type for each in MarkdownIt("commonmark").enable("table").parse(copy) if each.level == 0]
    assert blocks.count("blockquote_open") == 3  # the table and what stands right behind it are one block
    assert blocks.count("fence") == 1
    html = MarkdownIt("commonmark").enable("table").render(copy)
    assert html.count("expected") == 4
    assert html.count("<table>") == 1


def test_a_notebook_gets_cells() -> None:
    cells = [
        {"cell_type": "markdown", "id": f"c{number}", "metadata": {}, "source": [f"x = {number}.5"]}
        for number in range(3)
    ]
    whole = {"metadata": {"cells": [1, "]"]}, "cells": cells, "nbformat": 4, "nbformat_minor": 5}
    for indent in (1, None):
        text = json.dumps(whole, indent=indent)
        line = next(number for number, each in enumerate(text.split("\n"), 1) if "x = 1.5" in each)
        copy = annotated(made(text, [at(text, line, "1.5", "2.5")], "a.ipynb"))
        after = json.loads(copy)
        kept = [cell for cell in after["cells"] if not cell["id"].startswith("symattn")]
        assert kept == cells
        assert after["cells"][2]["source"].startswith("**symattn:**\n\n- `1.5`, expected `2.5` (wrong). S is Q Kᵀ.")
        assert len(after["cells"]) == 4
