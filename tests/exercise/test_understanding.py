"""Each sheet has one question of understanding, and what its answer tells is worked out here from its numbers."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from symattn.course.forms import every_topic
from symattn.course.generate import generate
from symattn.course.model import Exercise
from symattn.course.numbers import LEVELS
from symattn.course.sheet.answer import answer
from symattn.course.sheet.in_words import understanding
from symattn.course.sheet.paper import Paper
from symattn.course.sheet.question import question
from symattn.show.blocks import Phrase
from symattn.show.math import Number
from symattn.write.formats import render
from tests.exercise.batches import HEAVY, batch, number, numbers_of
from tests.exercise.sheets import LANGUAGES, figures, pieces
from tests.mistakes.mistaken import Numbers, softmax

TOPICS = [topic.name for topic in every_topic()]
CASES = [(topic, level) for topic in TOPICS for level in LEVELS]


def of_sheet(topic: str, level: int) -> tuple[Exercise, str, dict[str, Any], str]:
    """An exercise, the kind of its question, what the answer tells, and the name that the question is about."""
    (exercise,) = batch(topic, level, seed=5, count=1)
    paper = Paper(exercise, "en")
    asked, solved = (
        next(piece for piece in pieces(phrase.arguments) if isinstance(piece, Phrase))
        for phrase in understanding(paper)
    )
    told = {name: figure(value.text) if isinstance(value, Number) else value for name, value in solved.arguments}
    names = [step.name for step in paper.worked if paper.names(step.name) == told.get("name")]
    assert asked.key.removeprefix("ask_") == solved.key.removeprefix("answer_")
    return exercise, asked.key.removeprefix("ask_"), told, names[0] if names else ""


def figure(text: str) -> float:
    return float(text.replace("oo", "inf")) if "oo" in text else number(text)


def as_printed(x: Any) -> Any:
    return pytest.approx(x, abs=6e-4)


def most(g: Numbers, told: dict[str, Any], name: str) -> None:
    before = re.search(rf'"{name} = softmax\((\w+)\)"', g["text"])
    row = g[f"key {name}"][(told["row"] or 1) - 1]
    assert told["column"] == row.argmax() + 1
    assert told["weight"] == as_printed(row.max())
    if before is not None and f"key {before[1]}" in g:
        assert told["score"] == as_printed(g[f"key {before[1]}"][(told["row"] or 1) - 1].max())


def hidden(g: Numbers, told: dict[str, Any], name: str) -> None:
    assert g["key S_masked"][told["row"] - 1, told["column"] - 1] == -np.inf
    assert g[f"key {name}"][told["row"] - 1, told["column"] - 1] == 0


def shift(g: Numbers, told: dict[str, Any], name: str) -> None:
    scores = g["s" if "s" in g else "z"]
    assert softmax(scores + told["shift"])[0] == as_printed(g[f"key {name}"][0])


def mixture(g: Numbers, told: dict[str, Any], name: str) -> None:
    weights = g["a" if "a" in g else "A"][-1]
    assert (told["best"], told["weight"]) == (weights.argmax() + 1, as_printed(weights.max()))


def turned(g: Numbers, told: dict[str, Any], name: str) -> None:
    assert told["before"] == told["after"] == pytest.approx(np.linalg.norm(g["Q"][0]), rel=6e-4)
    assert told["after"] == pytest.approx(np.linalg.norm(g[f"key {name}"][0]), rel=2e-3)


def angle(g: Numbers, told: dict[str, Any], name: str) -> None:
    assert told["value"] == as_printed(g[f"key {name}"][0, 0])
    assert told["sign"] == np.sign(g[f"key {name}"][0, 0])


def relu(g: Numbers, told: dict[str, Any], name: str) -> None:
    before = g["X"] @ g["W_1"] + g["b_1"]
    assert (told["count"], told["total"]) == ((before < 0).sum(), before.size)


def loss(g: Numbers, told: dict[str, Any], name: str) -> None:
    rows = g[f"key {name}"][:, 0]
    assert (told["row"], told["loss"]) == (rows.argmax() + 1, as_printed(rows.max()))
    assert told["probability"] == as_printed(g["key p"].min())


def zero_rows(g: Numbers, told: dict[str, Any], name: str) -> None:
    rows = g[f"key {name}"]
    assert rows.sum(axis=1) == pytest.approx(0, abs=1e-3 * rows.shape[1])
    assert abs(rows).max() > 0.01


def gate(g: Numbers, told: dict[str, Any], name: str) -> None:
    closed = g["key Z"] < 0
    assert told["count"] == closed.sum()
    assert not g[f"key {name}"][closed].any()


def moved(g: Numbers, told: dict[str, Any], name: str) -> None:
    place = told["row"] - 1, told["column"] - 1
    before, after = g["W"][place], g["key W_new"][place]
    assert (told["before"], told["after"]) == (as_printed(before), as_printed(after))
    assert told["up"] == (after > before)


def summed(g: Numbers, told: dict[str, Any], name: str) -> None:
    assert told["rows"] == len(g["dY"] if "dY" in g else g["X"]) > 1


def rescaled(g: Numbers, told: dict[str, Any], name: str) -> None:
    ((_, value),) = told["factor"].links
    assert float(value.text) == as_printed(np.exp(g["m_1"][0, 0] - g["s_2"].max()))


def doubled(g: Numbers, told: dict[str, Any], name: str) -> None:
    assert told["factor"] == pytest.approx(told["after"] / told["before"], abs=6e-3)
    results = []
    for size, length in g["sizes"].items():
        known = {**g["sizes"], size: 2 * length}
        for line in g["quantities"]:
            found, _, formula = line.partition(" = ")
            known[found] = eval(formula.replace("^", "**"), {}, known)  # noqa: S307  # the counts of our own sheets
        results.append(known[found])
    assert told["after"] == max(results)
    assert told["before"] == g[f"key {found}"][0, 0]


def inner_size(g: Numbers, told: dict[str, Any], name: str) -> None:
    sizes = {int(size) for shape in g["general"].values() for size in shape}
    assert told["size"] in sizes | ({size // 2 for size in sizes} if "head(" in g["text"] else set())


def bias(g: Numbers, told: dict[str, Any], name: str) -> None:
    assert told["rows"] == len(g[f"key {name}"])


def layer_norm(g: Numbers, told: dict[str, Any], name: str) -> None:
    (first, second) = (rows - rows.mean(axis=1, keepdims=True) for rows in (g["X"], g["X"] + told["more"]))
    np.testing.assert_allclose(first, second, atol=1e-12)


def rms_norm(g: Numbers, told: dict[str, Any], name: str) -> None:
    assert told["exact"] == ("epsilon=0)" in g["text"] or "epsilon=0," in g["text"])


def scale(g: Numbers, told: dict[str, Any], name: str) -> None:
    assert (g["key S"].argmax(axis=1) == g["key S_scaled"].argmax(axis=1)).all()


def product(g: Numbers, told: dict[str, Any], name: str) -> None:
    assert (told["row"], told["column"]) == g[f"key {name}"].shape
    assert told["count"] in {size for value in g.values() if isinstance(value, np.ndarray) for size in value.shape}


def depends(g: Numbers, told: dict[str, Any], name: str) -> None:
    formulas = dict(line.split(" = ") for line in g["lines"])
    needed, waiting = set[str](), [[*formulas][-1]]
    while waiting:
        needed.add(one := waiting.pop())
        waiting += [used for used in re.findall(r"[A-Za-z]\w*", formulas.get(one, "")) if used not in needed]
    assert len(told["givens"]) == len(needed & set(g["given"]))


CHECKS: dict[str, Callable[[Numbers, dict[str, Any], str], None]] = {
    check.__name__: check
    for check in (most, hidden, shift, mixture, turned, angle, relu, loss, zero_rows, gate, moved, summed, rescaled,
                  doubled, inner_size, bias, layer_norm, rms_norm, scale, product, depends)
}  # fmt: skip


@pytest.mark.sampled(60)
@pytest.mark.parametrize(("topic", "level"), CASES)
def test_what_the_answer_tells_holds_for_the_numbers_of_the_sheet(topic: str, level: int) -> None:
    exercise, kind, told, name = of_sheet(topic, level)
    table = tomllib.loads(exercise.source)
    lines = [line for section in table["section"] for line in section["steps"]]
    counted = [line["quantity"] for line in lines if isinstance(line, dict)]
    more = {"lines": lines, "quantities": counted, "sizes": table.get("sizes", {}), "general": table.get("general", {})}
    g = {**numbers_of(exercise), **more, "given": table.get("given", {})}
    if name and f"key {name}" not in g and kind not in ("scale", "moved"):
        assert exercise.form != "plain"  # a form may ask for other steps
        return
    CHECKS[kind](g, told, name)


@pytest.mark.long
def test_every_kind_of_question_is_on_some_sheet() -> None:
    found = {of_sheet(topic, level)[1] for topic, level in CASES if level in (1, 3) and topic not in HEAVY}
    assert found == set(CHECKS) - {"product"}


@pytest.mark.parametrize(("scenario", "ask", "kind"), [
    ("weather", "Q", "product"), ("weather", "A", "most"), ("refund", "Q_raw", "product"), ("training", "M", "depends"),
])  # fmt: skip
def test_a_sheet_about_a_scenario_asks_only_about_what_leads_to_its_parts(scenario: str, ask: str, kind: str) -> None:
    (exercise,) = generate(scenario=scenario, ask=[ask])
    asked, _ = understanding(Paper(exercise, "en"))
    assert [one.key for one in pieces(asked) if isinstance(one, Phrase)] == ["sheet_in_words", f"ask_{kind}"]


@pytest.mark.parametrize("topic", TOPICS)
def test_a_sheet_asks_in_words_and_only_its_key_answers(topic: str) -> None:
    (exercise,) = batch(topic, 4, seed=5, count=1)
    for language in LANGUAGES:
        sheet, key = question(exercise, language), answer(exercise, language)
        both = [[one for one in pieces(page) if isinstance(one, Phrase)] for page in (sheet, key)]
        asked, solved = ([one.key for one in page if re.match("ask_|answer_(?!label|pla)", one.key)] for page in both)
        assert [name.split("_")[0] for name in (*asked, *solved)] == ["ask", "answer"]
        if exercise.form == "plain":  # other forms show steps
            assert not set(figures(sheet)) & {text for one in both[1] if one.key == solved[0] for text in _own(one)}
        for page in (sheet, key):
            assert render(page, "markdown")


def _own(phrase: Phrase) -> set[str]:
    """Figures with decimals in a phrase."""
    return {piece.text for piece in pieces(phrase.arguments) if isinstance(piece, Number) and "." in piece.text}
