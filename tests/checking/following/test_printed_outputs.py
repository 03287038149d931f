"""Programs that print several things, whose output stands below: each is held against what it was printed for."""

from __future__ import annotations

from tests.checking.found import wrong


def test_several_prints_one_output() -> None:
    text = """
```python
scores = torch.tensor([0.3, 1.1, -0.2])
best = torch.tensor(1)
weights = torch.softmax(scores, dim=-1)
print(weights)
print(weights.sum())
```

```text
tensor([0.2600, 0.5540, 0.1860])
tensor(1.)
```

```python
chosen = weights[best]
print(chosen)
```

```text
tensor(0.5540)
```
"""
    assert [(line, printed) for line, printed, _ in wrong(text)] == [
        (11, "0.2600"),
        (11, "0.5540"),
        (11, "0.1860"),
        (21, "0.5540"),
    ]


def test_right_outputs_are_left_alone() -> None:
    text = """
```python
x = np.array([2.0, 1.0])
loss = model(x)
print(x.sum())
print(loss)
```

```text
3.0
0.4812
```
"""
    assert not wrong(text)


def test_weights_of_a_function_that_is_only_called() -> None:
    text = """
```python
Q = np.array([[2.0, 0.0], [0.0, 1.0]])
K = Q.copy()
V = np.array([[1.0, 2.0], [3.0, 4.0]])
out, weights = attend(Q, K, V)
print("Attention weights:", weights.round(3))
```

```
Attention weights:
[[0.931 0.069]
 [0.330 0.670]]
```
"""
    assert wrong(text) == [(12, "0.931", "0.944"), (12, "0.069", "0.056")]
