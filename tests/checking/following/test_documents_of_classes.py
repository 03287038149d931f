"""Small documents, each of a kind of page that people write: what is found wrong in it, and what is not."""

from __future__ import annotations

from tests.checking.found import left, wrong


def test_functions_take_the_numbers_of_a_list_one_by_one() -> None:
    text = r"The weights are $\operatorname{softmax}(1.5, -0.5, 0.2) = (0.712, 0.096, 0.192)$."
    assert wrong(text) == [(1, "0.712", "0.710"), (1, "0.192", "0.194")]
    assert not left(text)


def test_a_normalised_vector_may_have_length_one() -> None:
    assert not wrong("v = [3.0, 4.0]\n\nRMSNorm(v) = [0.60, 0.80]\n")


def test_a_row_of_scores_is_what_it_was_printed_for() -> None:
    text = """
$$
S = \\begin{bmatrix} 1.26 & 0.55 \\\\ 0.31 & 2.44 \\end{bmatrix}
$$

$$
\\frac{S}{\\sqrt{2}} \\approx \\begin{bmatrix} 0.89 & 0.39 \\\\ 0.22 & 2.00 \\end{bmatrix}
$$

$$
\\text{softmax}([0.22, 2.00]) \\approx [0.18, 0.82]
$$
"""
    assert wrong(text) == [(7, "2.00", "1.73"), (11, "0.18", "0.14"), (11, "0.82", "0.86")]


def test_a_formula_whose_names_nobody_gives_is_given_itself() -> None:
    text = r"""
$$ Q K^\top = \begin{bmatrix} 3 & 1 \\ 0 & 2 \end{bmatrix} $$

$$ S = \frac{Q K^\top}{\sqrt{3}} \approx \begin{bmatrix} 1.732 & 0.577 \\ 0 & 1.145 \end{bmatrix} $$
"""
    assert wrong(text) == [(4, "1.145", "1.155")]
    assert not left(text)


def test_a_program_gives_a_name_to_something_else() -> None:
    text = """
```python
w = softmax(scores)
print(w)
```

```
[[0.25 0.75]
 [0.60 0.40]]
```

```python
w = drop(w, 0.5)
print(w)
```

```
[[0.50 1.50]
 [0.00 0.80]]
```
"""
    assert not wrong(text)


def test_what_a_program_prints_may_stand_in_comments() -> None:
    text = """import numpy as np

Q = np.array([[1, 2], [0, 3]])
K = np.array([[2, 1], [1, 1]])

s = Q @ K.T / 2.0
print(s)
# [[2.  1.5]
#  [1.5 1.6]]

s = s * 2
print(s)
# [[4. 3.]
#  [3. 3.]]
"""
    assert wrong(text, "program.txt") == [(9, "1.6", "1.5")]


def test_a_sum_may_keep_its_axis() -> None:
    text = """
```python
a = torch.tensor([[1.0, 3.0], [2.0, 6.0]])
b = a / a.sum(dim=-1, keepdim=True)
print(b)
```

```
tensor([[0.2500, 0.7500],
        [0.2500, 0.7600]])
```
"""
    assert wrong(text) == [(10, "0.7600", "0.7500")]


def test_rows_have_remarks_behind_them_and_matrices_their_shapes() -> None:
    text = """
```
X = [ [2, 0],      the first
      [1, 3] ]     the last        shape (2, 2)

Q = X·Wq = X       (2, 2)

Q·Kᵀ = [ [4, 2],   row 1: all of them
         [2, 9] ]  row 2           (2, 2)

S = [ [2.83, 1.41],
      [1.41, 6.36] ]
```
"""
    assert not wrong(text)
    assert not left(text)


def test_headings_of_columns_may_be_formulas_in_other_columns() -> None:
    text = r"""
With $u = (2, 1)$:

| key | $k_j$ | $u^\top k_j$ | $e^{u^\top k_j}$ |
|---|---|---|---|
| a | (1, 0) | 2 | 7.389 |
| b | (0.5, 1.5) | 2.5 | 7.389 |

| pos | sin(pos) | cos(pos) |
|---|---|---|
| 0 | 0.000 | 1.000 |
| 1 | 0.841 | 0.540 |
| 2 | 0.999 | -0.416 |
"""
    assert wrong(text) == [(7, "7.389", "12.182"), (13, "0.999", "0.909")]
    assert not left(text)


def test_a_column_may_be_rounded_before_the_next_is_worked_out() -> None:
    text = "| t | $x$ | $e^{x}$ |\n|---|---|---|\n| a | 1.73 | 5.65 |\n| b | 1.22 | 3.48 |\n"
    assert wrong(text) == [(4, "3.48", "3.39")]


def test_positional_encodings_follow_from_nothing_but_their_places() -> None:
    text = """
The sinusoidal positional encodings with d = 4 of the first three positions:

PE = [[0.000, 1.000, 0.000, 1.000],
      [0.841, 0.540, 0.010, 1.000],
      [0.909, 0.416, 0.020, 1.000]]
"""
    assert wrong(text) == [(6, "0.416", "-0.416")]


def test_embeddings_of_a_table_are_the_input() -> None:
    text = """
Embeddings:

| token | d1 | d2 |
|---|---|---|
| sun | 1 | 0 |
| moon | 2 | 1 |

W_K = [[1, 3], [2, 0]]

K = X · W_K = [[1, 3], [4, 5]]
"""
    assert wrong(text) == [(11, "5", "6")]


def test_whole_numbers_that_nobody_can_follow_are_exact() -> None:
    text = """
K = X · W_K = [[1, 0], [0, 3]]

q = [1, 1], scores q · K^T = [1, 3]

softmax([1, 3]) = [0.119, 0.818]
"""
    assert wrong(text) == [(6, "0.818", "0.881")]
