"""Families of models are found by their place: files of ours, and those of a package that an entry point names."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib.metadata import EntryPoint
from pathlib import Path

import numpy as np
import pytest

import symattn
from symattn.base.errors import ArrayError
from symattn.read.models.layouts import FOLDER, GROUP, layouts

PLAIN = """
called = "plain"
family = "Plain"
[attention]
query = "q"
key = "k"
value = "v"
output = "o"
[fixed]
scaled = false
layer_scaled = false
causal = true
[keys]
shared = "torch"
settings = { how_many = "heads" }
"""


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder of a package of somebody else, which an entry point names."""
    folder = tmp_path / "plain_models"
    folder.mkdir()
    point = EntryPoint("plain", folder.name, GROUP)
    monkeypatch.setattr("symattn.read.models.layouts.entry_points", lambda group: [point] if group == GROUP else [])
    monkeypatch.syspath_prepend(tmp_path)
    layouts.cache_clear()
    yield folder
    layouts.cache_clear()


def test_a_layer_of_a_family_of_somebody_else_is_read(package: Path, tmp_path: Path) -> None:
    (package / "__init__.py").write_text("raise RuntimeError('nothing of it is run')")
    (package / "plain.toml").write_text(PLAIN)
    rng = np.random.default_rng(1)
    weights = {f"{name}.{part}": rng.normal(size=shape) for name in "qkvo" for part, shape in
               (("weight", (4, 4)), ("bias", 4))}  # fmt: skip
    np.savez(tmp_path / "m.npz", **weights)  # type: ignore[arg-type]
    x = rng.normal(size=(3, 4))
    config = {"how_many": 1, "batch_first": True}
    page = symattn.derive(symattn.attention_of(tmp_path / "m.npz", input=x, config=config))

    q, k, v = (x @ weights[f"{name}.weight"].T + weights[f"{name}.bias"] for name in "qkv")
    powers = np.exp(np.where(np.tril(np.ones((3, 3))) > 0, q @ k.T, -np.inf))
    assert page["A_1"].float64() == pytest.approx(powers / powers.sum(axis=1, keepdims=True), abs=1e-12)
    assert page["O"].float64() == pytest.approx(
        page["A_1"].float64() @ v @ weights["o.weight"].T + weights["o.bias"], abs=1e-12
    )
    assert "plain_models" not in sys.modules


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (PLAIN.replace("plain", "bert"), "the models 'plain': 'bert' is there already"),
        (PLAIN.replace("scaled = false\nlayer", "scald = false\nlayer"), "fixed.scald"),
        (PLAIN.replace('"o"', "7"), "attention.output"),
        (PLAIN.replace("query", "queries"), "attention.query: Field required"),
        (PLAIN + "[more]\n", "more: "),
        (PLAIN.replace("torch", "nobody"), "is no family of models: 'nobody'"),
        ("called = ", "is no family of models"),
        (None, "the models 'plain' of the package 'plain_models': is no folder with .toml files in it"),
    ],
)
def test_what_is_no_family_is_refused_in_words(package: Path, text: str | None, message: str) -> None:
    if text is not None:
        (package / "plain.toml").write_text(text)
    with pytest.raises(ArrayError) as caught:
        layouts()
    assert message in str(caught.value)


def test_what_a_family_says_of_a_setting_is_read_as_what_anybody_says(package: Path, tmp_path: Path) -> None:
    (package / "plain.toml").write_text(PLAIN.replace("causal = true", 'causal = "yes"'))
    np.savez(tmp_path / "m.npz", **{f"{name}.weight": np.eye(4) for name in "qkvo"})  # type: ignore[arg-type]
    with pytest.raises(ArrayError, match="in Plain it is always yes: expected true or false, and not 'yes'"):
        symattn.attention_of(tmp_path / "m.npz", input=np.eye(4), heads=1)


def test_every_file_is_a_family() -> None:
    assert len(layouts()) == len(list(FOLDER.glob("*.toml"))) - 1
