"""What docs/models.md shows is what happens."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from benchmarks import model
from symattn.cli import main
from symattn.read.arrays.files import SUFFIXES
from symattn.read.models.layouts import layouts
from symattn.read.scenario.load import load

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "models.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the files that the page speaks of."""
    made = tmp_path_factory.mktemp("models")
    model.write(made)
    np.savez(made / "weights.npz", W_Q=np.full((4, 2), 0.1), W_K=np.zeros((4, 2)))
    (made / "x.csv").write_text("a,b\n0.5,1\n")
    return made


@pytest.fixture(scope="module")
def small(folder: Path) -> Iterator[Path]:
    """The same of a layer a sixteenth as wide."""
    made = folder / "small"
    made.mkdir()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(model, "SHAPES", {name: tuple(n // 16 for n in shape) for name, shape in model.SHAPES.items()})
        patch.setattr(model, "CONFIG", {**model.CONFIG, "hidden_size": 24, "intermediate_size": 96})
        patch.setattr(model, "WIDTH", 24)
        patch.setattr(model, "TOKENS", 4)
        model.write(made)
        (made / "own.json").write_text(json.dumps({**model.CONFIG, "my_note": "layer 3"}))
        yield made


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", PAGE, flags=re.DOTALL)


def test_the_python_of_the_page_prints_what_its_comments_say(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(folder)
    program = "".join(blocks("python"))
    exec(program, {})  # noqa: S102

    assert capsys.readouterr().out.split("\n")[:-1] == re.findall(r"^print.*?# (.*)$", program, flags=re.MULTILINE)


def test_the_scenario_of_the_page_is_read(folder: Path) -> None:
    path = folder / "lesson.toml"
    (block,) = blocks("toml")
    path.write_text(f'title = "t"\n[sizes]\nd_model = 4\nd_k = 2\n{block}', encoding="utf-8")

    assert load(path).givens["W_Q"].given.texts[0][0] == "0.1000"


@pytest.mark.parametrize("command", re.findall(r"^    (symattn .*)$", PAGE, flags=re.MULTILINE))
def test_a_command_of_the_page_runs(command: str, small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(small)
    result = CliRunner().invoke(main, shlex.split(command)[1:])

    assert result.exit_code == 0, result.output


def test_the_page_knows_every_family_and_every_kind_of_file() -> None:
    for layout in layouts():
        assert layout.family.removesuffix(" with kdim or vdim") in PAGE
        assert layout.telling[0] in PAGE
        for key in (*layout.keys.settings, *layout.keys.model_types):
            assert key in PAGE.lower()
    for suffix in SUFFIXES:
        assert f"`{suffix}`" in PAGE
