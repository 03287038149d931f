"""What the fuzzers start from: real inputs, and the pieces that inputs are made of."""

from __future__ import annotations

import io
import json
import re
import struct
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np

from symattn.course.export import exported
from symattn.course.model import Exercise, Part, Planted, Wrong
from symattn.operations.equations.read import FUNCTIONS as READ
from symattn.operations.records import OURS, record_named
from symattn.read.catalogue.operations import definition
from symattn.read.formula.functions import TABLE
from tests.checking.plantings import page_of

ROOT = Path(__file__).resolve().parents[2]

NAMES = ("X", "W", "b", "ids", "G", "n", "d", "m", "a", "oo", "Y")
SIGNS = ("@", "+", "-", "*", "/", "**", "^", "(", ")", ".T", ",", "=", "[", "]", " ", ".", "_", "e", "'", '"', "\\")
NUMBERS = (
    *("0", "1", "2", "3", "0.5", "1e9", "10^9", "1/3", "sqrt(2)", "-oo", "9" * 50, "1e-400", "64", "65", "1_000"),
    *("log(3/2)", "2*log(6)/3", "log(10^39)"),
)

FORMULAS = (
    "softmax(X @ W @ W.T @ X.T / sqrt(d) + causal_mask(n))",
    "layer_norm(X, epsilon=10^-5, gamma=b, beta=b)",
    "concat(head(X, 1, 2), head(X, 2, 2)) - broadcast(b, n)",
    "hadamard(exp(X), divide(X, X)) @ one_hot(ids, 4).T",
    "rotary(X, base=7, start=2) @ rotary(X).T - 1/2 * distance(n)",
    "stack(rows(X, 1, 2), row(X, 3)) ** 2",
    "multiplications(X @ W) + kept(causal_mask(n)) / a",
    "proportions(keep(softmax(G), causal_mask(m)))",
    "-(2/3)^-2 * identity(n)",
    "\\text{softmax}\\left(\\frac{XW W^\\top X^T}{\\sqrt{d}}\\right) X",
    "$$\\frac{1}{4}\\sum_{i=1}^{d} (b_i - \\frac12)^2 + \\lVert b \\rVert_2 e^{-2a}$$",
    "softmax（X·Xᵀ／√d）X + ‖b‖² − x₁₂ ⊙ ½",
    "[1 2; 3 4] @ X[0:2, 1:] + x_{12} 2W^{-1}",
    "\\begin{bmatrix} 1 & 2 \\\\ 3 & a \\end{bmatrix} \\mathbf{X}_1 |a|",
)

PAPER = tuple(
    "\\frac { } \\left( \\right) \\sqrt √ ² ᵀ ₁ · × ⊙ ‖ | Σ \\sum_i x_i _{12} _1 ^T ' \\top \\text{softmax} XW [1 2] "
    "\\hat \\begin{bmatrix} \\end{bmatrix} \\\\ & ; : − （ ） ， １ ½ $ π σ 𝐗 x̂ ° ∞ \\exp \\over np. None".split()
)
"""What formulas have on paper and in LaTeX."""


def scenarios() -> list[bytes]:
    """The built-in scenarios, and one that uses the catalogue."""
    folder = ROOT / "symattn" / "read" / "scenario" / "data"
    return [*(path.read_bytes() for path in sorted(folder.glob("*.toml"))), _SMALL.encode()]


_SMALL = """title = "My head"
tokens = ["the", "cat"]
[given]
X = [["1", "0"], ["sqrt(2)/2", "-1/3"]]
W_Q = [["1", "1"], ["0", "1"]]
W_K = [["1", "0"], ["0", "2"]]
W_V = [["1", "1/2"], ["0", "1"]]
[[section]]
title = "Weights"
steps = [{ use = "attention", with = { mask = "causal" } }, { show = "A", form = "entries" }, "Z = own(O @ X, c=3)"]
[operation.own]
parameters = ["X: m×n", "c = 1/2"]
equations = ["t[i] = sum(k, X[i,k])", "y[i,j] = c * X[i,j] if j <= i else tanh(t[i])"]
shape = "m×n"
page = { en = "own" }
[printed]
A = [["1", "0"], ["0.5", "0.5"]]
"""


def arrays() -> dict[str, list[bytes]]:
    """Small array files of every kind."""
    values = np.array([[0.5, -1.25], [3.0, 1e-3]])
    npy, npz = io.BytesIO(), io.BytesIO()
    np.save(npy, values)
    np.savez(npz, X=values)
    header = json.dumps({"X": {"dtype": "F64", "shape": [2, 2], "data_offsets": [0, 32]}}).encode()
    return {
        "csv": [b"0.5,-1.25\n3,0.001\n", b"1;2\n3;4\n", b"# a remark\n1,2\n"],
        "npy": [npy.getvalue()],
        "npz": [npz.getvalue()],
        "safetensors": [struct.pack("<Q", len(header)) + header + values.tobytes()],
    }


CELLS = tuple("0,5; −1/3; √2/2; 2 ln 3; e^(1/2); 50%; ０．５; 1 1/2; -∞; 1/(1+e^-2); ½; 3·√2; 1,234.5".split("; "))
"""What students write."""


def answers() -> dict[str, list[bytes]]:
    """Files of answers."""
    rows = [["1/3", 0.5, None], ["√2/2", "0,5", "-oo"]]
    entry = {"student": "Ada", "version": 3, "checksum": "K7QM-2XPA/0.1.0", "A": rows, "N": 12}
    origin = {"topic": "attention-row", "difficulty": 2, "seed": 7}
    file = {"format": "symattn-answers/1", "exercise": origin, "answers": [entry]}
    return {
        "answers-json": [json.dumps(file, ensure_ascii=ascii).encode() for ascii in (True, False)],
        "answers-csv": [
            "student,version,checksum,A[1,1],A[1,2],N\nAda,3,K7QM-2XPA,1/3,√2,12\n".encode(),
            'student;"A[2,1]"\r\n"Ben, B.";0,5\r\n'.encode("utf-8-sig"),
            "N\n1\n".encode("utf-16"),
        ],
    }


HALF = """title = "Half"
figures.decimals = 3
[given]
X = [["3", "1"], ["-1", "sqrt(2)"]]
[[section]]
title = "S"
steps = ["Y = X / 2", "Z = softmax(Y)", { quantity = "N = 2 * 3" }]
"""


def exercises() -> dict[str, list[bytes]]:
    """Exercises as data, and classes."""
    key = (("1.500", "0.500"), ("-0.500", "0.707"))
    part, number = Part("Y", "matrix", 3, key, ((0, 1), (1, 0)), 2), Part("N", "number", 0, (("6",),), ((0, 0),))
    wrong = Wrong("scale-forgotten", "Y", {"Y": (("3", "1"), ("-1", "1.414"))})
    plain = Exercise("half", 1, 7, 3, "zh-Hant", HALF, (part, number), (wrong,), cost=9)
    place = Part("place", "place", 0, (("1", "2", "1"),), ((0, 0), (0, 1), (0, 2)))
    planted = Planted("Y", 1, 0, "-1", "scale-forgotten")
    order = Part("order", "order", 0, (("2", "1"),), ((0, 0), (0, 1)))
    forms = (
        plain,
        replace(plain, form="blanks", shown=("Z",)),
        replace(plain, form="wrong-entry", planted=planted, parts=(place,), wrong=()),
        replace(plain, form="order", order=("Z", "Y"), parts=(order,), wrong=()),
    )
    return {
        "exercises-json": [exported([one], "json").encode() for one in forms],
        "exercises-jsonl": [exported([one], "jsonl").encode() for one in forms],
        "students": [
            b"name,group\nAda Lovelace,1\nAlan Turing,2\n",
            '姓名;組\r\n王小明;1\r\n"Turing, A.";2\r\n'.encode("utf-8-sig"),
            b"Ada\n\nBen\n",
        ],
    }


CONFIGS = (
    {"model_type": "bert", "num_attention_heads": 2, "hidden_size": 4, "layer_norm_eps": 1e-12, "hidden_act": "gelu"},
    {"model_type": "roberta", "num_attention_heads": 1}
    | {"is_decoder": True, "id2label": {"0": "一"}, "pruned_heads": {}},
)
"""What says how a layer of BERT works."""


DOCUMENT = (
    "\n", "\n\n", "# ", "- ", "> ", "| ", "|---|---|\n", "```", "```python\n", "$", "$$", "\\(", "\\)", "\\[", "\\]",
    "&", "\\\\", "\\begin{bmatrix}", "\\end{bmatrix}", "\\begin{aligned}", "\\newcommand{\\a}{\\b}", "<table>", "<td>",
    "</td>", "<math>", "<mtable>", "**", "`", "[[1, 2], [3, 4]]", "0.6225 & 0.3775", "e^{10^9}", "10^{10^9}",
    "x^{99999999}", "A_{21}", "-\\infty", "[1,] 0.5 0.25\n",
    "c(1, 2)", "matrix(", "%*%", "\\sum_{i=1}^{n}", "…", "\\cdots", "=", "\u200b", "\u202e", "\x00",
)  # fmt: skip
"""What documents have."""


@cache
def documents(target: str) -> list[bytes]:
    """Pages with an error in them or none, as people write them."""
    pages = [page_of(number, 3, 0.3).text for number in range(12)]
    if target == "check-ipynb":
        cells = [{"cell_type": "markdown", "source": page.splitlines(keepends=True)} for page in pages]
        return [json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4}).encode() for cell in cells[:4]]
    if target == "check-html":
        tail = "<table><tr><td>1</td></tr></table></body></html>"
        return [f"<html><body><p>{page}</p>{tail}".encode() for page in pages[:4]]
    return [page.encode() for page in pages]


def seeds(target: str) -> list[bytes]:
    """Real inputs for a target."""
    match target:
        case "formula":
            return [text.encode() for text in (*FORMULAS, *(f"{name}(X)" for name in TABLE))]
        case "number":
            return [text.encode() for text in NUMBERS]
        case "operation":
            return [definition(record_named(name)).encode() for name in OURS]
        case "secret":
            return [f"symattn-secret/1: a header\n{bytes(range(32)).hex()}\n".encode()]
        case "answer":
            return [text.encode() for text in CELLS]
        case "config":
            return [json.dumps(config).encode() for config in CONFIGS]
        case "scenario":
            return scenarios()
    return documents(target) if target.startswith("check") else (arrays() | answers() | exercises())[target]


def words(target: str) -> list[str]:
    """The pieces that inputs for a target are made of."""
    match target.split("-")[0]:
        case "formula" | "number":
            return [*NAMES, *SIGNS, *NUMBERS, *TABLE, *PAPER]
        case "operation":
            mine = "X[i,j];sum(k, ;max(k, ; if ; else ;j <= i;->;m×n;: ;*X;%;\n;y[i,j]".split(";")
            return [*mine, *"size whole i j k mu[i] d/2 pi == and lambda −".split(), *NUMBERS, *SIGNS, *READ]
        case "check":
            said = "softmax; row 2; 第二列; 權重; tensor(; 0.5; 0,5; ≈".split("; ")
            return [*DOCUMENT, *PAPER, *SIGNS, *NUMBERS, *said]
        case "config":
            return [*_keys(target), *"{}[]:,", "null", "true", "1e999", "NaN", "-1", "9" * 400, '"\\ud800"']
        case "exercises":
            return [*_keys(target), *NUMBERS, *SIGNS, *"{}:", "null", "true", "softmax", "steps", "\\n", "1.500"]
        case "secret":
            return ["symattn-secret/1", "\n", "\r\n", "\ufeff", "00" * 32, "ff", ":", " "]
        case "students":
            return [*"name student 姓名 Ada group".split(), *',;\t\n" ', "\r\n", "\ufeff", "\x1b[31m"]
        case "scenario":
            parts = {word for text in scenarios() for word in text.decode().replace("=", " ").split()}
            keys = sorted(word for word in parts if word.isascii() and word.isidentifier())
            return [*keys, "[[section]]", "[given]", "steps", "use", "with", "names", "prove", "rounded", *SIGNS]
        case "answer" | "answers":
            said = "student version checksum K7QM-2XPA/0.1.0 format exercise answers secret A[1,2] N".split()
            return [*CELLS, *SIGNS, *said, *";\t\n{}:√²∞%9", "ln", "exp", "sqrt", "1e9", "NaN"]
    return "shape descr fortran_order data_offsets dtype F64 BF16 <f8 |O nan inf -inf".split()


def _keys(target: str) -> list[str]:
    return sorted({word for data in seeds(target) for word in re.findall(r'"[a-z_]+"', data.decode())})
