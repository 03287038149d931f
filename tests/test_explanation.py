"""How a formula was read: shapes that are usual or fit, pieces from the inside out, and what is refused."""

from __future__ import annotations

import json
import re

import pytest
from click.testing import CliRunner

from symattn.api.explanation import explain
from symattn.base.errors import FormulaError, ShapeError
from symattn.base.shapes import shape
from symattn.base.words import languages
from symattn.cli import main
from symattn.read.formula import Scope, read_any
from symattn.write.plain_math import characters

READ = {
    "softmax(Q @ K.T / sqrt(d_k)) @ V": (
        "Q (n, d_k), K (m, d_k), V (m, d_v) → (n, d_v)",
        ["S = Q Kᵀ", "S_scaled = S / √dₖ", "A = softmax(S_scaled)", "O = A V"],
    ),
    "(X - mu) / sqrt(var + eps)": (
        "X (n, d), mu (n, 1), var (n, 1) → (n, d)",
        ["S = X − μ", "A = var + eps", "Z = √A", "Y = S / Z"],
    ),
    "relu(X @ W + b) @ U": (
        "X (n, d), W (d, d_1), b (1, d_1), U (d_1, d_2) → (n, d_2)",
        ["S = X W", "H = S + b", "G = ReLU(H)", "F = G U"],
    ),
    "softmax(B + C) @ V": (
        "B (d_1, m), C (d_1, m), V (m, d_v) → (d_1, d_v)",
        ["S = B + C", "A = softmax(S)", "Z = A V"],
    ),
    "layer_norm(X, gamma=gamma) @ W_Q": (
        "X (n, d), gamma (1, d), W_Q (d, d_k) → (n, d_k)",
        ["S = LN(X, γ, 0)", "A = S W_Q"],
    ),
    "softmax(q @ K.T)": ("q (d_k,), K (m, d_k) → (m,)", ["S = q Kᵀ", "A = softmax(S)"]),
    "dot(q, k) / sqrt(d_k)": ("q (d_k,), k (d_k,) → ()", ["S = q · k", "A = S / √dₖ"]),
    "-X + 2 * X.T.T": ("X (n, d) → (n, d)", ["S = −X + 2 (Xᵀ)ᵀ"]),
    r"\text{ReLU}(XW + b_1)U": (
        "X (n, d), W (d, d_1), b_1 (1, d_1), U (d_1, d_2) → (n, d_2)",
        ["S = X W", "H = S + b₁", "G = ReLU(H)", "F = G U"],
    ),
    r"\frac{q_i^T k_j}{\sqrt{d_k}}": ("q_i (d_k,), k_j (d_k,) → ()", ["S = qᵢᵀ kⱼ", "A = S / √dₖ"]),
    "W x + b": ("W (d_1, d), x (d,), b (d_1,) → (d_1,)", ["S = W x", "A = S + b"]),
    "X": ("X (n, d) → (n, d)", []),
    "exp(0.71)": ("→ ()", ["S = exp(0.71)"]),
    "2^10": ("→ ()", []),
    "X̂ = LN(X)": ("X (n, d) → (n, d)", ["S = LN(X)"]),
    "np.exp(X) * np.linalg.norm(x)": ("X (n, d), x (d,) → (n, d)", ["S = exp(X)", "A = ‖x‖", "Z = S · A"]),
}
"""A formula, the rule of its shapes, and its pieces."""


@pytest.mark.parametrize("text", list(READ))
def test_a_formula_is_taken_apart(text: str) -> None:
    found = explain(text)
    rule, pieces = READ[text]
    written = [characters(chain) for block in found.document().blocks for chain in getattr(block, "chains", ())]

    assert found.rule == rule
    assert [piece for piece in dict.fromkeys(written) if piece in pieces] == pieces
    assert len(found.pieces) == len(pieces)


@pytest.mark.parametrize("text", list(READ))
def test_the_plain_form_is_read_as_the_same(text: str) -> None:
    found = explain(text)
    again = explain(found.read)
    assert (again.value, again.read) == (found.value, found.read)


@pytest.mark.parametrize("language", languages())
@pytest.mark.parametrize("format", ["text", "markdown", "latex", "typst"])
def test_it_is_written_in_every_format_and_language(format: str, language: str) -> None:
    for text in ("(X - mu) / sqrt(var + eps)", "softmax(S + causal_mask(4))", "softmax(q @ K.T)", "rotary(Q)", "2^10"):
        written = explain(text, shapes={"S": "4, 4", "Q": "n, 4"}).render(format, language)
        assert "X" in written or text not in READ or "(X" not in text
        assert written.endswith("\n")


@pytest.mark.parametrize(
    ("text", "rule", "first"),
    [
        ("softmax(heads(X, 2) @ heads(X, 2).mT)", "X (3, 4) → (2, 3, 3)", (3, 3)),
        ("-(heads(X, 2) + heads(X, 2)).transpose(0, 2, 1)", "X (3, 4) → (2, 2, 3)", (2, 3)),
        ("X.view(3, 2, 2)", "X (3, 4) → (3, 2, 2)", (3, 2)),
        ("(heads(X, 2) @ heads(X, 2).mT)[:, 0]", "X (3, 4) → (2, 3)", (2, 3)),
    ],
)
def test_of_several_matrices_the_first_is_taken_apart(text: str, rule: str, first: tuple[int, int]) -> None:
    found = explain(text, shapes={"X": "3, 4"})
    again = explain(found.read, shapes={"X": "3, 4"})
    assert (found.rule, found.shape.sizes) == (rule, first)
    assert (again.value, again.read, again.rule) == (found.value, found.read, rule)
    assert ("a stack of matrices" in found.render()) == (rule.count(",") == 3)


@pytest.mark.parametrize(
    ("text", "called"),
    [
        ("softmax(Q K^T / sqrt(d_k)) V", ["scores", "scaled scores", "attention weights", "mixtures"]),
        ("relu(X W_1 + b_1) W_2", ["projection before the bias", "hidden layer", "activations", "network output"]),
        ("X + softmax(X X^T) X", ["similarities", "attention weights", "mixtures", "residual sum"]),
    ],
)
def test_pieces_are_called_what_they_are(text: str, called: list[str]) -> None:
    """A and S are weights and scores, whatever else the formula holds."""
    titles = [line.partition(": ")[2] for line in explain(text).render().splitlines() if re.match(r"\d+\. ", line)]
    assert [title for title in titles if title] == [each for each in called if each != "projection before the bias"]


def test_what_is_said_of_shapes_holds() -> None:
    found = explain("Q @ K.T + b", shapes={"Q": "3,4", "K": "(m, 4)"}, sizes={"m": 5})
    assert (found.rule, found.guessed) == ("Q (3, 4), K (m, 4), b (1, m) → (3, m)", ("b",))
    assert found.shape.sizes == (3, 5)


def test_a_scenario_has_the_names_and_nothing_is_guessed() -> None:
    scope = Scope({"Q": shape(3, 4)}, {"d_k": 4})
    found = explain("Q / sqrt(d_k)", scope=scope)
    assert (found.guessed, found.value) == ((), read_any("Q / sqrt(d_k)", scope).expr)
    with pytest.raises(FormulaError, match="unknown name 'K'"):
        explain("Q @ K.T", scope=scope)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["Q @ K"], "did you mean Q @ K.T?; nobody has said the shapes of K, Q, which were taken as --shape K=m,d_k"),
        (["FFN(X W_1)"], "relu(X @ W + b) @ A"),
        (["Q / 2 K"], "Q / 2 K can mean two things: write Q / 2 @ K or Q / (2 * K)"),
        (["X^2", "--shape", "X=3,3"], "X^2 can mean two things: write X ** 2 or matrix_power(X, 2)"),
        (["Q", "--shape", "Q=3;4"], "the shape Q=3;4: expected a name with the lengths"),
        (["Q", "--shape", "Q"], "--shape Q: expected a name, = and what is said of it"),
        (["Q", "--shape", "Q=3", "--shape", "Q=4"], "--shape: Q is said twice"),
        (["Q", "--size", "n=0"], "--size n=0: expected a whole number from 1 up, such as n=4"),
        (["Q", "--scenario", "nothing"], "nothing"),
        ([""], "is empty"),
        (["A, B = X, Y"], "has no place in a formula"),
        (["A == Q"], "nothing is compared"),
        (["(" * 3000], "FORMULA_LENGTH"),
    ],
)
def test_what_is_refused_is_refused_with_a_sentence(arguments: list[str], said: str) -> None:
    result = CliRunner().invoke(main, ["explain", *arguments])
    assert result.exit_code == 2
    assert said in result.output


def test_the_command_says_the_same_as_data() -> None:
    result = CliRunner().invoke(main, ["explain", "softmax(Q @ K.T / sqrt(d_k))", "--format", "json"])
    data = json.loads(result.output)
    assert data["latex"].startswith("\\mathrm{softmax}")
    assert (data["shape"], data["names"]["K"], data["guessed"]) == (["n", "m"], ["m", "d_k"], ["Q", "K"])
    assert [piece["name"] for piece in data["pieces"]] == ["S", "S_scaled", "A"]


def test_a_scenario_is_asked_by_its_name() -> None:
    result = CliRunner().invoke(main, ["explain", "softmax(Q @ K.T)", "--scenario", "weather"])
    assert result.exit_code == 0, result.output
    assert re.search("[一-龥]", result.output), "in the language of the scenario"
    with pytest.raises(ShapeError):
        explain("Q @ K", shapes={"Q": "3,4", "K": "3,4"})


def test_a_number_is_told_as_one() -> None:
    """No entry of it is general, nothing is said twice, and what divides by it divides by one number."""
    page = explain("(x - mean(x)) / sqrt(var(x) + 1e-5)").render()
    assert page.count("The general entry:") == 2, page
    assert page.count("Y = Z + 10⁻⁵") == page.count("go up or down by the same number") == 1
    assert "a divisor of its own" not in page
    assert "Less its mean and divided by the root of its variance" in page
