"""Habits of people who write numbers by hand: small documents, what is told of each, and that all was followed."""

from __future__ import annotations

import pytest

from symattn.checking.check import check


def told(text: str) -> list[tuple[int, str, str]]:
    """What is found wrong in a document of which nothing may be left open."""
    found = check(text, "a.md")
    assert not found.unfollowed, found.unfollowed
    return [(one.line, one.printed, one.expected) for one in found.findings]


NAMES_IN_HEADINGS = r"""
We have 2 tokens, rows of

```
X = [[1.0, 2.0],
     [0.0, 1.0]]
```

#### W\_Q

```
[[0.5, 0.1],
 [0.2, 0.3]]
```

#### W\_K

```
[[0.1, 0.4],
 [0.3, 0.2]]
```

## Step 1

```
Q = X . W_Q
K = X . W_K
```

### Q

```
[[0.9, 0.7],
 [0.2, 0.3]]
```

### K

```
[[0.7, 0.9],
 [0.4, 0.2]]
```

## Step 2

```
Scores = Q . K^T / sqrt(2)
```

### The matrix of scores:

```
[[0.891, 0.318],
 [0.290, 0.099]]
```
"""


def test_names_stand_in_headings() -> None:
    of_keys = [(40, "0.9", "0.8"), (41, "0.4", "0.3")]
    of_scores = [(53, "0.891", "0.841"), (53, "0.318", "0.290"), (54, "0.290", "0.269"), (54, "0.099", "0.085")]
    assert told(NAMES_IN_HEADINGS) == [*of_keys, *of_scores]


@pytest.mark.parametrize("sign", [".", "·", "@"])
def test_a_full_stop_with_room_on_both_sides_is_a_product(sign: str) -> None:
    assert told(f"- `a1 = [1, 2]`\n- `b2 = [3, 4]`\n- `a1 {sign} b2 = 1*3 + 2*4 = 12`\n") == [(3, "12", "11")]


def test_commas_of_latex() -> None:
    text = "$$ e^{0{,}25} = 1{,}284 \\quad e^{0{,}50} = 1{,}649 \\quad e^{0{,}75} = 2{,}118 $$\n"
    assert told(text) == [(1, "2,118", "2,117")]


PRINTED = """
```python
x = np.array([1.0, 2.0, 4.0])
print("double:", (x * 2).round(1))
# [2.0, 4.0, 9.0] (in plain words)
print("cool", softmax_with_temperature(x, 2.0))
# [0.140, 0.231, 0.629]
```

- double: [2.0, 4.0, 9.0]
"""


def test_a_remark_under_a_print_is_what_it_prints() -> None:
    assert told(PRINTED) == [(5, "9.0", "8.0"), (10, "9.0", "8.0")]


def test_a_given_list_may_be_given_once_more_and_then_anew() -> None:
    text = "Given scores = [2.0, 1.0, 0.5].\n\nscores = [2.0, 1.0, 0.5]\n\nNow given scores = [3.0, 0.5, 1.5].\n"
    assert told(text) == []


ENTRIES = r"""
$$ Q = \begin{bmatrix} 1 & 2 \\ 3 & 4 \end{bmatrix}, K = \begin{bmatrix} 5 & 6 \\ 3 & 7 \end{bmatrix} $$

$$ \text{Score}_{ij} = \frac{Q_i \cdot K_j^T}{\sqrt{4}} $$

### The raw scores:

$$ \begin{bmatrix} 8.5 & 8.5 \\ 19.5 & 17.5 \end{bmatrix} $$

And

$$ \alpha = \text{softmax}(\text{Scores}) = \begin{bmatrix} 0.500 & 0.500 \\ 0.982 & 0.018 \end{bmatrix} $$
"""


def test_a_formula_of_entries_makes_a_matrix() -> None:
    assert told(ENTRIES) == [(8, "17.5", "18.5"), (12, "0.982", "0.731"), (12, "0.018", "0.269")]


PROGRAM = """import numpy as np

a = np.array([[1, 2], [3, 4]])
b = a @ a.T
print(b)
# [[ 5 11]
#  [11 26]]

c = a / a.sum(axis=1, keepdims=True)
print(c)
# [[0.333 0.667]
#  [0.429 0.571]]
"""


def test_a_program_without_a_fence_has_remarks_and_no_headings() -> None:
    found = check(PROGRAM, "program.txt")
    assert [(one.line, one.printed, one.expected) for one in found.findings] == [(7, "26", "25")]
    assert not found.unfollowed


def test_the_share_of_one_score_is_what_the_fraction_behind_it_says() -> None:
    text = "$$\\text{softmax}(2) = \\frac{3}{4} = 0.76$$\n\nOf one score $\\text{softmax}(0.5) = 0.5$.\n"
    assert told(text) == [(1, "0.76", "0.75"), (3, "0.5", "1.0")]


def test_a_number_that_was_given_is_given_anew() -> None:
    text = "We take $T = 0.90$.\n\nThen $T = 0.80$, and $0.8 + 0.1 = 0.8$ at $T = 0.70$.\n"
    assert told(text) == [(3, "0.8", "0.9")]


ROWS_BY_ONE_NAME = """
Scores = [[0.5, 0.25, 0.75], [1.25, 0.5, 0.25]]

**Row 0:**
```
exp(0.50) = 1.6487
exp(0.25) = 1.2840
exp(0.75) = 2.1170
Sum = 5.0500
Softmax = [0.3265, 0.2543, 0.4192]
```

**Row 1:**
```
exp(1.25) = 3.4903
exp(0.50) = 1.6487
exp(0.25) = 1.2840
Sum = 6.4231
Softmax = [0.5434, 0.2567, 0.1999]
```
"""


def test_a_name_is_used_again_for_the_next_row() -> None:
    assert told(ROWS_BY_ONE_NAME) == [(9, "5.0500", "5.0497")]


def test_a_word_before_a_colon_says_what_a_sum_is_for() -> None:
    text = "$$\\frac{2}{7} = 0.2857, \\frac{5}{7} = 0.7144$$\n\nProof: $0.2857 + 0.7144 = 1.0001$\n"
    assert told(text) == [(1, "0.7144", "0.7143")]


REMARKS = """
```
S = [[1.0, 2.0],
     [0.5, 0.0]]

A = softmax(S) = [[0.27, 0.73],   ← the cat looks at the dog
                  [0.62, 0.39]]   ← 3 of 5 times
```

The dog gets 73% of the cat, and the cat 39% of the dog; 80% of people agree.
"""


def test_remarks_behind_arrows_and_shares_in_words() -> None:
    assert told(REMARKS) == [(7, "0.39", "0.38"), (10, "39", "38")]


SERIES = r"""
Take logits $z = (3, 1, 0)$ and

$$ e^{3} = 20.086,\quad e^{1} = 2.718,\quad e^{0} = 1.000 $$

with sum $20.086 + 2.718 + 1.000 = 23.804$, so

$$ p = \tfrac{20.086}{23.804},\ \tfrac{2.718}{23.804},\ \tfrac{1.000}{23.804} = 0.844,\ 0.114,\ 0.052 $$

At half of it the logits are $1.5, 0.5, 0$ and softmax makes of these $p = 0.629,\ 0.231,\ 0.140$.

$$ \tfrac{1}{4},\ \tfrac{3}{8} = 0.25,\ 0.385 $$
"""


def test_series_are_lists_or_pairs() -> None:
    assert told(SERIES) == [(8, "0.052", "0.042"), (12, "0.385", "0.375")]


TOKENS = """
x1 = [1.0, 2.0, 3.0, 6.0]

x2 = [2.0, 0.0, 4.0, 2.0]

Token 1: mean = 3.0, variance = 3.5, std = 1.871
Token 2: mean = 2.0, variance = 2.0, std = 1.414
"""


def test_each_token_has_its_mean() -> None:
    assert told(TOKENS) == []


TWICE = r"""
$$Q = \begin{bmatrix} 1 & 2 \\ 0 & 1 \end{bmatrix}, \quad K = \begin{bmatrix} 1 & 0 \\ 1 & 1 \end{bmatrix}$$

$$QK^T = \begin{bmatrix} 1 & 3 \\ 0 & 1 \end{bmatrix}$$

## Once more

$$Q = \begin{bmatrix} 2 & 2 \\ 0 & 3 \end{bmatrix}, \quad K = \begin{bmatrix} 1 & 4 \\ 1 & 1 \end{bmatrix}$$

$$QK^T = \begin{bmatrix} 10 & 4 \\ 12 & 4 \end{bmatrix}$$
"""


def test_a_second_example_gives_anew_what_is_nearly_the_same() -> None:
    assert told(TWICE) == [(10, "4", "3")]


def test_a_letter_that_is_mostly_an_index_is_a_list_here() -> None:
    text = "H = [[0.3, 0.2], [0.5, 0.1]] and W = [[0.4], [0.3]].\n\n$z = H \\cdot W \\Rightarrow z = [0.76, 0.23]$\n"
    assert told(text) == [(3, "0.76", "0.18")]


COUNTED = """
A = [[1, 0], [0.5, 0.5]] and V = [[1, 2], [3, 4]].

The output A V:

| Token | d1 | d2 |
|---|---|---|
| 1 | 1.0 | 2.0 |
| 2 | 2.0 | 2.9 |
"""


def test_the_first_column_of_a_table_may_count() -> None:
    assert told(COUNTED) == [(9, "2.9", "3.0")]


SUMMARY = """
scores = [0.25, 0.5, 1.0]

exp(scores) = [1.284, 1.649, 2.728]

softmax(scores) = [0.227, 0.292, 0.481]

| Word | Score | exp | Weight |
|------|-------|-----|--------|
| one | 0.25 | 1.284 | 22.7% |
| two | 0.50 | 1.649 | 29.2% |
| six | 1.00 | 2.728 | 48.1% |
"""


def test_a_table_sums_up_column_by_column() -> None:
    assert told(SUMMARY) == [(4, "2.728", "2.718"), (12, "2.728", "2.718")]
