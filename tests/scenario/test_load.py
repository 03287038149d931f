"""Loading: the three real scenarios, files that are none, and that nothing but our own errors comes out."""

from __future__ import annotations

import os
from dataclasses import FrozenInstanceError
from pathlib import Path

import pytest

from symattn.base import limits
from symattn.base.errors import ScenarioError, UnknownNameError
from symattn.read.scenario.build import section_numbers
from symattn.read.scenario.load import load, loads

HEAD = 'title = "t"\n[given]\nX = [["1", "2"], ["3", "4"]]\n'
SECTION = HEAD + '[[section]]\ntitle = "s"\n'


# -- the real ones -----------------------------------------------------------------------------------------------


def test_nothing_can_be_changed() -> None:
    scenario = load("weather")
    with pytest.raises(FrozenInstanceError):
        scenario.name = "other"  # type: ignore[misc]
    for mapping in (
        scenario.sizes,
        scenario.labels,
        scenario.givens,
        scenario.notation,
        scenario.printed,
        scenario.reasons,
        scenario.derivation.sizes,
        scenario.title.texts,
        scenario.keys,
    ):
        with pytest.raises(TypeError):
            mapping["x"] = None  # type: ignore[index]


def test_the_place_of_a_name() -> None:
    scenario = loads(SECTION + 'steps = [\n  "Y = X.T",\n  { step = "Z = Y" } ]', path="l.toml")
    assert scenario.place("X") == "l.toml, line 3, given.X"
    assert scenario.place("Y") == "l.toml, line 7, section[1].steps[1]"
    assert scenario.place("Z") == "l.toml, line 8, section[1].steps[2].step"
    with pytest.raises(UnknownNameError, match="unknown name 'Q': known: X, Y, Z"):
        scenario.place("Q")


@pytest.mark.parametrize(
    ("written", "numbers"),
    [
        ([], []),
        ([None, None, None], ["1", "2", "3"]),
        (["1", "1-1", None, None], ["1", "1-1", "2", "3"]),
        (["A", "A-1", None], ["A", "A-1", "1"]),
        (["7", None], ["7", "8"]),
    ],
)
def test_section_numbers(written: list[str | None], numbers: list[str]) -> None:
    assert section_numbers(written) == numbers


# -- what is refused ---------------------------------------------------------------------------------------------


def test_everything_with_a_name_is_counted() -> None:
    def text(shown: int) -> str:
        return f"{HEAD}[sizes]\nd = 1\n[[section]]\ntitle = 's'\nsteps = [" + "'X'," * shown + "]"

    assert len(loads(text(497)).sections[0].items) == 497
    with pytest.raises(ScenarioError, match="SCENARIO_STEPS"):
        loads(text(498))


def test_an_unknown_scenario() -> None:
    with pytest.raises(UnknownNameError) as error:
        load("wether")
    assert str(error.value) == (
        "unknown scenario 'wether': did you mean 'weather'? known: backward, good, ironman, journey, refund, "
        "training, weather; a file of your own is given by a path that ends in .toml"
    )


@pytest.mark.parametrize("name", ["", "../data/weather", "data/weather", "weather.tom", "/dev/zero", "weather\0"])
def test_only_names_and_toml_files(name: str) -> None:
    with pytest.raises(UnknownNameError):
        load(name)


def test_a_file_by_path_and_by_text(tmp_path: Path) -> None:
    path = tmp_path / "mine.TOML"
    path.write_bytes(b"\xef\xbb\xbf" + SECTION.replace("\n", "\r\n").encode() + b'steps = ["Y = X.T"]\r\n')
    for source in (path, str(path)):
        scenario = load(source)
        assert (scenario.name, scenario.path) == ("mine", str(path))
        assert scenario.place("Y") == f"{path}, line 6, section[1].steps[1]"


def test_files_that_cannot_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def message(path: str | Path) -> str:
        with pytest.raises(ScenarioError) as error:
            load(path)
        return str(error.value)

    monkeypatch.chdir(tmp_path)
    assert message("no.toml") == "no.toml: cannot be read: No such file or directory"
    assert message("weather.toml").endswith("; the built-in scenario is called weather, without .toml")
    (tmp_path / "folder.toml").mkdir()
    assert message("folder.toml") == "folder.toml: is a folder or a device, expected a file"
    (tmp_path / "latin.toml").write_bytes('title = "x"\nintro = "é"'.encode("latin-1"))
    assert message("latin.toml") == "latin.toml, line 2: is not UTF-8: byte 0xe9"
    assert message("a\0b.toml") == "'a\\x00b.toml': is not a path"
    assert message("a\ud800.toml").endswith((": is not a path", "No such file or directory"))
    os.mkfifo(tmp_path / "pipe.toml")
    assert message("pipe.toml") == "pipe.toml: is a folder or a device, expected a file"
    (tmp_path / "dangling.toml").symlink_to("nothing")
    assert message("dangling.toml") == "dangling.toml: cannot be read: No such file or directory"


def test_a_large_file_is_not_even_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "large.toml"
    with path.open("wb") as file:
        file.truncate(10_000_000)
    monkeypatch.setattr(Path, "open", lambda *_: pytest.fail("opened"))
    with pytest.raises(ScenarioError) as error:
        load(path)
    assert str(error.value) == f"{path}: is larger than FILE_BYTES = {limits.FILE_BYTES} bytes"
