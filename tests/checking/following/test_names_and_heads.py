"""What a name is, and what is only said of it: names with arrows, other examples, what holds for another line."""

from __future__ import annotations

from tests.checking.found import left, wrong


def test_an_arrow_may_be_inside_a_name() -> None:
    text = """
```text
C_fr→en = [[0.20, 0.50],
           [0.10, 0.90]]

C_en→fr = C_fr→enᵀ
        = [[0.20, 0.10],
           [0.50, 0.80]]

U = (C_en→fr + C_fr→en) / 2
```
"""
    assert wrong(text) == [(8, "0.80", "0.90")]


def test_a_list_may_gather_what_was_worked_out_before() -> None:
    text = r"""
The logits are $z = [0.5, 1.5]$ and the target is $t = [0, 1]$.

$$p_k = \frac{e^{z_k}}{\sum_j e^{z_j}}$$

$p_1 = 0.269$, $p_2 = 0.731$

- $g_1 = 0.269 - 0 = 0.269$
- $g_2 = 0.731 - 1 = -0.269$

The gradients are $[0.269, -0.269]$.
"""
    assert not wrong(text)


def test_a_word_may_stand_for_one_number_after_another() -> None:
    text = """
For $a$: the margin $= 1.5 - (-2.31) = 3.81$. For $b$: the margin $= 1.2 - (-3.52) = 4.72$.
For $c$: the margin $= 0.4 - (-3.93) = 4.34$.
"""
    assert wrong(text) == [(3, "4.34", "4.33")]


def test_a_line_for_each_row_of_what_was_announced() -> None:
    text = r"""
$$ A = \begin{bmatrix} 0.45 & 0.55 \\ 0.5 & 0.5 \end{bmatrix}, \quad V = \begin{bmatrix} 7 & 0 \\ 0 & 9 \end{bmatrix} $$

$$ w_1 = \mathrm{softmax}([1.3, 0.1]) = [0.769, 0.231] $$

$$ w_2 = \mathrm{softmax}([0.2, 0.9]) = [0.332, 0.668] $$

$$ O = w V $$

第一行：$0.769 \times [7, 0] + 0.231 \times [0, 9] = [5.383, 2.079]$

第二行：$0.332 \times [7, 0] + 0.668 \times [0, 9] = [2.324, 6.012]$
"""
    assert {line for line, _, _ in wrong(text)} == {10, 12}
    assert (12, "6.012", "6.014") in wrong(text)


def test_braced_commas_are_decimal_and_others_divide() -> None:
    text = r"$$ y = 0{,}4\,[2,0] + 0{,}6\,[0,1] = [0{,}8,\ 0{,}7], \quad 0{,}4 + 0{,}6 = 1 $$"
    assert wrong(text) == [(1, "0,7", "0,6")]
    assert not left(text)


def test_weights_by_hand_are_those_of_their_scores() -> None:
    text = r"""
$$ q = [2, 1], \quad K = \begin{bmatrix} 1 & 0 \\ 0 & 1 \end{bmatrix} $$

$$ S = \frac{q K^T}{\sqrt{2}} = [1.414, 0.707] $$

$e^{1.414} = 4.114$, $e^{0.707} = 2.028$, sum $= 6.142$

$$ A_{\text{row1}} = [4.114/6.142,\ 2.028/6.142] = [0.670, 0.330] $$
"""
    assert wrong(text) == [(6, "4.114", "4.112"), (6, "6.142", "6.140")]


def test_a_temperature_holds_for_the_weights_behind_it() -> None:
    text = """
Logits: [2.5, 1.0, -0.5]

T = 1:
  Softmax: [0.786, 0.175, 0.039]

T = 4:
  Softmax: [0.464, 0.328, 0.219]

T → ∞:
  Softmax: [0.333, 0.333, 0.333]
"""
    assert wrong(text) == [(8, "0.464", "0.463"), (8, "0.328", "0.318")]


def test_a_wide_bracket_behind_a_number_is_a_remark() -> None:
    text = """
$w = \\mathrm{softmax}([1.2, 0.3]) = [0.721, 0.279]$

最关注 token 1（72.1%），其次是 token 2（27.9%）。
"""
    assert {(line, printed) for line, printed, _ in wrong(text)} >= {(4, "72.1"), (4, "27.9")}


def test_a_name_with_a_zero_may_be_a_matrix_of_its_own_and_says_nothing_of_how_rows_are_counted() -> None:
    text = r"""
$$U = \begin{bmatrix} 0.25 & 0.5 \\ 0.75 & 0.35 \end{bmatrix}$$

The numbers in $U_0$ are drawn:

$$U_0 = \begin{bmatrix} 0.62 & -0.14 \\ 0.93 & 0.88 \end{bmatrix}$$

$U_{1,1} = 0.25$ and $U_{1,2} = 0.55$
"""
    assert wrong(text) == [(8, "0.55", "0.50")]
