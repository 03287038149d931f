"""`symattn derive --model`: the layer on the page, and one sentence for what is wrong."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from benchmarks import model
from symattn.cli import main


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["derive", *arguments])


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("layer")
    model.write(made)
    rng = np.random.default_rng(3)
    (made / "config.json").rename(made / "bert.json")  # which says nothing of the small one
    np.savez(made / "small.npz", in_proj_weight=rng.normal(size=(12, 4)), in_proj_bias=rng.normal(size=12))
    np.savez(made / "x.npz", rows=rng.normal(size=(2, 4)), other=np.zeros(1))
    (made / "x.csv").write_text("1,2,3,4\n0,-1,0.5,0\n")
    return made


def test_one_head_of_a_real_layer_prints_digits_that_double_precision_agrees_with(folder: Path) -> None:
    """d = 384, 12 heads, 32 tokens: every figure on the page is certified, and NumPy rounds to the same ones."""
    result = run(*model.command(folder, "--digits", "9", "--language", "en", "--config", str(folder / "bert.json"))[3:])

    assert result.exit_code == 0, result.output
    Z = model.numpy(folder)[1]
    found = result.output[result.output.index("Z\\ (shape=32\\times 32)=") :].split("\\begin{bmatrix}\n")[1]
    rows = [line.rstrip("\\").split(" & ") for line in found.split("\n\\end")[0].split("\n")]
    kept = [0, 1, 2, 3, None, 30, 31]
    for i, row in zip(kept, rows, strict=True):
        for j, text in zip(kept, row, strict=True):
            if i is None or j is None:
                assert text in ("\\cdots", "\\vdots", "\\ddots")
            else:
                assert float(text) == pytest.approx(Z[i, j], abs=0.5e-9 + 1e-12)


@pytest.mark.slow
def test_one_head_of_a_real_layer_stays_within_its_time_and_memory(folder: Path) -> None:
    """15 s and 1 GB are promised; it takes a second and a tenth of that."""
    watch = "import resource,subprocess,sys;subprocess.run(sys.argv[1:],check=True,stdout=subprocess.DEVNULL);"
    used = "u=resource.getrusage(resource.RUSAGE_CHILDREN);print(u.ru_utime+u.ru_stime,u.ru_maxrss)"
    said = ("--family", "bert", "--causal")
    command = [sys.executable, "-c", watch + used, sys.executable, *model.command(folder, *said)]
    seconds, kilobytes = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()

    assert float(seconds) < 15
    assert int(kilobytes) < 1_000_000


def test_the_whole_layer_and_its_language(folder: Path) -> None:
    whole = ("--model", str(folder / "small.npz"), "--input", str(folder / "x.csv"), "--heads", "2", "--head", "1")
    result = run(*whole, "--language", "zh-Hant", "--tokens", "甲 乙", "--decimals", "2")

    assert result.exit_code == 0, result.output
    assert result.stdout.startswith("# small.npz：2 個頭中的第 1 個\n")
    assert "「甲」" in result.output
    assert "小數點後 2 位" in result.output


def test_rows_and_columns_are_limited_by_options(folder: Path) -> None:
    head = ("--model", str(folder / "small.npz"), "--input", str(folder / "x.csv"), "--heads", "1", "--head", "1")

    assert "& \\cdots &" not in run(*head).output
    assert "1 & \\cdots & 4" in run(*head, "--max-columns", "2").output
    assert run(*head, "--max-rows", "1").exit_code == 2
    assert run("weather", "--max-rows", "2").output.count("\\ddots") == 0
    assert "\\vdots" in run("weather", "--max-rows", "2").output


SMALL = ["--model", "small.npz", "--input", "x.csv"]


@pytest.mark.parametrize(("arguments", "message"), [
    (["--head", "3"], "--head belongs to --model FILE"),
    (["weather", "--input", "x.npy"], "--input belongs to --model FILE"),
    (["weather", "--model", "small.npz", "--input", "x.csv"], "give a scenario or --model FILE, not both"),
    (["--model", "small.npz"], "--model needs --input FILE: the rows that come into the layer"),
    ([*SMALL, "--heads", "2", "--head", "1", "--watch", "-o", "x.md"], "--watch is for a scenario"),
    (["--model", "small.npz", "--input", "x.npz", "--heads", "2"], "holds 2 tensors: say which one is meant"),
    (SMALL, "give heads (--heads)"),
    ([*SMALL, "--heads", "2", "--head", "1", "--memory-tensor", "E"], "--memory-tensor belongs to --memory FILE"),
    (["weather", "--ignore", "x"], "--ignore belongs to --model FILE"),
    ([*SMALL, "--heads", "2", "--ignore", "config.json"], "ignore names 'config.json', which is neither a key of"),
    ([*SMALL, "--heads", "2", "--config", "bert.json"], "bert.json says model_type = \"bert\", hidden_size = 384, "),
    ([*SMALL, "--heads", "2"], "the tensor 'out_proj.weight' is missing"),
    (["--model", "x.csv", "--input", "x.csv"], "the wrong type of file: expected a name that ends in .npz"),
    (["--model", "none.npz", "--input", "x.csv"], "none.npz: cannot be read: No such file or directory"),
    (["--model", "small.npz", "--layer", "a", "--input", "x.csv"], "small.npz, layer 'a': no attention is found there"),
])  # fmt: skip
def test_what_is_wrong_is_one_sentence(
    folder: Path, arguments: list[str], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    result = run(*arguments)

    assert result.exit_code == 2
    assert message in result.output


def test_keys_and_values_may_come_from_a_memory(folder: Path) -> None:
    head = ("--model", str(folder / "small.npz"), "--heads", "2", "--head", "2", "--input", str(folder / "x.csv"))
    result = run(*head, "--memory", str(folder / "x.npz"), "--memory-tensor", "rows", "--language", "en")

    assert result.exit_code == 0, result.output
    assert "What the encoder gives" in result.output
    assert "No mask was asked for: every query sees every key." in result.output


def test_one_of_several_tensors_may_be_the_input(folder: Path) -> None:
    head = ("--model", str(folder / "small.npz"), "--heads", "2", "--head", "2")
    result = run(*head, "--input", str(folder / "x.npz"), "--input-tensor", "rows")

    assert result.exit_code == 0, result.output
    assert "(shape=2\\times 4)" in result.output
