"""Givens in files beside the scenario: what is read, that nothing outside the folder is, and what an error says."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from sympy import Rational

from symattn.api.validation import validate
from symattn.api.worked import derive
from symattn.base import limits
from symattn.base.errors import ScenarioError
from symattn.read.scenario.load import load, loads

HEAD = 'title = "t"\ntokens = ["a", "b"]\n[given]\n'
TAIL = '\n[[section]]\ntitle = "s"\nsteps = ["Y = X @ W"]\n'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    np.savez(tmp_path / "w.npz", W=np.array([[0.1], [0.25]]), big=np.zeros((2, 2)))
    (tmp_path / "x.csv").write_text("0.5,1\n2,-3\n")
    (tmp_path / "ragged.csv").write_text("1,2\n3\n")
    (tmp_path / "words.csv").write_text("1,2\nfoo,4\n")
    (tmp_path / "fake.npy").write_bytes(b"hello")
    (tmp_path / "deep").mkdir()
    np.save(tmp_path / "deep" / "x.npy", np.eye(2))
    return tmp_path


def written(folder: Path, given: str) -> Path:
    path = folder / "lesson.toml"
    path.write_text(HEAD + given + TAIL, encoding="utf-8")
    return path


def test_a_given_is_read_from_a_file_beside_the_scenario(folder: Path) -> None:
    given = 'X = { file = "x.csv", axes = ["n", "d"] }\nW = { file = "w.npz", tensor = "W", decimals = 2, note = "N" }'
    path = written(folder, f"{given}\n[sizes]\nd = 2")
    scenario = load(path)

    assert scenario.givens["X"].given.entries == [Rational(1, 2), 1, 2, -3]
    assert scenario.givens["W"].given.entries == [Rational(1, 10), Rational(1, 4)]
    assert scenario.derivation["X"].shape.columns.name == "d"
    text = derive(scenario).render(language="en")
    assert "From the file x.csv: the numbers are taken exactly as they are written there." in text
    assert "From the file w.npz, tensor W (float64): each number is rounded to 2 decimals, and exactly this" in text
    assert "0.5 & 1\\\\\n2 & -3" in text
    assert "0.10\\\\\n0.25" in text
    assert "**Note:** N" in text


def test_a_file_in_a_folder_below_is_read_as_the_binary_fractions_it_holds(folder: Path) -> None:
    scenario = load(written(folder, 'X = { file = "deep/x.npy" }\nW = { file = "w.npz", tensor = "W" }'))

    assert scenario.givens["W"].given.entries[0] == Rational(*(0.1).as_integer_ratio())
    text = derive(scenario).render(language="en")
    assert "0.100000\\\\\n0.250000" in text
    assert "(float64): each number is the binary floating-point number itself" in text
    assert "From the file w.npz, tensor W (float64)." in text


def test_a_closed_form_is_shown_of_decimals_and_not_of_binary_fractions(folder: Path) -> None:
    np.save(folder / "w.npy", np.array([[0.3], [0.7]], dtype=np.float32))
    texts = {
        decimals: derive(written(folder, f'X = [["1/7", "1"], ["0", "1"]]\nW = {{ file = "w.npy"{decimals} }}')).render(
            language="en"
        )
        for decimals in ("", ", decimals = 2")
    }

    assert "Without rounding" not in texts[""]
    assert "Without rounding" in texts[", decimals = 2"]


@pytest.mark.parametrize("file", [
    "../x.csv", "/etc/passwd", "deep/../../x.csv", "..\\\\x.csv", "C:\\\\x.csv", "//server/x.csv", "link/x.csv",
    "link.csv",
])  # fmt: skip
def test_no_scenario_reaches_out_of_its_folder(
    folder: Path, tmp_path_factory: pytest.TempPathFactory, file: str
) -> None:
    outside = tmp_path_factory.mktemp("outside")
    (outside / "x.csv").write_text("1,2\n")
    (folder / "link").symlink_to(outside)
    (folder / "link.csv").symlink_to(outside / "x.csv")

    with pytest.raises(ScenarioError, match=r"given\.X\.file: .* leads out of the folder of the scenario"):
        load(written(folder, f'X = {{ file = "{file}" }}\nW = [["1"], ["2"]]'))


@pytest.mark.parametrize(("given", "message"), [
    ('X = { file = "ragged.csv" }', ".file: {at}ragged.csv, line 2: has 1 number, line 1 has 2: expected rows of one"),
    ('X = { file = "words.csv" }', ".file: {at}words.csv, line 2, column 1: number 'foo': 'foo' is not a"),
    ('X = { file = "fake.npy" }', ".file: {at}fake.npy: is no array of NumPy: EOF: reading magic string, expected 8"),
    ('X = { file = "none.npy" }', ".file: {at}none.npy: cannot be read: No such file or directory"),
    ('X = { file = "w.npz", tensor = "Q" }', ".tensor: {at}w.npz: unknown tensor 'Q': known: W, big"),
    ('X = { file = "w.npz" }', ".file: {at}w.npz: holds 2 tensors: say which one is meant (tensor = …)"),
    ('X = { file = "x.pt" }', ".file: {at}x.pt: the wrong type of file: expected a name that ends in"),
    ('X = { file = 3 }', ".file: expected a text in quotes, came the number 3"),
    ('X = { file = "x.csv", tensor = "X" }', ".tensor: {at}x.csv: holds one matrix without a name"),
    ('X = { file = "x.csv", decimals = 51 }', ".decimals: expected a whole number from 0 to 50, came the number"),
    ('X = { file = "x.csv", value = [["1"]] }', ".value: expected either value or file, came both"),
    ('X = { file = "x.csv", rounded = true }', ".rounded: unknown key 'rounded': known: axes"),
    ('X = { file = "x.csv", axes = ["n"] }', ".axes: "),
])  # fmt: skip
def test_what_is_wrong_is_told_with_line_and_key(folder: Path, given: str, message: str) -> None:
    with pytest.raises(ScenarioError) as caught:
        load(written(folder, f'{given}\nW = [["1"], ["2"]]'))

    assert f"line 4, given.X{message.format(at=f'{folder}/')}" in str(caught.value)


def test_a_scenario_that_is_no_file_names_none() -> None:
    with pytest.raises(ScenarioError, match="a scenario that is no file itself has no folder to look for files in"):
        loads(f'{HEAD}X = {{ file = "x.csv" }}\nW = [["1"], ["2"]]{TAIL}')


def test_all_files_of_a_scenario_together_meet_a_named_limit(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = written(folder, 'X = { file = "x.csv" }\nW = { file = "w.npz", tensor = "W" }')
    monkeypatch.setattr(limits, "GIVEN_ENTRIES", 5)

    with pytest.raises(ScenarioError, match=r"given\.W\.file: .* more than GIVEN_ENTRIES = 5 numbers"):
        load(path)


def test_validate_reads_the_files_too_and_goes_on_after_one_that_is_missing(folder: Path) -> None:
    path = written(folder, 'X = { file = "none.csv" }\nW = { file = "w.npz", tensor = "W" }\nV = [["1"], ["2", "3"]]')

    assert [finding.key for finding in validate(path)] == ["given.X.file", "given.V[2]"]
