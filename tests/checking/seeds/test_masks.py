"""Masks of 0 and −10⁹, and what is added to them."""

from __future__ import annotations

from symattn.checking.check import check

SCORES = r"""Causal attention. The scores are

$$S = \begin{bmatrix} 0.31 & 0.22 \\ 0.15 & 0.44 \end{bmatrix}$$

With a causal mask $M$ (above the diagonal $-10^9$, nearly $-\infty$):

$$M = \begin{bmatrix} 0 & -10^9 \\ 0 & 0 \end{bmatrix}$$

The masked scores $\tilde{S} = S + M$ are

$$\tilde{S} = \begin{bmatrix} 0.31 & -10^9 \\ 0.15 & 0.44 \end{bmatrix}$$
"""


def test_a_mask_is_given_and_takes_in_the_score_that_it_hides():
    found = check(SCORES)
    assert found.is_right
    assert {one.printed for one in found.figures if one.status == "right"} == {
        "0.31", "-10^9", "-∞", "0.15", "0.44"
    }  # fmt: skip


def test_a_masked_score_that_is_wrong_is_found():
    at = SCORES.rindex("0.15")
    wrong = check(SCORES[:at] + "0.51" + SCORES[at + 4 :]).findings
    assert [(one.printed, one.expected) for one in wrong] == [("0.51", "0.15")]


WEIGHTS = """Self-attention weights:

```
tensor([[0.3417, 0.2756, 0.3828],
        [0.3028, 0.3760, 0.3212],
        [0.2962, 0.3034, 0.4003]], grad_fn=<SoftmaxBackward0>)
```

Masked self-attention: the same scores, with what is to come hidden before softmax. Weights:

```
tensor([[1.0000, 0.0000, 0.0000],
        [0.4460, 0.5540, 0.0000],
        [0.2962, 0.3034, 0.4003]], grad_fn=<SoftmaxBackward0>)
```
"""


def test_masked_weights_follow_from_those_without_a_mask():
    found = check(WEIGHTS)
    assert found.is_right
    assert sum(one.status == "right" for one in found.figures) == 9


def test_masked_weights_that_do_not_follow_are_not_called_right():
    found = check(WEIGHTS.replace("0.4460, 0.5540", "0.4640, 0.5360"))
    assert [one.status for one in found.figures if one.printed == "0.4640"] != ["right"]


def test_sizes_of_another_example_are_given_anew():
    text = "```python\nx = torch.tensor([[1, 2], [3, 4], [5, 6]])\nseq_len = x.size(0)\n```\n\n"
    assert check(text + "Another input with seq_len = 4 is longer.").is_right
