"""The page of a solution: what it carries, read back without a browser."""

from __future__ import annotations

import json
import re
from base64 import b64decode, b64encode
from hashlib import sha256
from typing import Any
from zlib import decompress

import pytest

from symattn import WorkedSolution, derive
from symattn.api.publish import payload
from symattn.base.errors import RenderError
from symattn.base.words import languages
from symattn.read.scenario.load import loads
from symattn.show.openable import DIGITS, Openable
from symattn.write import environment


def carried(page: str) -> Any:
    """What the page opens with."""
    match = re.search(r'<script type="application/octet-stream" id="opens" data-sorry="[^"]+">([^<]+)</script>', page)
    assert match is not None
    return json.loads(decompress(b64decode(match[1])))


@pytest.fixture(scope="module")
def weather() -> WorkedSolution:
    return derive("weather")


@pytest.fixture(scope="module")
def page(weather: WorkedSolution) -> str:
    return weather.render("html", language="en")


def test_the_one_script_is_the_one_that_may_run(page: str) -> None:
    scripts = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    assert len(scripts) == 1
    allowed = re.findall(r"script-src '(sha256-[^']+)'", page)
    assert allowed == ["sha256-" + b64encode(sha256(scripts[0].encode()).digest()).decode()]
    assert "default-src 'none'" in page
    assert not re.search(r"""(src|href)=["'](?!#|data:)""", page)


def test_every_entry_opens_with_every_number_of_decimals(page: str, weather: WorkedSolution) -> None:
    data = carried(page)
    openable = {matrix.name: matrix for matrix in Openable(weather.store, weather_names(weather))}
    assert [each["name"] for each in data["names"]] == list(openable)
    for each in data["names"]:
        rows, columns = weather.store.rows(each["name"]), weather.store.columns(each["name"])
        assert len(each["entries"]) == rows * columns
        assert list(map(int, each["digits"])) == list(DIGITS)
        for decimals, table in each["digits"].items():
            assert tuple(map(tuple, table)) == openable[each["name"]].figures(int(decimals))
        for lines, regions, _ in each["entries"]:
            assert bool(lines) == bool(regions) == (not each["given"] and each["name"] != "M")
    assert set(data["computed"]) == {each["name"] for each in data["names"] if not each["given"]}


def weather_names(solution: WorkedSolution) -> Any:
    from symattn.show.build import scenario_names

    return scenario_names(solution.scenario)


def test_all_languages_are_carried_with_their_words(page: str) -> None:
    data = carried(page)
    assert tuple(data["languages"]) == languages()
    keys = {language: set(told["words"]) for language, told in data["languages"].items()}
    assert len(set(map(frozenset, keys.values()))) == 1
    for language, told in data["languages"].items():
        assert ("body" in told) == (language != "en")
        assert set(told["mistakes"]) == {slip["mistake"] for each in guesses(data) for slip in each["slips"]}
        if language.startswith("zh"):
            rest = {
                key: re.sub(r"\{\w+\}|Enter|Backspace|Alt|Esc|Tab|\b[A-Z]\d?\b", "", text)
                for key, text in told["words"].items()
            }
            assert [key for key, text in rest.items() if re.search("[A-Za-z]{2,}", text)] == []


def guesses(data: Any) -> list[Any]:
    return list(json.loads(data["guesses"]).values())


def test_words_that_the_page_asks_for_are_there() -> None:
    """Every word that a script asks for is a phrase, with the blanks that it fills, and every phrase is asked for."""
    from symattn.api.publish.html import SCRIPTS
    from symattn.base.words import templates

    text = "\n".join((templates() / "html" / f"{name}.js").read_text(encoding="utf-8") for name in SCRIPTS)
    words = payload.ui(environment.words("en"))
    built = {f"{stem}{end}" for stem in ("row", "column") for end in ("_at", "_at_label", "")}
    built |= {"turned_row", "turned_column", "flip_zero", "flip_sign", "worked", "shapes", "general", "exactly"}
    built |= {"exact", "letters", "predict", "projector", "called", "cannot_open", "some"}
    built |= {f"key_{each}" for each in re.findall(r'"(\w+)"', text[text.index("const KEYS") :].split("]")[0])}
    asked = set(re.findall(r'say\("(\w+)"', text)) | built
    assert asked == set(words)
    for key, blanks in re.findall(r'say\("(\w+)", \{([^}]*)\}', text):
        filled = set(re.findall(r"(\w+)(?=:|,|\s*$)", re.sub(r"\([^()]*\)", "", blanks.strip())))
        assert set(re.findall(r"\{(\w+)\}", words[key])) <= filled | {"value"}, key


def test_a_step_is_spoken_of(weather: WorkedSolution) -> None:
    openable = Openable(weather.store, weather_names(weather))
    told = payload.spoken(openable, environment.words("en"))
    assert told["Q"] == "Q, row i, column j: row i of X times column j of W_Q."
    assert told["QK_T"] == "Q Kᵀ, row i, column j: row i of Q times column j of K transposed."
    assert told["A"] == "A, row i, column j: row i of S̃."
    assert told["X"] == "X, row i, column j: row i, column j of E and row i, column j of P."
    assert "E" not in told


def test_what_is_too_large_is_named_and_what_has_no_numbers_is_not_computed() -> None:
    row = ", ".join(['"1"'] * 50)
    scenario = loads(
        f'title = "Large"\n[given]\nX = [{", ".join([f"[{row}]"] * 50)}]\ny = [["1", "2"]]\n'
        '[[section]]\ntitle = "Sums"\nsteps = ["Z = X + X", "w = 2*y"]\n'
    )
    data = carried(WorkedSolution(scenario).render("html", language="en"))
    assert data["closed"] == ["X", "Z"]
    assert [each["name"] for each in data["names"]] == ["y", "w"]


def test_a_page_has_no_delimiters_and_no_fragment(weather: WorkedSolution) -> None:
    with pytest.raises(RenderError, match="delimiters of Markdown"):
        weather.render("html", math="brackets")
    with pytest.raises(RenderError, match="no fragment"):
        weather.render("html", fragment=True)
