"""Words around figures, in many languages."""

from __future__ import annotations

from collections.abc import Mapping

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


def cases(table: Mapping[str, str]) -> list[tuple[str, str]]:
    """Texts between bars, each with what it is to give."""
    return [(text, expected) for expected, texts in table.items() for text in texts.split(" | ")]


DONE = {
    "softmax": (
        "Softmax by row (approximate): | 行ごとの softmax | Softmax，按行： | 對每一列做softmax | "
        "Softmax wierszami | 소프트맥스를 적용 | after softmax, without the mask | domino softmax | "
        "softmax 前向传播 | 소프트맥스 전체"
    ),
    "scale": "Scaled ($\\sqrt{2}$): | Skalowanie, | QKᵀ のスケーリング",
    "causal_mask": "**Causal mask.** Upper triangle | La máscara causal | la mascara causal",
    "weighted_sum": (
        "weighted sum of the values | suma ponderada de los valores | somme pondérée | gewichtete Summe der Werte"
    ),
    "layer_norm residual": "Layer normalization, then a residual connection",
    "normalise": "归一化 →",
    "product": "Mnożymy przez macierz wag",
    "product layer_norm": "Умножаем матрицы, затем нормализация слоя",
    "mean variance std": "Mean and variance and standard deviation",
    "dot": "summary of dots and scaleup",
    "": (
        "which means that | Scores before softmax | softmax 之前的分数 | 未缩放的分数 | Softmax 前 | "
        "avant le softmax | przed softmax | 소프트맥스 전 점수"
    ),
    "cross_entropy": "Cross-entropy loss",
    "softmax sum": "no softmax, somamos",
    "scale normalise": "divided by 2, then divided by their sum | 除以 2，再除以总和",
}
AXES = {
    "rows": (
        "row-wise | softmax(x, dim = -1) | Softmax，按行 | 對每一列做 softmax | 行ごと | 각 행 | "
        "po wierszach | par ligne | zeilenweise | построчно"
    ),
    "columns": "axis=0 | column by column | 逐列 | 對每一行做 softmax",
    "None": "a sequence of words | 序列 | 行列の積",
}
WHICH = {
    "row 1": "Row 1 | 行 1 | 1行目 softmax | 出力1行目 | 1행 | 첫 번째 행 | first row | 第一行 | Row 1, 2 heads",
    "row 0": "Row 0: | Wiersz 0 (cat)",
    "token 2": "Token 2 (mouse) | query 2 | the second token | 第二个词",
    "token 1": "토큰 1",
    "head 1": "head 1 | 第一頭 | Cabeza 1",
    "head 2": "head_2",
    "head 3": "Head #3",
    "row 2": "2nd row | 第 2 行 | Zeile 2 | 2. Zeile | 2ª fila | строка 2 | 2-я строка | satır 2",
    "position 3": "位置 3",
    "step 4": "Step 4: compute",
    "row 1, row 3, token 2": "Row 1 and row 3, Token 2",
    "row 1, row 3": "Rows 1 and 3, 0.5",
    "position 0, position 1, position 2": "positions 0, 1, 2",
    "": "3 行 2 列的矩阵 | 2 rows, 3 tokens, token 0.5 | 2行3列の行列 | 1. Token embeddings",
}
ROLES_OF = {
    "weights": "Attention weights: | 注意力权重 | 注意力權重 | アテンションの重み | Wagi",
    "weight_matrix": "Weight matrices | 가중치 행렬",
    "scores": "Scores | Puntuaciones de atención",
    "output": "Wynik | 输出",
    "context": "Vecteur de contexte",
}
FIRST_ROLES = {
    "weights": "A | α,2 | Attention Weights | attn | attn_weights | attnWeights",
    "scores": "QK^T | scores | S",
    "masked": "S,masked | Masked",
    "scaled": "scaled_scores",
    "output": "Output | head,1 | 输出",
    "context": "context",
    "input": "X",
    "weight_matrix": "W,Q | W_q | W,,Q",
    "mean": "μ",
    "variance": "σ,,2",
    "std": "σ",
    "loss": "L",
    "gradient": "dX | dW_Q",
}
"""Of names: what stands below, and above, is behind commas."""


@pytest.mark.parametrize(("text", "does"), cases(DONE))
def test_what_words_say_is_done(text: str, does: str) -> None:
    assert " ".join(hints(text).does) == does


@pytest.mark.parametrize(("text", "axis"), cases(AXES))
def test_along_which_axis(text: str, axis: str) -> None:
    assert str(hints(text).axis) == axis


@pytest.mark.parametrize(("text", "which"), cases(WHICH))
def test_of_which_row_token_or_head(text: str, which: str) -> None:
    assert ", ".join(f"{one.kind} {one.number}" for one in hints(text).which) == which


@pytest.mark.parametrize(
    ("text", "script", "kind"),
    [("第 2 列", "hant", "row"), ("第 2 列", "hans", "column"), ("輸出的第 2 列", None, "row")],
)
def test_rows_and_columns_follow_the_script(text: str, script: str | None, kind: str) -> None:
    assert (hints(text, script) if script else hints(text)).which == (WhichOne(kind, 2, False),)


@pytest.mark.parametrize(("text", "script"), [("假設權重", "hant"), ("假设权重", "hans"), ("重みの行列", None)])
def test_the_script_is_told_by_its_characters(text: str, script: str | None) -> None:
    assert chinese_of(text) == script


@pytest.mark.parametrize(("text", "roles"), cases(ROLES_OF))
def test_roles_in_words(text: str, roles: str) -> None:
    assert " ".join(hints(text).roles) == roles


@pytest.mark.parametrize(("name", "first"), cases(FIRST_ROLES))
def test_the_first_role_of_a_name(name: str, first: str) -> None:
    base, below, above = [*name.split(","), "", ""][:3]
    assert role_of_name(base, below, above)[0] == first


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
