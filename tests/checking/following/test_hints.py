"""Words around figures, in many languages."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from symattn.checking.following.hints import WhichOne, chinese_of, hints, role_of_name
from symattn.checking.phrases import SECTIONS, lexicon, spoken
from tests.counted import calls

DOES = frozenset(
    """softmax scale product transpose causal_mask mask normalise sum mean variance std layer_norm rms_norm relu gelu
    silu sigmoid tanh exp log residual concat heads rotary positional projection loss cross_entropy gradient update max
    argmax dot norm cosine weighted_sum bias plus subtract_max""".split()
)
ROLES = frozenset(
    """input query key value scores scaled masked weights output context hidden logits probabilities embedding position
    weight_matrix bias target gradient mean variance normalised loss std""".split()
)


@pytest.mark.parametrize("language", spoken())
def test_files_hold_what_is_known(language: str) -> None:
    words = lexicon(language)
    assert {key for key, value in words.items() if isinstance(value, dict)} <= {*SECTIONS, "states"}
    assert set(words["does"]) <= DOES
    assert set(words["roles"]) <= ROLES
    assert set(words["axis"]) == {"rows", "columns"}
    assert set(words["which"]) <= {"row", "column", "token", "head", "position", "step"}
    assert set(words["marks"]) <= {"given", "before", "after", "approximate", "problem"}
    assert all(key.isdigit() for key in words.get("ordinals", {}))


def test_names_have_known_roles() -> None:
    names = lexicon("names")
    assert {role for table in names.values() for roles in table.values() for role in roles} <= ROLES


def table() -> list[tuple[str, str, str]]:
    """What is asked, texts between bars, and what each of them gives; of names, scripts are behind commas."""
    parts = Path(__file__).with_name("hints.txt").read_text(encoding="utf-8").split("==== ")[1:]
    found = []
    for asked, *lines in (part.splitlines() for part in parts):
        for texts, expected in zip(lines[::2], lines[1::2], strict=True):
            found += [(asked, text, expected.strip()) for text in texts.split(" | ")]
    return found


ASKED: Mapping[str, Callable[[str], str]] = {
    "does": lambda text: " ".join(hints(text).does),
    "axis": lambda text: str(hints(text).axis),
    "which": lambda text: ", ".join(f"{one.kind} {one.number}" for one in hints(text).which),
    "roles": lambda text: " ".join(hints(text).roles),
    "first role": lambda text: role_of_name(*[*text.split(","), "", ""][:3])[0],
}


@pytest.mark.parametrize(("asked", "text", "expected"), table())
def test_what_words_say(asked: str, text: str, expected: str) -> None:
    assert ASKED[asked](text) == expected


@pytest.mark.parametrize(
    ("text", "script", "kind"),
    [("第 2 列", "hant", "row"), ("第 2 列", "hans", "column"), ("輸出的第 2 列", None, "row")],
)
def test_rows_and_columns_follow_the_script(text: str, script: str | None, kind: str) -> None:
    assert (hints(text, script) if script else hints(text)).which == (WhichOne(kind, 2, False),)


@pytest.mark.parametrize(("text", "script"), [("假設權重", "hant"), ("假设权重", "hans"), ("重みの行列", None)])
def test_the_script_is_told_by_its_characters(text: str, script: str | None) -> None:
    assert chinese_of(text) == script


@pytest.mark.parametrize(
    "text", ["Given X", "Let $X$ be", "假设", "設 X 為", "(given)", "from earlier", "Niech", "Пусть", "sea X"]
)
def test_given(text: str) -> None:
    assert hints(text).given


def test_other_marks() -> None:
    assert hints("before the update").before
    assert hints("Updated weights").after
    assert hints("approx. values").approximate
    assert not hints("start with the data of the ocean").before


@pytest.mark.sampled(0)
def test_long_text_is_read_in_linear_time() -> None:
    text = "softmaxmaskwag" * 10_000 + " row 1 and 第" * 5_000 + "行" * 10_000
    calls(lambda: hints(text), most=20_000_000)
