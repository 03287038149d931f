"""Habits of pages in words and formulas: what of each is found wrong, and that nothing else of it is."""

from __future__ import annotations

import pytest

from symattn.checking.check import check
from tests.checking.found import wrong

Wrong = list[tuple[int, str, str]]

LABELLED: dict[str, tuple[str, Wrong]] = {
    "results behind words alone": (
        "```\nInput: [1.4, 0.6, -0.3]\n\nExponentials: [4.0552, 1.8221, 0.7480]\nSum: 6.6181\n"
        "Softmax: [0.6127, 0.2753, 0.1190]\n```\n",
        [(4, "0.7480", "0.7408"), (6, "0.1190", "0.1119")],
    ),
    "the same words in Japanese": (
        "入力: [1.4, 0.6, -0.3]\n\n指数: [4.0552, 1.8221, 0.7480]\n\n合計: 6.6181\n\n"
        "Softmax: [0.6127, 0.2753, 0.1190]\n",
        [(3, "0.7480", "0.7408"), (7, "0.1190", "0.1119")],
    ),
    "a temperature before each list": (
        "Input: [1.4, 0.6, -0.3]\n\nSoftmax: [0.6127, 0.2753, 0.1119]\n\n## Softmax with a temperature\n\n"
        "T=0.5: [0.8095, 0.1643, 0.0270]\n\nT=4.0: [0.4044, 0.3311, 0.2644]\n",
        [(7, "0.1643", "0.1634")],
    ),
    "a token in angle brackets before a formula": (
        "The token <y> $S = [[1, 2]] [[3], [4]] = 12$, and $0.3 < 0.5$\n",
        [(1, "12", "11")],
    ),
    "a step forgotten before softmax": (
        "Scores: [3.0, 1.0, 2.0]\n\nScaled scores: [1.5, 0.5, 1.0]\n\nSoftmax of it: [0.665, 0.090, 0.245]\n",
        [(5, "0.665", "0.506"), (5, "0.090", "0.186"), (5, "0.245", "0.307")],
    ),
    "a list whose last figure stands behind a word": (
        "Scores: [3.0, 1.0, 2.0]\n\nDivided by 2: scaled scores [1.5, 0.5, 1.0]\n\n"
        "Applying softmax gives the weights 0.665, 0.090, and 0.245\n",
        [(5, "0.665", "0.506"), (5, "0.090", "0.186"), (5, "0.245", "0.307")],
    ),
    "a mean and a deviation for each row": (
        "X = [[0.25, 1.5, 0.5], [2.0, 0.4, 1.2], [1.0, 1.0, 0.1]]\n\n"
        '- "cat": mean=0.75, std=0.540\n- "sat": mean=1.20, std=0.653\n- "mat": mean=0.80, std=0.442\n',
        [(5, "0.80", "0.70"), (5, "0.442", "0.424")],
    ),
    "a word that is worked out anew": (
        "Score = (0.18 - 0.12) / 0.12 = 0.50\n\nScore = (0.19 - 0.12) / 0.12 = 0.58\n\n"
        "Mean: (0.50 + 0.58) / 2 = 0.55\n",
        [(5, "0.55", "0.54")],
    ),
    "another number behind the same label": (
        "- Loss: 1.5 - 0.9 = 0.6\n- Loss: 1.6 - 0.9 = 0.7\n",
        [],
    ),
}

HEADS_AND_ROWS: dict[str, tuple[str, Wrong]] = {
    "heads that are called alike": (
        "## Head 1\n\nweights = [[0.25, 0.75], [0.5, 0.5]]\n\nV = [[1, 2], [3, 0]]\n\n"
        "output = weights V = [[2.5, 0.5], [2.0, 1.0]]\n\n"
        "## Head 2\n\nweights = [[0.5, 0.5], [0.25, 0.75]]\n\nV = [[0, 4], [2, 1]]\n\n"
        "output = weights V = [[1.0, 2.5], [1.5, 1.75]]\n\n"
        "## Concat\n\nconcat = [[2.5, 0.5, 1.0, 2.5], [2.0, 1.0, 1.5, 1.57]]\n",
        [(19, "1.57", "1.75")],
    ),
    "a word as a factor": (
        "weights = [[0.25, 0.75], [0.5, 0.5]]\n\nV = [[1, 2], [3, 0]]\n\n"
        "output = weights V = [[2.5, 0.5], [2.0, 1.1]]\n",
        [(5, "1.1", "1.0")],
    ),
    "a row that is shown again": (
        "```\nS = [[1.0, 3.0], [2.0, 0.0]]\n```\n\nRow 2 scores [2.0, 0.0]:\n\n- softmax → [0.881, 0.191]\n",
        [(7, "0.191", "0.119")],
    ),
    "the formula behind rows that are shown again": (
        "```\nA = [[0.5, 0.25, 0.25], [0.25, 0.5, 0.25], [0.1, 0.3, 0.6]]\n"
        "V = [[2.0, 0.0], [1.0, 3.0], [0.0, 4.0]]\n```\n\n"
        "Row 2 weights [0.25, 0.50, 0.25]:\n\n$A V = [1.0, 2.6]$\n\n"
        "Row 3 weights [0.10, 0.30, 0.60]:\n\n$A V = [0.5, 3.2]$\n",
        [(8, "2.6", "2.5"), (12, "3.2", "3.3")],
    ),
}

FIGURES: dict[str, tuple[str, Wrong]] = {
    "figures of doubles": (
        "```\n3 * 0.7859 = 2.3577000000000004\n3 * 0.7861 = 2.3582999999999998\n3 * 0.7862 = 2.3587\n```\n",
        [(4, "2.3587", "2.3586")],
    ),
    "a mean that doubles leave of nothing": (
        "x = [0.1, 0.2, -0.3]\n\nmean(x) = 9.251858538542971e-18\n\nmean(x) = 0.1\n",
        [(5, "0.1", "0.0")],
    ),
    "a sum that is an entry of a product": (
        "$S = [[0.37, 1.21, -0.4], [0.9, 0.2, 0.6]]$ and $V = [[1.3, 0.7], [2.1, -0.4], [0.35, 1.9]]$\n\n"
        "$A = softmax(S) = [[0.264594, 0.612896, 0.122510], [0.446947, 0.221947, 0.331106]]$\n\n"
        "$0.343972 + 1.287082 + 0.042879 = 1.673932$\n\n$0.185216 - 0.245158 + 0.232770 = 0.172829$\n",
        [(7, "0.172829", "0.172828")],
    ),
    "what follows a sum of figures": (
        "$s_1 = 1.2 / \\sqrt{2} = 0.85$, $s_2 = 1.4 / \\sqrt{2} = 0.99$\n\n"
        "$e^{0.85} = 2.34$, $e^{0.99} = 2.69$, sum $= 5.03$\n\n"
        "$\\alpha_1 = 2.34/5.03 = 0.465$, $\\alpha_2 = 2.69/5.03 = 0.553$\n",
        [(5, "0.553", "0.535")],
    ),
    "raised figures in powers of ten": ("250000 × 3.1 × 10⁷ = 7.57 × 10¹²\n", [(1, "7.57", "7.75")]),
    "givens behind ≈": (
        "$x \\approx [0.33, 1.67]$\n\n$3 x = [1.00, 5.02]$ and $6 x = [2.00, 9.90]$\n",
        [(3, "9.90", "10.02")],
    ),
    "a mean that is one of the figures": (
        "$\\mathrm{std}([0.24, 0.56, 0.4]) = 0.1360$\n",
        [(1, "0.1360", "0.1306")],
    ),
    "a power of nothing": ("$(0.1 + 0.3 - 0.4)^2 + (0.1 + 0.4 - 0.3)^2 = 0.05$\n", [(1, "0.05", "0.04")]),
}

FORMULAS: dict[str, tuple[str, Wrong]] = {
    "a sum with fewer terms on the way": (
        "$$0.1 \\cdot 2 + 0.3 \\cdot 1 + 0.6 \\cdot 0.5 = 0.2 + 0.6 = 0.9$$\n",
        [(1, "0.9", "0.8")],
    ),
    "matrices on the way": (
        "```\nsoftmax([[1, 2], [2, 4]]) @ [[2, 0], [1, 4]]\n"
        "  = [[0.269, 0.731], [0.191, 0.881]] @ [[2, 0], [1, 4]]\n  = [[1.269, 2.924], [1.119, 3.523]]\n```\n",
        [(3, "0.191", "0.119")],
    ),
    "formulas first, values later": (
        "$S = Q K^T$ and $A = \\mathrm{softmax}(S)$\n\nNow $K = [[1, 0], [0, 2]]$ and $Q = [[1, 1], [2, 0]]$.\n\n"
        "$$A = [[0.269, 0.731], [0.881, 0.191]]$$\n\n$$S = [[1, 2], [2, 1]]$$\n",
        [(5, "0.191", "0.119"), (7, "1", "0")],
    ),
    "a letter whose word stands at the value": (
        "$$L = -\\log(p)$$\n\nWith $p = 0.3$:\n\nLoss = 1.24\n",
        [(5, "1.24", "1.20")],
    ),
    "a formula written downwards": ("```\nMean\n=\n(7.0 + 3.2)\n/\n2\n=\n5.2\n```\n", [(8, "5.2", "5.1")]),
    "a formula written downwards with room": (
        "```\nVariance\n\n=\n\n(2.5 - 0.7)\n\n/\n\n2\n\n=\n\n0.8\n```\n",
        [(14, "0.8", "0.9")],
    ),
    "shapes of a product": ("matmul(8x3, 3x8) -> 8x8 and matmul(5x2, 2x5) -> 5x5\n\n2 * 12 = 25\n", [(3, "25", "24")]),
    "words and formulas in a directive of MyST": (
        "```{admonition} By hand\n:class: note\n\nWe take $a = 2.5$ and so $2 a + 1.5 = 6.4$.\n```\n",
        [(4, "6.4", "6.5")],
    ),
    "a cell that runs beside a directive": (
        "```{note}\nWe have $2 \\cdot 1.5 = 3.5$.\n```\n\n"
        "```{python}\na = np.array([1.0, 2.0])\nb = a * 2\nprint(b)\n# [2.0, 4.5]\n```\n",
        [(2, "3.5", "3.0"), (9, "4.5", "4.0")],
    ),
    "ones of two sizes": (
        "$A = [[0.25, 0.75], [0.5, 0.5]]$\n\n$A + 2 \\cdot 1_{2 \\times 2} = [[2.25, 2.75], [2.5, 2.6]]$\n",
        [(3, "2.6", "2.5")],
    ),
    "a list on a diagonal": (
        "$d = [2, 0.5]$ and $M = [[1, 2], [3, 4]]$\n\n$\\mathrm{diag}(d) M = [[2, 4], [1.5, 2.5]]$\n",
        [(3, "2.5", "2.0")],
    ),
    "columns where a formula before has rows": (
        "$A = \\mathrm{softmax}(S)$ and $O = A V$\n\n$S = [[1, 2], [0, 1]]$, $V = [[1, 2, 0], [3, 1, 5]]$\n\n"
        "$O = [[2.462, 2.462], [1.269, 1.269], [3.655, 3.655]]$\n",
        [(5, "2.462", "2×3")],
    ),
    "a formula written downwards with a minus": ("```\n5.0\n-\n3.0\n=\n2.5\n```\n", [(6, "2.5", "2.0")]),
}

PAGES = {**LABELLED, **HEADS_AND_ROWS, **FIGURES, **FORMULAS}


@pytest.mark.parametrize("name", PAGES)
def test_what_is_wrong(name: str) -> None:
    text, expected = PAGES[name]
    assert wrong(text) == expected


def test_entries_that_are_listed_are_those_of_their_matrix() -> None:
    text = r"""
$$S = \begin{bmatrix} 1 & 3 \\ 2 & -1 \end{bmatrix}$$

$$S' = \frac{S}{\sqrt 2} = \begin{bmatrix} 0.707 & 2.121 \\ 1.414 & -0.707 \end{bmatrix}$$

| $S'$ entry | $e^{S'}$ |
|---|---|
| 0.707 | 2.028 |
| 1.414 | 4.113 |
| 2.121 | 8.340 |
"""
    given = [each.printed for each in check(text).figures if each.status == "given"]
    assert given == ["1", "3", "2", "-1"]
