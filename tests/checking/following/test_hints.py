"""Words around figures, in many languages."""

from __future__ import annotations

import pytest

from symattn.checking.following.hints import WhichOne, chinese_of, hints, role_of_name
from symattn.checking.following.lexicon import SECTIONS, lexicon, spoken
from tests.counted import calls

DOES = frozenset(
    """softmax scale product transpose causal_mask mask normalise sum mean variance std layer_norm rms_norm relu gelu
    silu sigmoid tanh exp log residual concat heads rotary positional projection loss cross_entropy gradient update max
    argmax dot norm cosine weighted_sum bias subtract_max""".split()
)
ROLES = frozenset(
    """input query key value scores scaled masked weights output context hidden logits probabilities embedding position
    weight_matrix bias target gradient mean variance normalised loss std""".split()
)


@pytest.mark.parametrize("language", spoken())
def test_files_hold_what_is_known(language: str) -> None:
    words = lexicon(language)
    assert {key for key, value in words.items() if isinstance(value, dict)} <= set(SECTIONS)
    assert set(words["does"]) <= DOES
    assert set(words["roles"]) <= ROLES
    assert set(words["axis"]) == {"rows", "columns"}
    assert set(words["which"]) <= {"row", "column", "token", "head", "position", "step"}
    assert set(words["marks"]) <= {"given", "before", "after", "approximate"}
    assert all(key.isdigit() for key in words.get("ordinals", {}))


def test_names_have_known_roles() -> None:
    names = lexicon("names")
    assert {role for table in names.values() for roles in table.values() for role in roles} <= ROLES


@pytest.mark.parametrize(
    ("text", "does"),
    [
        ("Softmax by row (approximate):", ("softmax",)),
        ("Scaled ($\\sqrt{2}$):", ("scale",)),
        ("**Causal mask.** Upper triangle", ("causal_mask",)),
        ("weighted sum of the values", ("weighted_sum",)),
        ("Layer normalization, then a residual connection", ("layer_norm", "residual")),
        ("行ごとの softmax", ("softmax",)),
        ("Softmax，按行：", ("softmax",)),
        ("归一化 →", ("normalise",)),
        ("對每一列做softmax", ("softmax",)),
        ("Skalowanie,", ("scale",)),
        ("Softmax wierszami", ("softmax",)),
        ("Mnożymy przez macierz wag", ("product",)),
        ("Умножаем матрицы, затем нормализация слоя", ("product", "layer_norm")),
        ("소프트맥스를 적용", ("softmax",)),
        ("suma ponderada de los valores", ("weighted_sum",)),
        ("La máscara causal", ("causal_mask",)),
        ("la mascara causal", ("causal_mask",)),
        ("somme pondérée", ("weighted_sum",)),
        ("gewichtete Summe der Werte", ("weighted_sum",)),
        ("Mean and variance and standard deviation", ("mean", "variance", "std")),
        ("summary of dots and scaleup", ("dot",)),
        ("which means that", ()),
        ("Cross-entropy loss", ("cross_entropy",)),
        ("Scores before softmax", ()),
        ("after softmax, without the mask", ("softmax",)),
        ("softmax 之前的分数", ()),
        ("未缩放的分数", ()),
        ("Softmax 前", ()),
        ("avant le softmax", ()),
        ("przed softmax", ()),
        ("소프트맥스 전 점수", ()),
        ("domino softmax", ("softmax",)),
        ("softmax 前向传播", ("softmax",)),
        ("소프트맥스 전체", ("softmax",)),
        ("no softmax, somamos", ("softmax", "sum")),
        ("QKᵀ のスケーリング", ("scale",)),
        ("divided by 2, then divided by their sum", ("scale", "normalise")),
        ("除以 2，再除以总和", ("scale", "normalise")),
    ],
)
def test_what_is_done(text: str, does: tuple[str, ...]) -> None:
    assert hints(text).does == does


@pytest.mark.parametrize(
    ("text", "axis"),
    [
        ("row-wise", "rows"),
        ("softmax(x, dim = -1)", "rows"),
        ("axis=0", "columns"),
        ("column by column", "columns"),
        ("Softmax，按行", "rows"),
        ("逐列", "columns"),
        ("對每一列做 softmax", "rows"),
        ("對每一行做 softmax", "columns"),
        ("行ごと", "rows"),
        ("각 행", "rows"),
        ("po wierszach", "rows"),
        ("par ligne", "rows"),
        ("zeilenweise", "rows"),
        ("построчно", "rows"),
        ("a sequence of words", None),
        ("序列", None),
        ("行列の積", None),
    ],
)
def test_axis(text: str, axis: str | None) -> None:
    assert hints(text).axis == axis


@pytest.mark.parametrize(
    ("text", "kind", "number"),
    [
        ("Row 1", "row", 1),
        ("Row 0:", "row", 0),
        ("Wiersz 0 (cat)", "row", 0),
        ("行 1", "row", 1),
        ("1行目 softmax", "row", 1),
        ("出力1行目", "row", 1),
        ("Token 2 (mouse)", "token", 2),
        ("토큰 1", "token", 1),
        ("1행", "row", 1),
        ("첫 번째 행", "row", 1),
        ("head 1", "head", 1),
        ("head_2", "head", 2),
        ("Head #3", "head", 3),
        ("first row", "row", 1),
        ("2nd row", "row", 2),
        ("query 2", "token", 2),
        ("the second token", "token", 2),
        ("第一行", "row", 1),
        ("第 2 行", "row", 2),
        ("第二个词", "token", 2),
        ("位置 3", "position", 3),
        ("Step 4: compute", "step", 4),
        ("Zeile 2", "row", 2),
        ("2. Zeile", "row", 2),
        ("2ª fila", "row", 2),
        ("строка 2", "row", 2),
        ("2-я строка", "row", 2),
        ("第一頭", "head", 1),
        ("Cabeza 1", "head", 1),
        ("satır 2", "row", 2),
    ],
)
def test_which(text: str, kind: str, number: int) -> None:
    found = hints(text).which
    assert [(one.kind, one.number) for one in found] == [(kind, number)]


def test_which_follows_the_script() -> None:
    assert hints("第 2 列", "hant").which == (WhichOne("row", 2, False),)
    assert hints("第 2 列", "hans").which == (WhichOne("column", 2, False),)
    assert hints("輸出的第 2 列").which == (WhichOne("row", 2, False),)
    assert hints("3 行 2 列的矩阵").which == ()
    assert hints("2 rows, 3 tokens, token 0.5").which == ()
    assert hints("2行3列の行列").which == ()
    assert [one.number for one in hints("Row 1 and row 3, Token 2").which] == [1, 3, 2]
    assert hints("1. Token embeddings").which == ()
    assert [one.number for one in hints("positions 0, 1, 2").which] == [0, 1, 2]
    assert [one.number for one in hints("Rows 1 and 3, 0.5").which] == [1, 3]
    assert [one.number for one in hints("Row 1, 2 heads").which] == [1]


def test_script() -> None:
    assert chinese_of("假設權重") == "hant"
    assert chinese_of("假设权重") == "hans"
    assert chinese_of("重みの行列") is None


@pytest.mark.parametrize(
    ("text", "roles"),
    [
        ("Attention weights:", ("weights",)),
        ("Weight matrices", ("weight_matrix",)),
        ("Scores", ("scores",)),
        ("注意力权重", ("weights",)),
        ("注意力權重", ("weights",)),
        ("アテンションの重み", ("weights",)),
        ("Wagi", ("weights",)),
        ("Wynik", ("output",)),
        ("输出", ("output",)),
        ("Vecteur de contexte", ("context",)),
        ("Puntuaciones de atención", ("scores",)),
        ("가중치 행렬", ("weight_matrix",)),
    ],
)
def test_roles(text: str, roles: tuple[str, ...]) -> None:
    assert hints(text).roles == roles


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


@pytest.mark.parametrize(
    ("name", "first"),
    [
        (("A", "", ""), "weights"),
        (("α", "2", ""), "weights"),
        (("Attention Weights", "", ""), "weights"),
        (("attn", "", ""), "weights"),
        (("attn_weights", "", ""), "weights"),
        (("attnWeights", "", ""), "weights"),
        (("QK^T", "", ""), "scores"),
        (("scores", "", ""), "scores"),
        (("S", "", ""), "scores"),
        (("S", "masked", ""), "masked"),
        (("Masked", "", ""), "masked"),
        (("scaled_scores", "", ""), "scaled"),
        (("Output", "", ""), "output"),
        (("head", "1", ""), "output"),
        (("context", "", ""), "context"),
        (("X", "", ""), "input"),
        (("W", "Q", ""), "weight_matrix"),
        (("W_q", "", ""), "weight_matrix"),
        (("W", "", "Q"), "weight_matrix"),
        (("μ", "", ""), "mean"),
        (("σ", "", "2"), "variance"),
        (("σ", "", ""), "std"),
        (("L", "", ""), "loss"),
        (("dX", "", ""), "gradient"),
        (("dW_Q", "", ""), "gradient"),
        (("输出", "", ""), "output"),
    ],
)
def test_names(name: tuple[str, str, str], first: str) -> None:
    assert role_of_name(*name)[0] == first


@pytest.mark.sampled(0)
def test_long_text_is_read_in_linear_time() -> None:
    text = "softmaxmaskwag" * 10_000 + " row 1 and 第" * 5_000 + "行" * 10_000
    calls(lambda: hints(text), most=20_000_000)
