"""Steps of training are those of torch.optim in double precision, and every figure of them is certified."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from random import Random
from typing import Any

import pytest

from symattn.api.worked import WorkedSolution, derive
from symattn.read.scenario.load import loads

torch: Any = pytest.importorskip("torch")

Numbers = list[list[Fraction]]
Tensors = Mapping[str, Any]


def head(t: Tensors) -> Any:
    """One head of attention, against targets."""
    queries, keys, values = (t["X"] @ t[name] + t[bias] for name, bias in (("Wq", "bq"), ("Wk", "bk"), ("Wv", "bv")))
    weights = torch.softmax(queries @ keys.T / 2**0.5, dim=1)
    return ((weights @ values - t["T"]) ** 2).sum()


def network(t: Tensors) -> Any:
    """Two layers with a ReLU between them, of which some entries are off."""
    return ((torch.relu(t["X"] @ t["A"] + t["a"]) @ t["B"] - t["T"]) ** 2).sum()


def shared(t: Tensors) -> Any:
    """A weight that stands in two places, and one that nothing depends on."""
    return ((torch.tanh(t["X"] @ t["W"]) @ t["W"].T - t["X"]) ** 2).sum() + 0 * t["U"].sum()


def quotients(t: Tensors) -> Any:
    """Nothing but fractions, which grow so long in three steps that enclosures have to go on."""
    first = t["X"] @ t["W"]
    second = first / (1 + first * first) @ t["W"]
    return ((second / (1 + second * second) @ t["W"] - t["X"]) ** 2).sum()


MODELS: dict[str, tuple[Callable[[Tensors], Any], dict[str, tuple[int, int]], tuple[str, ...], tuple[str, ...]]] = {
    "head": (
        head,
        {
            "X": (3, 2),
            "T": (3, 2),
            **dict.fromkeys(("Wq", "Wk", "Wv"), (2, 2)),
            **dict.fromkeys(("bq", "bk", "bv"), (1, 2)),
        },
        ("X", "T"),
        (
            *(f"{letter} = X @ W{letter.lower()} + b{letter.lower()}" for letter in "QKV"),
            "P = softmax(Q @ K.T / sqrt(2))",
            "Y = P @ V",
            "L = sum((Y - T) * (Y - T), axis=None)",
        ),
    ),
    "network": (
        network,
        {"X": (2, 3), "T": (2, 2), "A": (3, 4), "a": (1, 4), "B": (4, 2)},
        ("X", "T"),
        ("H = relu(X @ A + a)", "Y = H @ B", "L = sum((Y - T) * (Y - T), axis=None)"),
    ),
    "quotients": (
        quotients,
        {"X": (3, 2), "W": (2, 2)},
        ("X",),
        (
            "Q = X @ W",
            "U = Q / (1 + Q * Q) @ W",
            "Y = U / (1 + U * U) @ W",
            "L = sum((Y - X) * (Y - X), axis=None)",
        ),
    ),
    "shared": (
        shared,
        {"X": (2, 3), "W": (3, 2), "U": (2, 2)},
        ("X",),
        ("H = tanh(X @ W)", "Y = H @ W.T", "L = sum((Y - X) * (Y - X), axis=None)"),
    ),
}
"""Each with what it is in PyTorch, the shapes of its givens, those that are not trained, and its steps."""

OPTIMIZERS: dict[str, Callable[..., Any]] = {
    "sgd": torch.optim.SGD,
    "momentum": torch.optim.SGD,
    "adam": torch.optim.Adam,
    "adamw": torch.optim.AdamW,
}


def hyper_parameters(rule: str, random: Random) -> dict[str, Fraction]:
    """Some of the numbers that a rule has; the others are the usual ones."""
    found = {"rate": Fraction(random.randint(1, 20), 400)}
    if rule == "momentum":
        found["momentum"] = Fraction(random.randint(1, 9), 10)
    if rule.startswith("adam"):
        every = {"beta1": Fraction(4, 5), "beta2": Fraction(99, 100), "epsilon": Fraction(1, 1000)}
        found |= {name: value for name, value in every.items() if random.random() < 0.5}
    if random.random() < 0.6:
        found["decay"] = Fraction(random.randint(0, 30), 100)
    return found


def optimizer(rule: str, weights: list[Any], numbers: Mapping[str, Fraction]) -> Any:
    said = {name: float(value) for name, value in numbers.items()}
    given: dict[str, Any] = {"lr": said["rate"]}
    if "decay" in said:
        given["weight_decay"] = said["decay"]
    if rule == "momentum":
        given["momentum"] = said["momentum"]
    if rule.startswith("adam"):
        given |= {"betas": (said.get("beta1", 0.9), said.get("beta2", 0.999)), "eps": said.get("epsilon", 1e-8)}
    return OPTIMIZERS[rule](weights, **given)


def scenario(model: str, rule: str, givens: Mapping[str, Numbers], numbers: Mapping[str, Fraction], steps: int) -> str:
    _, shapes, fixed, lines = MODELS[model]
    rows = "\n".join(f"{name} = {[list(map(str, row)) for row in value]}" for name, value in givens.items())
    weights = [name for name in shapes if name not in fixed]
    said = "\n".join(f'{name} = "{value}"' for name, value in numbers.items())
    return (
        f'title = "t"\n[given]\n{rows}\n[[section]]\ntitle = "s"\nsteps = {list(lines)}\n'
        f'[train]\nrule = "{rule}"\nweights = {weights}\nsteps = {steps}\n{said}\n'
    )


def random_rows(rows: int, columns: int, random: Random) -> Numbers:
    """Numbers without an end, which are never half way between two figures."""
    numbers = [Fraction(n, d) for n in range(-9, 10) for d in (7, 9, 11) if n % d and n % 3]
    return [[random.choice(numbers) for _ in range(columns)] for _ in range(rows)]


def certified(solution: WorkedSolution) -> None:
    """Every figure of every step, those that the page does not show among them."""
    for step in solution.derivation.steps:
        figures = solution[step.name].figures
        assert len(figures) == step.shape.sizes[0]


SEVERAL, FEW = [(3, 0)], [(1, 0), (1, 1), (2, 0), (2, 1), (3, 1)]
"""How many steps of which numbers: of several steps each is compared, so that fewer of them say the same once more."""


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("steps", "seed"), [*SEVERAL, *(pytest.param(*each, marks=pytest.mark.slow) for each in FEW)])
@pytest.mark.parametrize("rule", OPTIMIZERS)
@pytest.mark.parametrize("model", MODELS)
def test_new_weights_are_those_of_pytorch(model: str, rule: str, steps: int, seed: int) -> None:
    loss, shapes, fixed, _ = MODELS[model]
    random = Random(f"{model}, {rule}, {steps}, {seed}")
    givens = {name: random_rows(*size, random) for name, size in shapes.items()}
    numbers = hyper_parameters(rule, random)
    solution = derive(loads(scenario(model, rule, givens, numbers, steps)))
    tensors = {
        name: torch.tensor([[float(x) for x in row] for row in value], dtype=torch.float64)
        for name, value in givens.items()
    }
    weights = [name for name in shapes if name not in fixed]
    for name in weights:
        tensors[name].requires_grad_()
    moves = optimizer(rule, [tensors[name] for name in weights], numbers)
    for t in range(steps + 1):
        theirs = loss(tensors)
        close(solution, "L" if t == 0 else f"L_t{t}", [[theirs.item()]], (model, rule, seed, t))
        if t < steps:
            moves.zero_grad()
            theirs.backward()
            without_noise(tensors, weights)
            moves.step()
            for name in weights:
                close(solution, f"{name}_t{t + 1}", tensors[name].tolist(), (model, rule, seed, t))
    if seed == 0:
        certified(solution)


def without_noise(tensors: Tensors, weights: list[str]) -> None:
    """The gradient of a bias of keys is exactly 0, and rounding in double precision makes 10⁻¹⁷ of it, which Adam then
    divides by its own size: such entries are the 0 that they are."""
    for name in weights:
        gradient = tensors[name].grad
        gradient[gradient.abs() < 1e-13] = 0


def close(solution: WorkedSolution, name: str, theirs: list[list[float]], where: object) -> None:
    ours = solution[name].enclosure(200).tolist()
    for i, row in enumerate(theirs):
        for j, value in enumerate(row):
            assert ours[i][j].rad() < 1e-20, (where, name)
            assert abs(float(ours[i][j].mid()) - value) <= 1e-10 * max(1.0, abs(value)), (where, name, i, j)


def test_a_gradient_of_exactly_0_is_no_obstacle_to_adam() -> None:
    """√0 + ε is a divisor like any other, whether anybody can prove that it is 0 or not."""
    text = """
title = "t"
[given]
X = [["1", "0"], ["0", "1"], ["1", "1"]]
W = [["1", "1/2"], ["0", "1"]]
b = [["1/3", "-1/5"]]
T = [["1", "0"], ["0", "1"], ["1", "1"]]
[[section]]
title = "s"
steps = ["K = X @ W + b", "P = softmax(X @ K.T)", "Y = P @ X", "L = sum((Y - T) * (Y - T), axis=None)"]
[train]
rule = "adam"
weights = "b"
rate = "1/10"
steps = 3
"""
    solution = derive(loads(text))
    assert [figure.text for figure in solution["b_t3"].figures[0]] == ["0.333333", "-0.200000"]
    assert "The loss is so nearly the same that it is not settled whether it changes" in solution.render(language="en")


def test_the_loss_and_the_probability_of_the_target_are_told() -> None:
    text = """
title = "t"
[given]
x = [["1", "1/2"]]
W = [["1", "0", "-1"], ["1/2", "1", "0"]]
[[section]]
title = "s"
steps = ["z = x @ W", "P = softmax(z)", "L = -log(P[:, 2:3])"]
[train]
rule = "sgd"
weights = "W"
rate = "1/2"
watch = "P[1,3]"
"""
    solution = derive(loads(text))
    page = solution.render(language="en")
    before, after = (solution[name].figures[0][2].text for name in ("P", "P_t1"))
    assert f"rises: $P_{{1,3}} \\approx {before} \\lt {after}$" in page
    losses = [solution[name].figures[0][0].text for name in ("L", "L_t1")]
    assert f"The loss falls: $L \\approx {losses[0]} \\gt {losses[1]}$" in page
    assert "z^{(1)}\\ (shape" not in page
    assert "not shown again" in page


def test_only_what_is_watched_or_leads_to_the_loss_is_worked_out_again() -> None:
    text = """
title = "t"
[given]
x = [["1", "1/2"]]
W = [["1"], ["1/2"]]
[[section]]
title = "s"
steps = ["z = x @ W", "L = z * z", "B = 2 * z", "C = 3 * z"]
[[backward]]
wrt = "W"
[train]
rule = "sgd"
weights = "W"
watch = ["B[1,1]"]
"""
    names = [step.name for step in loads(text).derivation.steps]
    assert names.count("dW") == 1
    assert "B_t1" in names
    assert "C_t1" not in names
