"""Habits of programs and of what they print: what of each is found wrong, and that nothing else of it is."""

from __future__ import annotations

import pytest

from tests.checking.found import wrong

Wrong = list[tuple[int, str, str]]

CHANGES: dict[str, tuple[str, Wrong]] = {
    "a quotient in place": (
        "```python\nscores = np.array([[1.0, 3.0], [2.0, 0.0]])\nscores /= np.sqrt(2)\nprint(scores)\n"
        "# [[0.707 2.121]\n#  [1.441 0.000]]\n```\n",
        [(6, "1.441", "1.414")],
    ),
    "a sum and a product in place": (
        "```python\nx = np.array([1.0, 3.0])\nx += np.array([0.5, -1.0])\nx *= 2\nprint(x)\n# [3.0, 4.5]\n```\n",
        [(6, "4.5", "4.0")],
    ),
    "what a loop changes is not known": (
        "```python\nx = np.array([1.0, 3.0])\nfor step in range(3):\n    x += 0.05\nprint(x)\n# [1.15, 3.15]\n```\n",
        [],
    ),
    "a word that is worked out anew in remarks": (
        "```python\n# Padding = (0.01 - 0.12) / 0.12 = -0.9\n# Padding = (0 - 0.12) / 0.12 = -1.0\n"
        "# Word = (0.18 - 0.12) / 0.12 = 0.6\n```\n",
        [(4, "0.6", "0.5")],
    ),
    "what a condition changes is not known": (
        "```python\nx = np.array([1.0, 2.0])\nif x.sum() > 2:\n    x += 1\nprint(x * 2)\n# [4.0, 6.0]\n```\n",
        [],
    ),
    "a copy that is changed in place": (
        "```python\nx = torch.tensor([[0.5, 1.2], [-0.3, 0.9]])\ny = x.clone()\ny += 1\n"
        "print(x)\nprint(y)\nprint(x @ y)\n```\n\n"
        "```\ntensor([[0.5000, 1.2000], [-0.3000, 0.9000]])\ntensor([[1.5000, 2.2000], [0.7000, 1.9000]])\n"
        "tensor([[1.5900, 3.3800], [0.1800, 1.0600]])\n```\n",
        [(13, "1.0600", "1.0500")],
    ),
}

PRINTS: dict[str, tuple[str, Wrong]] = {
    "strings that are filled in, what they print behind them": (
        "```python\nx = np.array([2.0, 1.0])\nW = np.array([[1.0, 0.5], [0.25, 2.0]])\nb = np.array([0.5, -0.5])\n"
        "z = x @ W + b\np = softmax(z)\n"
        'print(f"Logits z: {z}")  # [2.75, 2.6]\nprint(f"Probs: {p}")  # [0.562, 0.483]\n```\n',
        [(7, "2.6", "2.5"), (8, "0.483", "0.438")],
    ),
    "strings that are filled in, what they print below": (
        '```python\nx = np.array([2.0, 1.0])\nprint(f"first {x[0]:.1f}, last {x[1] / 4:.2f}")\n```\n\n'
        "```\nfirst 2.0, last 0.35\n```\n",
        [(7, "0.35", "0.25")],
    ),
    "several numbers, each behind its words": (
        '```python\nx = np.array([2.0, 1.0])\nprint("Total:", x.sum())\nprint("Mean of all:", x.mean())\n'
        'print("Length:", np.linalg.norm(x))\n```\n\n```\nTotal: 3.0\nMean of all: 2.5\nLength: 2.236\n```\n',
        [(10, "2.5", "1.5")],
    ),
    "several numbers, each behind words of a string that is filled in": (
        '```python\nz = np.array([2.25, 3.0])\nprint(f"Shape of it: {z.shape}")\n'
        'print(f"Largest of the logits: {z.max():.2f}")\n'
        'print(f"Sum of the logits: {z.sum():.2f}")\n```\n\n'
        "```\nShape of it: (2,)\nLargest of the logits: 3.00\nSum of the logits: 5.52\n```\n",
        [(11, "5.52", "5.25")],
    ),
    "a text in a program that shows what it prints": (
        '```python\nx = np.array([1.0, 2.0, 4.0])\ny = x / x.sum()\nprint("Shares:", y)\n"""\n'
        'what you will see when you run it\nShares: [0.143, 0.286, 0.517]\n"""\n```\n',
        [(7, "0.517", "0.571")],
    ),
    "a function whose call is not shown": (
        "```python\ndef attend(X):\n    Q = K = V = X\n    S = Q @ K.T / np.sqrt(2)\n    A = softmax(S)\n"
        "    return A @ V, A\n\nX = np.array([[1.0, 0.0], [1.0, 1.0]])\n```\n\n"
        "```\nAttention Weights:\n [[0.500 0.500]\n [0.330 0.680]]\nOutput:\n [[1.000 0.500]\n [1.000 0.670]]\n```\n",
        [(14, "0.680", "0.670")],
    ),
    "strings that a loop fills in anew": (
        '```python\nz = np.array([1.0, 2.0])\nfor i in range(2):\n    z = z * 0.9\n    print(f"Step {i}: {z}")\n```\n\n'
        "```\nStep 0: [0.9 1.8]\nStep 1: [0.81 1.62]\n```\n",
        [],
    ),
}

TENSORS: dict[str, tuple[str, Wrong]] = {
    "figures that were printed with fewer digits, and others that somebody typed": (
        "```\ntensor([1.12, 1.89]) = 3 * tensor([0.37, 0.63])\n```\n\n"
        "```\ntorch.tensor([1.12, 1.89]) = 3 * torch.tensor([0.37, 0.63])\n```\n",
        [(6, "1.12", "1.11")],
    ),
    "what a loop has added up so far": (
        "```\ntensor([0.3381, 0.2024, 0.5313]) = 0.23 * tensor([1.47, 0.88, 2.31])\n"
        "tensor([0.7616, -0.7909, 0.5875]) = 0.77 * tensor([0.55, -1.29, 0.06])\n```\n",
        [(3, "0.5875", "0.5775")],
    ),
    "sums of a loop for one row and then another": (
        "```\n[0.30, 0.50] = 0.2 * [1.50, 2.50]\n[1.10, 0.90] = 0.8 * [1.00, 0.50]\n```\n\nRow 2\n\n"
        "```\n[0.90, 1.50] = 0.6 * [1.50, 2.50]\n[1.30, 1.90] = 0.4 * [1.00, 0.50]\n```\n",
        [(10, "1.90", "1.70")],
    ),
}

PAGES = {**CHANGES, **PRINTS, **TENSORS}


@pytest.mark.parametrize("name", PAGES)
def test_what_is_wrong(name: str) -> None:
    text, expected = PAGES[name]
    assert wrong(text) == expected
