"""The page of a solution: what it carries, read back without a browser, and what may be guessed of an entry."""

from __future__ import annotations

import json
import re
from base64 import b64decode, b64encode
from collections.abc import Callable
from functools import cache
from hashlib import sha256
from math import isinf
from typing import Any
from zlib import decompress

import numpy as np
import pytest
from numpy.typing import NDArray

from symattn import WorkedSolution, derive
from symattn.api.publish import payload
from symattn.api.publish.slips import LARGE, MOST, Between, Guess, guesses, words_of
from symattn.base.budget import Budget, apart, spend, working
from symattn.base.errors import RenderError
from symattn.base.words import languages
from symattn.claims import by_hand
from symattn.compute.values.balls import at_precision
from symattn.compute.values.hand import rounded
from symattn.read.scenario.load import builtin_names, loads
from symattn.show.openable import DIGITS, Openable
from symattn.write import environment
from tests.cases import solved
from tests.document.lessons import lesson


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


@pytest.mark.long
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
        assert set(told["mistakes"]) == {slip["mistake"] for each in guessed(data) for slip in each["slips"]}
        if language.startswith("zh"):
            rest = {
                key: re.sub(r"\{\w+\}|Enter|Backspace|Alt|Esc|Tab|\b[A-Z]\d?\b", "", text)
                for key, text in told["words"].items()
            }
            assert [key for key, text in rest.items() if re.search("[A-Za-z]{2,}", text)] == []


def guessed(data: Any) -> list[Any]:
    return list(json.loads(data["guesses"]).values())


def test_words_that_the_page_asks_for_are_there() -> None:
    """Every word that a script asks for is a phrase, with the blanks that it fills, and every phrase is asked for."""
    from symattn.api.publish.html import SCRIPTS
    from symattn.base.words import templates

    text = "\n".join((templates() / "html" / f"{name}.js").read_text(encoding="utf-8") for name in SCRIPTS)
    words = payload.ui(environment.phrases("en"))
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
    told = payload.entry_sentences(openable, environment.phrases("en"))
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


def test_what_costs_too_much_to_open_closes_nothing_else(
    weather: WorkedSolution, page: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(payload, "OPENED_STEPS", 100_000)
    data, whole = carried(weather.render("html", language="en")), carried(page)
    assert data["closed"] == ["A", "LN₁", "LN₂"]
    assert data["names"] == [each for each in whole["names"] if each["name"] not in ("A", "LN_1", "LN_2")]


def test_opening_a_matrix_costs_the_page_nothing() -> None:
    with working(page := Budget(100)):
        with apart(Budget(1000), charged=False):
            spend(800)
        assert page.steps == 100


def test_a_page_has_no_delimiters_and_no_fragment(weather: WorkedSolution) -> None:
    with pytest.raises(RenderError, match="delimiters of Markdown"):
        weather.render("html", math="brackets")
    with pytest.raises(RenderError, match="no fragment"):
        weather.render("html", fragment=True)


# -- right numbers and those of mistakes, against NumPy and the certified figures --------------------------------------


Doubles = NDArray[np.float64]


@cache
def found(name: str) -> dict[str, Guess]:
    return guesses(solved(name).scenario, solved(name).store)


def holds(between: Between | None, number: float) -> bool:
    return between is not None and between[0] <= number <= between[1]


@pytest.mark.parametrize("name", builtin_names())
def test_every_certified_figure_is_right_and_no_mistake(name: str) -> None:
    store = solved(name).store
    assert len(found(name)) > 10
    for each, guess in found(name).items():
        assert len(guess.slips) <= MOST
        assert store.rows(each) * store.columns(each) <= LARGE
        true = np.array([[float(text) for text in row] for row in store.decimals(each, 9)])
        for place in np.ndindex(true.shape):
            i, j = place
            if guess.right[i][j] is None:
                assert abs(true[place]) > 1e10  # e^1000 is one of them
                continue
            assert holds(guess.right[i][j], true[place]), (each, place)
            for half in (0.000499, -0.000499):
                assert isinf(true[place]) or holds(guess.right[i][j], true[place] + half)
        for slip in guess.slips:
            assert any(any(row) for row in slip.entries), (each, slip.mistake)


def softmax(S: Doubles, axis: int | None = -1) -> Doubles:
    E: Doubles = np.exp(S - S.max(axis=axis, keepdims=True))
    return E / E.sum(axis=axis, keepdims=True)


MADE: dict[tuple[str, str], Callable[[Callable[[str], Doubles]], Doubles]] = {
    ("S", "scale-forgotten"): lambda of: of("QK_T"),
    ("S", "divided-by-width"): lambda of: of("QK_T") / 4,
    ("S", "multiplied-by-root"): lambda of: of("QK_T") * 2,
    ("A", "softmax-over-columns"): lambda of: softmax(of("S_masked"), 0),
    ("A", "exponentials-without-dividing"): lambda of: np.exp(of("S_masked")),
    ("A", "softmax-of-unscaled-scores"): lambda of: softmax(of("QK_T") + of("M")),
    ("A", "softmax-of-unmasked-scores"): lambda of: softmax(of("S")),
    ("Z", "weights-transposed"): lambda of: of("A").T @ of("V"),
    ("Q", "weight-transposed"): lambda of: of("X") @ of("W_Q").T,
    ("R_1", "residual-forgotten"): lambda of: of("H_attn"),
    ("G", "relu-forgotten"): lambda of: of("F_1"),
    ("G", "absolute-value-for-relu"): lambda of: np.abs(of("F_1")),
}


@pytest.mark.parametrize(("name", "mistake"), MADE)
def test_a_mistake_gives_what_numpy_makes_of_it(name: str, mistake: str) -> None:
    of = solved("weather").store.float64
    guess = found("weather")[name]
    slip = next(each for each in guess.slips if each.mistake == mistake)
    made = MADE[name, mistake](of)
    told = 0
    for (i, j), number in np.ndenumerate(made):
        if slip.entries[i][j] is None:
            assert holds(guess.right[i][j], number), (i, j)
        else:
            assert holds(slip.entries[i][j], number), (i, j)
            assert not holds(guess.right[i][j], number), (i, j)
            told += 1
    assert told


def test_an_operation_of_ones_own_that_is_ours_has_our_mistakes() -> None:
    parameters, equations = ["S: m×n"], ["e[i,j] = exp(S[i,j])", "t[i] = sum(k, e[i,k])", "y[i,j] = e[i,j] / t[i]"]
    head = f"operation.shares = {{ parameters = {json.dumps(parameters)}, equations = {json.dumps(equations)} }}"
    made = derive(
        loads(lesson("A = shares(X) | B = softmax(X) | L = 10^200 * X", "X = 1, 2, 0; 0, 1, 3; 2, 2, 1", head))
    )
    told = guesses(made.scenario, made.store)
    assert told["A"] == told["B"]
    assert told["A"].slips[0].mistake == "softmax-over-columns"
    assert told["L"].right[0] == (None, None, (-0.0005, 0.0005))


@pytest.mark.parametrize("language", languages())
def test_every_mistake_has_words(language: str) -> None:
    words = words_of(found("weather"), language)
    assert {"scale-forgotten", "softmax-over-columns"} <= words.keys()
    assert all(text.strip() for each in words.values() for text in each.values())
    assert all(each.keys() == {"title", "feedback", "hint"} for each in words.values())


@pytest.mark.parametrize("name", ["weather", "journey"])
def test_who_rounds_every_number_on_the_way_is_right(name: str) -> None:
    store, told = solved(name).store, 0
    for each, guess in found(name).items():
        with at_precision(2000):
            own = {other: store.enclosure(other, 2000) for other in store.step(each).uses}
            rough = by_hand.carried(store, rounded(guess.decimals), (each,), own)[each]
        cells = [
            (i, j, float(x.mid())) for i, row in enumerate(rough.tolist()) for j, x in enumerate(row) if x.is_finite()
        ]
        wrong = [cell for i, j, cell in cells if guess.right[i][j] and not holds(guess.right[i][j], cell)]
        assert wrong == [], each
        told += len(cells)
    assert told > 100
