"""The wording of what goes wrong in a scenario file: what was being built, what came, what clashes, what to try."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from symattn import derive
from symattn.catalogue import entries
from symattn.errors import SymattnError
from symattn.scenario.load import loads
from tests.conftest import ROOT

HEAD = 'title = "t"\ntokens = ["the", "cat"]\n'
GIVEN = (
    HEAD
    + '[sizes]\nd_k = 3\n[given]\nX = [["1", "2", "3"], ["4", "5", "6"]]\n'
    + 'W = [["1", "0"], ["0", "1"], ["1", "1"]]\nb = [["1", "2", "3"]]\n'
)
STEP = "lesson.toml, line 11, section[1].steps[1]"


def steps(*items: str) -> str:
    return f'{GIVEN}[[section]]\ntitle = "s"\nsteps = [{", ".join(items)}]\n'


ENTRIES = ", ".join(sorted(entry.name for entry in entries()))

PLACEHOLDERS = {"$STEP": STEP, "$ENTRIES": ENTRIES, "$GIVEN": GIVEN, "$HEAD": HEAD}


def filled(text: str) -> str:
    for name, stands_for in PLACEHOLDERS.items():
        text = text.replace(name, stands_for)
    return text


CASES = tomllib.loads((ROOT / "tests" / "messages.toml").read_text(encoding="utf-8"))
MESSAGES = [(steps(items), filled(message)) for items, message in CASES["steps"].items()]
MESSAGES += [(filled(text), f"lesson.toml, {filled(message)}") for text, message in CASES["files"].items()]
MESSAGES += [
    (
        "tokens = [" + '"a",' * 100_001 + "]\ntitle = 't'\n",
        "lesson.toml, line 1, tokens: expected at most LABELS = 100000 in the list, came 100001",
    ),
    (
        HEAD + "[sizes]\n" + "".join(f"a{i} = 1\n" for i in range(501)),
        "lesson.toml, line 3, sizes: more than SCENARIO_STEPS = 500 sizes, givens, sections and steps",
    ),
]


@pytest.mark.parametrize(
    ("text", "message"), MESSAGES, ids=[message.removeprefix("lesson.toml, ")[:80] for _, message in MESSAGES]
)
def test_what_went_wrong_and_what_to_try(text: str, message: str) -> None:
    with pytest.raises(SymattnError) as error:
        loads(text, path="lesson.toml")
    assert str(error.value) == message


FILES = {
    "ragged.csv": (b"1,2\n3\n", "ragged.csv, line 2: has 1 number, line 1 has 2: expected rows of one length"),
    "words.csv": (
        b"1,2\nfoo,4\n",
        "words.csv, line 2, column 1: number 'foo': 'foo' is not a number; write digits, fractions, sqrt(…) and powers",
    ),
    "fake.npy": (b"hello", "fake.npy: is no array of NumPy: EOF: reading magic string, expected 8 bytes got 5"),
    "missing.npz": (None, "missing.npz: cannot be read: No such file or directory"),
    "model.pt": (
        b"PK",
        "model.pt: the wrong type of file: expected a name that ends in .csv, .npy, .npz or .safetensors; a PyTorch "
        "file is written anew with safetensors.torch.save_file",
    ),
}


@pytest.mark.parametrize("name", FILES)
def test_what_is_wrong_with_a_file_of_numbers(name: str, tmp_path: Path) -> None:
    content, message = FILES[name]
    if content is not None:
        (tmp_path / name).write_bytes(content)
    lesson = tmp_path / "lesson.toml"
    lesson.write_text(f'{HEAD}[given]\nX = {{ file = "{name}" }}\n', encoding="utf-8")
    with pytest.raises(SymattnError) as error:
        derive(lesson)
    assert str(error.value).replace(f"{tmp_path}/", "") == f"lesson.toml, line 4, given.X.file: {message}"
