"""Lines of a page as a reader meets them: what stands there, and what does not."""

from __future__ import annotations

import re

import pytest
from flint import arb

from symattn.api import derive
from symattn.errors import UndecidedError
from symattn.scenario.load import loads
from symattn.solution.on_the_way import numbers
from tests.readback.page import read_solution


def lesson(steps: str, given: str, rest: str = "") -> str:
    """The text of a scenario: ``S = X @ X.T | A = softmax(S)`` over ``X = 1, 2; 3, 4 | s = log(2), 0``."""
    tables = (each.split("=", 1) for each in given.split(" | ") if given)
    rows = {name: [[cell.strip() for cell in row.split(",")] for row in text.split(";")] for name, text in tables}
    givens = "\n".join(f"{name} = {value}" for name, value in rows.items()).replace("'", '"')
    listed = ", ".join(step if step.startswith("{") else f'"{step}"' for step in steps.split(" | "))
    return f'title = "t"\n{rest}\n[given]\n{givens}\n[[section]]\ntitle = "s"\nsteps = [{listed}]\n'


def page(steps: str, given: str, detail: str = "steps", rest: str = "", language: str = "en", **options: int) -> str:
    solution = derive(loads(lesson(steps, given, rest)))
    text = solution.render("markdown", detail=detail, language=language, **options)  # type: ignore[arg-type]
    return text.replace(r"\mathrm{ln}\thinspace", "ln")


LOGS = "s = log(2), log(3), log(5)"
QUERY = "q = log(4), log(9), 0, 0 | K = 1, 0, 1, 0; 0, 1, 0, 0; 1, 1, 0, 1"
SIZE = "[sizes]\nd_k = 4"
SHIFT = "entries: a = softmax(s)"
X, X_AND_W = "X = 1, 2, 0; 3, 4, 5", "X = 1, 2, 0; 3, 4, 5 | W_Q = 1, 0; 0, 1; 1, 1"

SHOWN: tuple[tuple[str, str, str, tuple[str, ...], tuple[str, ...]], ...] = (
    ("the exponential of a logarithm is its number, and the line says equals", "a = softmax(s)", LOGS,
     ("e^{s_1} &= e^{ln 2} = 2", "e^{s_2} &= e^{ln 3} = 3", r"e^{s_k} &= 2 + 3 + 5 = 10",
      r"a_1 &= \frac{2}{10} = 0.2"), (r"\approx", "0.693147")),
    ("a weight that is no short decimal is an exact fraction before it is rounded",
     "S = q @ K.T / sqrt(d_k) | A = softmax(S)", QUERY,
     ("e^{s_3} &= e^{ln 6} = 6", r"a_1 &= \frac{2}{11} \approx 0.181818"), ()),
    ("a softmax of a formula knows the logarithms in it", "A = softmax(q @ K.T / sqrt(d_k))", QUERY,
     ("= e^{ln 6} = 6", r"&= 2 + 3 + 6 = 11"), ()),
    ("what a mask hides is nothing in the sum", "S = q @ K.T / sqrt(d_k) + padding_mask(1, 3, 2) | A = softmax(S)",
     QUERY, (r"e^{s_3} &= e^{-\infty} = 0", "&= 2 + 3 + 0 = 5", r"a_1 &= \frac{2}{5} = 0.4"), ()),
    ("a power that is no fraction stays rounded beside one that is", "a = softmax(s)", "s = log(2)/2, log(3), log(5)",
     (r"e^{s_1} &= e^{\mathrm{ln}(2)/2} \approx 1.414214", "e^{s_2} &= e^{ln 3} = 3",
      r"&\approx 1.414214 + 3 + 5 \approx 9.414214"), ()),
    ("fractions stand beside fractions", "a = softmax(s)", "s = -log(3), log(3/4), log(5)",
     (r"e^{s_1} &= e^{-ln 3} = \frac{1}{3}", r"&= \frac{1}{3} + \frac{3}{4} + 5 = \frac{73}{12}"), ()),
    ("the exponential of a matrix is exact where an entry is", "entries: a = exp(s)", "s = -log(3), log(3), log(5)",
     (r"a_1 &= e^{-ln 3} = \frac{1}{3} \approx 0.333333", r"a_2 &= e^{ln 3} = 3\\"), ()),
    ("scores are shown as logarithms and worked with them", "S = q @ K.T / sqrt(d_k)", QUERY,
     ("ln 2 & ln 3 & ln 6", r"&= (ln 4)\cdot 1 + (ln 9)\cdot 0 + 0\cdot 1 + 0\cdot 0 = ln 4",
      r"s_1 &= \frac{ln 4}{2} = ln 2"), ("Without rounding", "printed figures")),
    ("decimals that are asked for are shown as decimals", '{step = "S = q @ K.T / sqrt(d_k)", decimals = 3}', QUERY,
     ("0.693 & 1.099 & 1.792",), ()),
    ("a matrix with anything else in it keeps its decimals", "a = softmax(s)", "s = log(2) + 1, log(3), log(10007)",
     ("1.693147 & 1.098612 & 9.211040",), ()),
    # where sums of exponentials are too long or too small, the largest score is taken off first
    ("what overflows a double has a page", SHIFT, "s = 4000, 4001, 4002",
     (r"m &= \mathrm{max}(4000, 4001, 4002) = 4002\\",
      r"e^{s_1 - m} &= e^{4000 - 4002} = e^{-2} \approx 0.135335\\",
      r"e^{s_3 - m} &= e^{4002 - 4002} = e^0 = 1\\",
      r"\sum_{k=1}^{3} e^{s_k - m} &\approx 0.135335 + 0.367879 + 1 \approx 1.503215\\",
      r"a_1 &\approx \frac{0.135335}{1.503215} \approx 0.090031\\",
      "numerator and denominator are both divided by \\(e^m\\)."), ()),
    ("a sum of 8886111.5 is not too long", SHIFT, "s = 16, 0", (), ("e^{s_1 - m}", "are both divided by")),
    ("a sum of 13078018.9 is", SHIFT, "s = 16.1, 15", ("e^{s_1 - m}",), ()),
    ("a sum of 0.185122 is not too small", SHIFT, "s = -2, -3", (), ("e^{s_1 - m}", "0.000000}{0.000000")),
    ("a sum of 0.097456 is", SHIFT, "s = -2.4, -5", ("e^{s_1 - m}",), ("0.000000}{0.000000",)),
    ("one small score alone is not", SHIFT, "s = -4000, 0", (), ("e^{s_1 - m}",)),
    ("two are", SHIFT, "s = -10^9, -10^9", ("e^{s_1 - m}",), ("0.000000}{0.000000",)),
    ("a power of ten is too long", SHIFT, "s = 10^30, 3", ("e^{s_1 - m}",), ()),
    ("scores that tie for the largest are both exactly zero", SHIFT, "s = 30*sqrt(2), 15*sqrt(8), 1",
     ("e^{s_1 - m} &\\approx e^{42.426407 - 42.426407} = e^0 = 1", r"\approx 1 + 1 + 0.000000 \approx 2.000000"), ()),
    ("figures of a few digits are not subtracted", SHIFT, "s = 50000000*sqrt(2), 50000001*sqrt(2)",
     (r"e^{s_1 - m} &\approx e^{-1.414214} \approx 0.243117\\",), ()),
    ("what a mask hides is hidden still", "entries: A = softmax(S + causal_mask(2))", "S = 5000, 1; 2, -3",
     (r"e^{s_{12} + \mathrm{mask}_{12} - m_1} &= e^{-\infty} = 0\\", r"a_{11} &= \frac{1}{1} = 1\\"), ()),
    ("a divisor that prints as zero is written by its first digits", "E = exp(s) | p = proportions(E)",
     "s = -4000, -4001", (r"p_1 &\approx \frac{6.63854\times 10^{-1738}}{9.08072\times 10^{-1738}} \approx 0.731059",),
     ()),
    ("a share is worked with as many decimals as it has", '{step = "a = softmax(s)", decimals = 9}', "s = 12, 20",
     (r"\frac{0.000335463}{1.000335463} \approx 0.000335350",), ()),
    ("large numbers on the way are multiples of powers of ten", "entries: n = layer_norm(s)", "s = 50000000, 1",
     (r"\approx 6.25\times 10^{14}",), ()),
    ("a figure with a fraction is squared as a whole", "entries: n = norm(s)", "s = -30000000, 1/3",
     (r"\sqrt{(-30000000)^2 + \left(\frac{1}{3}\right)^2}",), ()),
    ("a figure with a power is squared as a whole", "entries: n = norm(2 * s)", "s = -30000000, 1/3",
     (r"\sqrt{(-6\times 10^7)^2 + 0.666667^2}",), ()),
    ("a power that nobody can write is left out of a line", "entries: f = silu(s)", "s = -1000000, -50",
     (r"f_1 &= \frac{-1000000}{1 + e^{1000000}} \approx 0.000000\\",
      r"f_2 &= \frac{-50}{1 + e^{50}} \approx \frac{-50}{1 + 5.18471\times 10^{21}} \approx 0.000000"), ()),
    # letters, names and shapes
    ("the first entry of m_1 is no m_1, and m_2 is not told from it by its formula alone",
     "m_1 = row_max(X) | m_2 = 2 * m_1 | A = X - m_2 @ ones(1, 3)", X,
     ("(m_1)_i = ", "a_{ij} = x_{ij} - (m_2)_i"), ()),
    ("beside Q the entries of Q_1 are no q; beside a column p those of P are no p; W_Q stays w",
     "Q = X @ W_Q | Q_1 = head(Q, 2, 2) | S = Q_1 @ Q_1.T | P = softmax(S) | p = row_max(P)", X_AND_W,
     (r"q_{ij} = \sum_{k=1}^{3} x_{ik}w_{kj}", "(Q_1)_i = q_{i2}", "s_{ij} = (Q_1)_i(Q_1)_j",
      r"P_{ij} = \frac{e^{s_{ij}}}"), ("q_{1l}",)),
    ("an index is no letter of a vector", "k = row(X, 1) @ W_Q | K = X @ W_Q", X_AND_W, (r"k_j = \sum_{l=1}^{3}",), ()),
    ("a sum of entries is worked without ones, and a column written again and again as what it is",
     "s = hadamard(X, X) @ ones(3, 1) | r = ones(1, 2) @ X | d = divide(X, X @ ones(3, 1) @ ones(1, 3))", X,
     (r"s_i = \sum_{k=1}^{3} x_{ik}^2", "s_1 = 1 + 4 + 0 = 5", "r_1 = 1 + 3 = 4",
      r"\sum_{k=1}^{3} x_{1k} &= 1 + 2 + 0 = 3"), ()),
    ("shapes are said once and signs stay signs", "s = X @ ones(3, 1) | n = -log(exp(X)) | B = X - (1/2) * exp(X)", X,
     (r"X\ (2\times 3)\cdot\mathbf{1}_{3\times 1} = s\ (2\times 1)",
      r"-\mathrm{ln}(\mathrm{exp}(X))\ (2\times 3) = n",
      r"X\ (2\times 3) - \frac{1}{2}\cdot\mathrm{exp}(X)\ (2\times 3) = B"), ()),
    ("a block of columns is written as one", "C = rows(X.T, 2, 3).T | D = rows(X.T, 1, 2).T", X,
     (r"C = X_{\cdot,2:3}", r"\mathrm{columns}(X\ (2\times 3), 2, 3) = C\ (2\times 2)"), ()),
    ("a sum on the way is worked before it is used; a column times a row of ones is no sum",
     "S = X @ X.T / 7 | T = X - row_max(X) @ ones(1, 2) | M = ones(1, 2) @ X / 2 | D = X - X @ X", "X = 1, 2; 3, 4",
     ("\\sum_{k=1}^{2} x_{1k}x_{1k} &= 1\\cdot 1 + 2\\cdot 2 = 5\\\\\ns_{11} &= \\frac{5}{7}",
      "\nt_{11} = 1 - 2 = -1\n",
      "\\sum_{k=1}^{2} x_{k1} &= 1 + 3 = 4\\\\\nm_1 &= \\frac{4}{2} = 2",
      "\\sum_{k=1}^{2} x_{1k}x_{k1} &= 1\\cdot 1 + 2\\cdot 3 = 7\\\\\nd_{11} &= 1 - 7 = -6"), ()),
    # what is not rounded
    ("decimals without rounding are all written as decimals", "Y = X / 64 | Z = X / 24", "X = 24, 11, 12",
     ("0.375 & 0.171875 & 0.1875", r"1 & \dfrac{11}{24} & \dfrac{1}{2}"), ()),
    ("a row too wide for the page is shown exactly in one entry", "A = softmax(S)",
     "S = 0, sqrt(2)/4, 3*sqrt(2)/2, 7*sqrt(2)/4", (r"e^{7\sqrt{2}/4}",), ()),
)  # fmt: skip
"""A case in words, the steps, what is given, what stands on the page and what does not."""


@pytest.mark.parametrize(("title", "steps", "given", "shown", "hidden"), SHOWN, ids=[case[0] for case in SHOWN])
def test_what_stands_on_the_page(
    title: str, steps: str, given: str, shown: tuple[str, ...], hidden: tuple[str, ...]
) -> None:
    detail, _, steps = steps.rpartition(": ")
    decimals = "[figures]\ndecimals = 4" if "without rounding are all" in title else ""
    text = page(steps, given, detail or "steps", f"{SIZE if given == QUERY else ''}\n{decimals}")
    assert [line for line in shown if line not in text] == []
    assert [line for line in hidden if line in text] == []


STEPS = (
    "A = softmax(X @ X.T) | B = softmax(-X @ X.T) | C = softmax(X @ Y.T / sqrt(2)) | D = proportions(exp(X)) | "
    "E = proportions(exp(-X)) | F = silu(X) | G = silu(-X) | H = elu(-X) | I = exp(-X) | K = gelu(X) | "
    "L = gelu_tanh(-X) | M = softmax(X + causal_mask(2)) | N = softmax(X + X) | O = exp(-X - X)"
)


@pytest.mark.parametrize("size", [10, 10**2, 10**4, 10**6])
def test_every_line_is_true_and_short_whatever_the_size_of_the_scores(size: int) -> None:
    # Where e^{−1000000} is a divisor, there is no line.
    steps = STEPS if size == 10**6 else f"{STEPS} | P = proportions(O) | R = divide(O, O @ ones(2, 2))"
    solution = derive(loads(lesson(steps, f"X = {size}, 2; 3, {size // 2}.5 | Y = 0.1, sqrt(3); 1, -2")), digits=6)
    report = read_solution(solution)
    assert report.wrong == []
    assert report.compared > 200
    text = solution.render("markdown", detail="entries", language="en")
    assert not re.search(r"\d{8}\.|\d{12}", text)
    sides = [side for line in text.splitlines() if "&" in line for side in re.split("&|=|approx", line)]
    assert max(map(len, sides)) < 130  # characters of TeX that a page has room for


def test_the_largest_score_less_itself_is_zero_however_deep_it_lies() -> None:
    steps = "A = softmax(X @ X.T) | Z = A @ X | B = softmax(100 * Z @ Z.T)"
    worked = page(steps, "X = 3, 1, 1; 1, 2, 0.5; 3, 1, 1", "entries").split("B = ")[1]
    assert worked.count("= e^0 = 1") == 6  # the first and the third token are the same, in each of the three rows


@pytest.mark.parametrize("language", ["zh-Hant", "zh-Hans"])
def test_why_nothing_changes_is_said_in_every_language(language: str) -> None:
    sentence = {"zh-Hant": "分子和分母同時除以 \\(e^m\\)。", "zh-Hans": "分子和分母同时除以 \\(e^m\\)。"}[language]
    assert page("a = softmax(s)", "s = 4000, 4001", language=language).count(sentence) == 1


def test_who_goes_on_with_rounded_figures_sees_them() -> None:
    shown = page("a = softmax(s)", LOGS, "steps", '[figures]\ncarry = "rounded"')
    assert r"e^{0.693147} \approx" in shown
    assert "e^{ln" not in shown


def test_nothing_is_worked_where_nothing_happens() -> None:
    """An entry that stays where it was, and the closed form of what was only put side by side."""
    text = page("A = X / sqrt(2) | B = head(A, 1, 3) | C = concat(A, X) | D = rows(X, 2, 2)", X, "steps")
    before, head, blocks = text.replace(r"C = \mathrm{concat}", r"B = \mathrm{head}_1").split(r"B = \mathrm{head}_1")
    assert before.count("Without rounding:") == 1
    assert "b_i = a_{i1}" in head
    assert "One entry worked out:" not in head
    assert "Without rounding:" not in blocks
    assert r"c_{14} = x_{11} = 1" in blocks
    assert "d_j = x_{2j}" in blocks


def test_a_closed_form_of_long_numbers_is_left_out() -> None:
    text = page("Y = rms_norm(X, epsilon=1/100000) | Z = X / sqrt(3)", X, "steps")
    assert text.count("Without rounding:") == 1
    assert r"Z = \begin{bmatrix}" in text


def test_a_temperature_does_not_take_a_mask_away() -> None:
    """What is hidden before the division is hidden after it: no ties of zeros, and no worked entry among them."""
    given = "S = 1, 2, 3; 3, 4, 5; 0, 1, 3 | M = 0, -1000, -1000; 0, 0, -1000; 0, 0, 0"
    text = page("A = softmax((S + causal_mask(3)) / 2) | B = softmax((S + M) / 2)", given, "steps")
    first, second = text.split("B = ", 1)
    assert "3 entries are masked away, with a weight of exactly 0." in first
    assert "tie exactly" not in first
    assert "a_{21} &" in first
    assert "masked away" not in second


def test_positions_of_any_number_of_bases_have_frequencies_of_their_own() -> None:
    """Each base turns by its own angles, and what is written PE means one matrix."""
    many = " + ".join(f"sinusoidal(3, 2, base={base})" for base in range(2, 14))
    text = page(f"Y = {many}", "X = 1; 1; 1", "steps")
    sines = re.findall(r"\(\\mathrm\{PE\}_\{?(\d+)\}?\)_\{i,2t - 1\} &= \\mathrm\{sin\}\(\(i - 1\)(\S+)_t\)", text)
    assert [int(base) for base, _ in sines] == list(range(2, 14))
    assert len({letter for _, letter in sines}) == 12
    assert all(rf"{letter}_t &= {base}^{{-2(t - 1)/2}}" in text for base, letter in sines)


def test_what_cannot_be_decided_is_named() -> None:
    """A number on the way says of which step and row it is."""
    solution = derive(loads(lesson("a = softmax(s)", "s = 1, 2")))
    with pytest.raises(UndecidedError, match=r"^a, row 1: exponential 2: decimal number 7 cannot be decided$"):
        numbers(
            solution.store, lambda _: [arb(1), arb("0 +/- 1")], ["a, row 1: exponential 1", "a, row 1: exponential 2"]
        )
