"""What a name is, and what is only said of it: names with arrows, other examples, what holds for another line."""

from __future__ import annotations

from symattn.checking.check import check


def wrong(text: str, name: str = "page.md") -> list[tuple[int, str, str]]:
    """Line, figure as printed, figure as it should be."""
    return [(each.line, each.printed, each.expected) for each in check(text, name).findings]


def left(text: str, name: str = "page.md") -> list[str]:
    """Figures that nothing was said of."""
    return [each.text for each in check(text, name).unfollowed]


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
