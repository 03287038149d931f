"""How authors say a relation: beside its result, by name, in words, or in words that rely on sizes announced before.

Each relation has at least three English wordings for each way, one for a class in Taiwan and one for the mainland.
In a wording, ``{S}`` is the name of the scores, ``{d}`` a size and ``{softmax}`` the function as the author writes it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

WAYS = ("beside", "named", "words", "sizes")
"""Four ways to say a relation; only the first writes the formula on the line of its result."""

NAMED = (
    "The result is ${A} = {formula}$:",
    "Now we compute ${A} = {formula}$, and get the following matrix.",
    "By definition, ${A} = {formula}$. Its entries:",
)
NAMED_IN_CHINESE = ("接著計算 ${A} = {formula}$：", "由定义 ${A} = {formula}$，得到：")


@dataclass(frozen=True)
class Wordings:
    """The ways to say one relation."""

    formulas: tuple[str, ...]
    words: tuple[str, ...]
    sizes: tuple[str, ...]
    words_in_chinese: tuple[str, str]
    sizes_in_chinese: tuple[str, str]

    def sentence(self, way: str, seed: int) -> str:
        """Pick the wording that this seed uses."""
        table = {
            "beside": (self.formulas, self.formulas[:2]),
            "named": (NAMED, NAMED_IN_CHINESE),
            "words": (self.words, self.words_in_chinese),
            "sizes": (self.sizes, self.sizes_in_chinese),
        }
        english, chinese = table[way]
        return chinese[seed // 6 % 2] if is_chinese(seed) else english[seed % len(english)]

    def formula(self, seed: int) -> str:
        """Pick the formula that this seed writes; it changes independently of the sentence around it."""
        return self.formulas[seed // 2 % len(self.formulas)]


def is_chinese(seed: int) -> bool:
    """Return True for one seed in six."""
    return seed % 6 == 5


WORDINGS: Mapping[str, Wordings] = {
    "weights": Wordings(
        (
            r"{softmax}({S}/\sqrt{{{d}}})",
            r"{softmax}\left(\frac{{{S}}}{{\sqrt{{{d}}}}}\right)",
            r"{softmax}({S} / √{d})",
        ),
        (
            "Divide by √{d} and apply the softmax to each row:",
            "Every score is divided by √{d}; a softmax over each row then gives the attention weights:",
            r"Scale the scores by $1/\sqrt{{{d}}}$ and take the softmax row by row:",
        ),
        (
            r"With $d_k = {d}$. Scale the scores by $1/\sqrt{{d_k}}$, then softmax:",
            r"The keys have $d_k = {d}$ entries. We divide by $\sqrt{{d_k}}$ and apply softmax to each row:",
            r"Here $d_k = {d}$, so the scores are scaled by $\frac{{1}}{{\sqrt{{d_k}}}}$ before the softmax:",
        ),
        ("將每個分數除以 √{d}，再對每一列做 softmax：", r"把分数除以 $\sqrt{{{d}}}$，然后逐行做 softmax："),
        (
            r"已知 $d_k = {d}$。將分數除以 $\sqrt{{d_k}}$，再做 softmax：",
            r"设 $d_k = {d}$，分数乘以 $1/\sqrt{{d_k}}$ 后做 softmax：",
        ),
    ),
    "masked": Wordings(
        (r"{softmax}({S} + M)", r"{softmax}\left({S} + M\right)", r"{softmax}(M + {S})"),
        (
            "Mask the future, then softmax each row:",
            "Hide every key after the query (causal mask) and apply the softmax to each row:",
            "Set the scores above the diagonal to −∞ and take the softmax of each row:",
        ),
        (
            r"With $d_k = {d}$. Scale by $1/\sqrt{{d_k}}$, mask the future, then softmax each row:",
            r"Here $d_k = {d}$. Divide the scores by $\sqrt{{d_k}}$, apply the causal mask and then the softmax:",
            r"There are $n = 3$ tokens, and token $i$ sees only tokens $j \le i$. "
            r"Divide by $\sqrt{{d_k}}$ with $d_k = {d}$, mask the scores, and apply the softmax:",
        ),
        ("遮住未來的位置（因果遮罩），再對每一列做 softmax：", "用因果掩码遮住未来的词，再逐行做 softmax："),
        (
            r"已知 $d_k = {d}$。將分數除以 $\sqrt{{d_k}}$，套用因果遮罩，再對每一列做 softmax：",
            r"设 $d_k = {d}$，分数除以 $\sqrt{{d_k}}$，加上因果掩码，再逐行做 softmax：",
        ),
    ),
    "projected": Wordings(
        ("X W + b", "XW + b", r"X \cdot W + b"),
        (
            "Multiply X by W and add b:",
            "Project the rows of $X$ with $W$, then add the bias $b$ to each row:",
            "The layer is linear: the input times the weights, plus the bias.",
        ),
        (
            "With $d = 3$. Multiply each row of $X$ by $W$ and add the bias $b$:",
            "The input has $d_{{in}} = 3$ features and the output $d_{{out}} = 3$: multiply by $W$, then add $b$:",
            "Here $n = 3$ and $d = 3$. Project the input with $W$ and add $b$ to every row:",
        ),
        ("將 X 乘以 W，再加上 b：", "用 $W$ 对 $X$ 做投影，再给每一行加上偏置 $b$："),
        ("已知 $d = 3$。將 $X$ 乘以 $W$，再加上偏差 $b$：", "设 $n = 3$、$d = 3$，用 $W$ 投影 $X$，再加上偏置 $b$："),
    ),
    "scores": Wordings(
        ("Q K^T", r"Q K^\top", r"QK^{{\top}}"),
        (
            "Take the dot product of every query with every key:",
            "Each query is multiplied with each key, which gives one score per pair:",
            "Multiply the queries by the transposed keys:",
        ),
        (
            "With $d_k = 3$. Take the dot product of every query with every key:",
            "There are $n = 3$ tokens with $d_k = 3$. The scores are the queries times the transposed keys:",
            "Here $d_k = 3$, and the scores are not scaled yet: each query dot each key.",
        ),
        ("計算每個查詢與每個鍵的內積：", "用查询矩阵乘以键矩阵的转置："),
        ("已知 $d_k = 3$。計算每個查詢與每個鍵的內積：", "设 $d_k = 3$，分数为查询矩阵乘以键矩阵的转置："),
    ),
    "rows": Wordings(
        (r"{softmax}({S})", r"{softmax}\left({S}\right)", r"{softmax}({S}, \text{{dim}}=-1)"),
        (
            "Apply the softmax to each row:",
            "Softmax along the rows, so that every row sums to 1:",
            "Normalise the scores of each query with a softmax:",
        ),
        (
            "With $n = 3$ tokens. Softmax each of the $n$ rows:",
            "For $n = 3$ queries and $m = 3$ keys, a softmax over the keys turns the scores into weights:",
            "Here $n = 3$. Apply a softmax to every row, so that it sums to 1:",
        ),
        ("對每一列做 softmax：", "逐行做 softmax，使每一行之和为 1："),
        ("已知 $n = 3$。對 $n$ 列分別做 softmax：", "设 $n = 3$，对每一行做 softmax，使其和为 1："),
    ),
}
"""The wordings of each relation, by its name."""

GIVEN: Mapping[str, tuple[str, str, str]] = {
    "S": ("The scores are", "分數矩陣為", "分数矩阵为"),
    "M": ("The causal mask is", "因果遮罩為", "因果掩码为"),
    "X": ("The input is", "輸入為", "输入为"),
    "W": ("The weights are", "權重為", "权重为"),
    "b": ("The bias is", "偏差為", "偏置为"),
    "Q": ("The queries are", "查詢矩陣為", "查询矩阵为"),
    "K": ("The keys are", "鍵矩陣為", "键矩阵为"),
}
"""What a given matrix is called, in English and for both kinds of Chinese."""
