"""Short pages as people write them, and the figures of them that are wrong."""

from __future__ import annotations

import pytest

from symattn.checking.check import check

PAGES = {
    "an index is no result": ("dim 0 (2i = 0, i = 0): cos(0) = 1\n\ndim 4 (2i = 4, i = 2): cos(0.1) = 0.9950\n", []),
    "two indices behind a word": ("Here score[0][1]=3 says how much, and grade[1][0]=7 more.\n", []),
    "thousands in a formula": (
        "$d = 2$\n\n- $3 \\times d^2 = 3 \\times 640^2 = 1,228,800$\n- $6 \\times 1,024 = 6,145$\n",
        [(4, "6,145")],
    ),
    "givens that were rounded": (
        "$O = [0.412350, 0.500001]$\n\n- $(0.412350 - 0.5)^2 + (0.500001 - 0.5)^2 = 0.007682$\n",
        [],
    ),
    "lists beside each other": (
        "```\nQ = X Wq\n"
        "  = [[1, 2, 0],  · [[1, 1],\n"
        "     [0, 1, 3]]     [0, 2],\n"
        "                    [1, 0]]\n"
        "  = [[1*1+2*0+0*1, 1*1+2*2+0*0],     = [[1, 5],\n"
        "     [0*1+1*0+3*1, 0*1+1*2+3*0]]       [3, 4]]\n```\n",
        [(7, "4")],
    ),
    "rows beside each other": (
        "```\n[1/2,  3/2 ]     [0.5, 1.5]\n[5/2,  7/2 ]  =  [2.5, 3.6]\n```\n",
        [(3, "3.6")],
    ),
    "names beside each other, rows below": (
        "```\nA = [1, 2], B = [2, 0]\n    [0, 1]      [1, 1]\n```\n\n$A B = [[4, 2], [1, 2]]$\n",
        [(6, "2")],
    ),
    "boxes with names above": (
        "```\n P (2x2)     R (2x2)\n ┌ 1 2 ┐     ┌ 0 1 ┐\n └ 3 1 ┘     └ 1 1 ┘\n\n P·R = [[2, 3], [1, 5]]\n```\n",
        [(6, "5")],
    ),
    "what is said behind rows": (
        "```\nB = [[1, 2],   # red\n     [0, 3]]   # blue\nC = [[2, 0],   ← round\n     [1, 1]]   ← square\n"
        "D = [ [1, 1],    row 1: round\n      [0, 2] ]   row 2\n\nB·C = [[4, 2], [3, 4]]\n"
        "C·D = [[2, 2], [1, 2]]\n```\n",
        [(9, "4"), (10, "2")],
    ),
    "a formula that words go on with": (
        "$Q = [[1, 0], [0, 2]]$ and $K = [[1, 1], [0, 1]]$.\n\n"
        "Scores, $S = Q K^T$, then divided by $\\sqrt{2} = 1.414$:\n\n"
        "$S = [[0.707, 0.000], [1.414, 1.414]]$\n",
        [],
    ),
    "a sum and the row in one chain": (
        "```\nRow 1: softmax([0.5, 0.5, 2.0])\n  e^0.5 = 1.649, e^0.5 = 1.649, e^2.0 = 7.389\n  sum = 10.686\n"
        "  = [0.154, 0.154, 0.791]\n```\n",
        [(5, "0.791")],
    ),
    "a row of the formula": (
        "$S = [[0.5, 1.5], [2.5, 0.5]]$\n\n**Row 2**: $e^{S} = [12.182, 1.649]$\n\n"
        "**Row 1**: $e^{S} = [1.649, 4.492]$\n",
        [(5, "4.492")],
    ),
    "a shape behind a name": (
        "```\nX = [[1, 2],\n     [3, 4],\n     [5, 7]]\nQ = X        (3, 2)\n"
        "Q·X^T = [[5, 11, 19], [11, 25, 43], [19, 43, 75]]\n```\n",
        [(6, "75")],
    ),
    "rows are a matrix": (
        "$V = [[2, 0], [0, 4]]$ and $S = [[1, 0], [0, 2]]$\n\nSoftmax:\n\n- Row 1: $softmax([1, 0]) = [0.731, 0.269]$\n"
        "- Row 2: $softmax([0, 2]) = [0.129, 0.871]$\n\nWeighted sum $\\alpha V$:\n\n"
        "- Row 1: $0.731 [2, 0] + 0.269 [0, 4] = [1.462, 1.076]$\n"
        "- Row 2: $0.129 [2, 0] + 0.871 [0, 4] = [0.258, 3.484]$\n",
        [(6, "0.129"), (6, "0.871"), (11, "0.258"), (11, "3.484")],
    ),
    "a sum behind a short word": (
        "1행: $e^{1.5}=4.48,\\ e^{2.5}=12.18,\\ e^{0.25}=1.28$, 합 $17.94$\n",
        [(1, "17.94")],
    ),
    "a name that takes several numbers": (
        "With $d = 4$ tried for $d$ = $1$, $2$ and $3$:\n\n$$2 \\sqrt{d} = 4.10$$\n",
        [(3, "4.10")],
    ),
    "sums of rounded figures": (
        "$P = \\begin{bmatrix} 1/3 & 1/3 & 1/3 \\\\ 1/6 & 1/6 & 2/3 \\end{bmatrix}$\n\n"
        "$$P = \\begin{bmatrix} 0.333 & 0.333 & 0.333 \\\\ 0.167 & 0.167 & 0.667 \\end{bmatrix}$$\n\n"
        "The rounded figures add up to $0.999$ in row 1, $1.001$ in row 2. The sum of row 2 is $1.001$.\n",
        [(5, "1.001")],
    ),
    "rounded figures behind a formula that is not followed": (
        "$$r(x_\\circ) \\approx \\frac{0.3624 - 0.2398}{\\sqrt{0.0139 + 10^{-5}}} \\approx 1.0410$$\n\n"
        "$$r(y_\\circ) \\approx \\frac{0.3624 - 0.2398}{\\sqrt{0.0139 + 10^{-5}}} \\approx 1.0567$$\n",
        [(3, "1.0567")],
    ),
    "components of a row": (
        "$X = [[0.25, 0.75], [0.55, 0.35]]$\n\n$x_j^{(i)} = X_{ij}$, $x_1^{(2)} = 0.55$ and $x_2^{(1)} = 0.35$\n",
        [(3, "0.35")],
    ),
    "the length of a matrix": (
        "$G = [[1.5, 2.0], [0.5, 1.0]]$\n\n$\\lVert G \\rVert = 2.739$ and $\\frac{1}{\\lVert G \\rVert} = 0.364$\n",
        [(3, "0.364")],
    ),
    "a size that nobody said": (
        "$K = [[0.5, 1.5], [2.5, 0.5]]$ and $r = \\sqrt{2} = 1.4142$\n\n"
        "$$\\sigma = \\sqrt{d} = \\sqrt{512} \\approx 22.6274$$\n",
        [],
    ),
    "weights that are called almost alike": (
        "$$A = \\mathrm{softmax}([[0.5, 1.5], [2.5, 0.5]]) = [[0.269, 0.731], [0.881, 0.119]]$$\n\n"
        "$$S = [[0.5, 1.5], [2.5, 0.5]]$$\n\n$$a_{ij} = \\frac{e^{s_{ij}}}{\\sum_{k=1}^{2} e^{s_{ik}}}$$\n\n"
        "$$A_{\\mathrm{kept}} = A \\odot \\mathbf 1_{M = 0}$$\n\n"
        "$$A_{\\mathrm{kept}} = [[0.269, 0.000], [0.881, 0.119]]$$\n",
        [],
    ),
    "zeros that nothing is rounded to": (
        "$M = [[0.1, 0.2, -0.1]]$ and $N = [[0.0, 0.1, 0.2]]$ are given. Then the residual sum:\n\n"
        "$$V = [[0, 0, 0]]$$\n\n$$2 V = [[0.0, 0.0, 0.1]]$$\n",
        [(5, "0.1")],
    ),
    "a matrix behind a sentence of another": (
        "$$A = [[0.5, 1.5], [2.5, 0.5]]$$\n\nThis is the softmax of $A$:\n\n"
        "$$\\frac{\\partial L}{\\partial O} = [[1, 1], [2, 1]]$$\n",
        [],
    ),
    "an entry that is spoken of": (
        "$$A = [[0.5, 1.5], [2.5, 0.5]]$$\n\n$$S = 2 A$$\n\n"
        "- Each row sums up in $S$.\n- At (1, 2) and (2, 1) it grows.\n\n"
        "$$S_{12} = 3.0, S_{22} = 2.0$$\n",
        [(8, "2.0")],
    ),
    "a list of what was worked out one by one": (
        "- `exp(0.35355) = 1.4241`\n- `exp(0.70711) = 2.0281`\n\nRow 1: exps `[1.4241, 2.0281]`, sum `3.4522`\n\n"
        "Row 2: exps `[2.0281, 2.0281, 2.0281]`, sum `6.0843`\n",
        [(6, "6.0843")],
    ),
    "a table of weights with what comes out": (
        "$V = [[2, 0], [0, 4]]$ and scores $S = [[1, 0], [0, 2]]$\n\nSoftmax, row by row:\n\n| | cat | dog | output |\n"
        "|---|---|---|---|\n| cat | 0.731 | 0.269 | (1.462, 1.076) |\n| dog | 0.119 | 0.881 | (0.238, 3.532) |\n",
        [(8, "3.532")],
    ),
    "a table that is drawn": (
        "With $\\sqrt{2} = 1.414$ and scores $S = [[3, 1], [0, 5]]$, scaled:\n\n```\n             key 1     key 2\n"
        "           +---------+---------+\n query 1 a |  2.121  |  0.707  |\n           +---------+---------+\n"
        " query 2 b |  0.000  |  3.563  |\n           +---------+---------+\n```\n",
        [(8, "3.563")],
    ),
}


@pytest.mark.parametrize("name", PAGES)
def test_what_is_wrong(name: str) -> None:
    text, wrong = PAGES[name]
    assert [(each.line, each.printed) for each in check(text, "page.md").findings] == wrong


def test_rows_with_labels_of_their_own_are_those_of_the_formula_before() -> None:
    page = """X = [[1, 0, 1], [0, 2, 1]], W = [[1, 0], [0, 1], [1, 1]]

`Q = X W`:

- cat: [2, 1]
- dog: [1, 4]

$S = Q Q^T = [[5, 5], [5, 10]]$
"""
    found = check(page, "page.md")
    assert [(each.line, each.printed, each.expected) for each in found.findings] == [(6, "4", "3")]
