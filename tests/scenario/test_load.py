"""Scenario files: the real ones, files that are none, files that others go on from, and arrays in files beside them."""

from __future__ import annotations

import os
from dataclasses import FrozenInstanceError
from pathlib import Path

import numpy as np
import pytest
from sympy import Rational

import symattn
from symattn.api.validation import validate
from symattn.api.worked import derive
from symattn.base import limits
from symattn.base.errors import ScenarioError, SymattnError, UnknownNameError
from symattn.read.scenario.build import section_numbers
from symattn.read.scenario.load import files_behind, load, loads

GIVEN = 'title = "t"\n[given]\nX = [["1", "2"], ["3", "4"]]\n'
SECTION = GIVEN + '[[section]]\ntitle = "s"\n'


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


@pytest.mark.parametrize(("written", "numbers"), [
    ([], []),
    ([None, None, None], ["1", "2", "3"]),
    (["1", "1-1", None, None], ["1", "1-1", "2", "3"]),
    (["A", "A-1", None], ["A", "A-1", "1"]),
    (["7", None], ["7", "8"]),
])  # fmt: skip
def test_section_numbers(written: list[str | None], numbers: list[str]) -> None:
    assert section_numbers(written) == numbers


# -- what is refused ---------------------------------------------------------------------------------------------


def test_everything_with_a_name_is_counted() -> None:
    def text(shown: int) -> str:
        return f"{GIVEN}[sizes]\nd = 1\n[[section]]\ntitle = 's'\nsteps = [" + "'X'," * shown + "]"

    assert len(loads(text(497)).sections[0].items) == 497
    with pytest.raises(ScenarioError, match="SCENARIO_STEPS"):
        loads(text(498))


def test_an_unknown_scenario() -> None:
    with pytest.raises(UnknownNameError) as error:
        load("wether")
    assert str(error.value) == (
        "unknown scenario 'wether': did you mean 'weather'? known: backward, bank, good, ironman, journey, "
        "refund, training, weather; a file of your own is given by a path that ends in .toml"
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


# -- A scenario that goes on where another one ends --------------------------------------------------------------------


BASE = """
title = "Base"
language = "zh-Hant"
tokens = ["a", "b"]
token_axis = "m"
symbols = ["s"]
loss = "mse(Y, X)"
[sizes]
d = 2
[labels]
side = ["left", "right"]
[given.X]
axes = ["m", "side"]
value = [["1", "2"], ["3", "4"]]
[given]
W = [["1", "0"], ["0", "s"]]
[substitute]
s = "2"
[notation]
Y = "tilde(X)"
[figures]
decimals = 3
[printed]
X = [["1", "2"], ["3", "5"]]
[[section]]
title = "First"
intro = "Of {X}."
steps = ["Y = X @ W", { show = "Y" }, { note = "A note." }]
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "base.toml").write_text(BASE, encoding="utf-8")
    return tmp_path


def more(folder: Path, text: str, name: str = "more.toml") -> str:
    (folder / name).write_text(text, encoding="utf-8")
    return str(folder / name)


def test_it_takes_what_the_other_starts_from_and_not_what_it_says_of_itself(folder: Path) -> None:
    scenario = load(
        more(folder, 'title = "More"\nextends = "base.toml"\n[[section]]\ntitle = "On"\nsteps = ["Z = Y @ Y"]')
    )

    assert (scenario.language, scenario.tokens, scenario.token_axis) == ("zh-Hant", ("a", "b"), "m")
    assert dict(scenario.sizes)["d"] == 2
    assert scenario.labels["side"] == ("left", "right")
    assert set(scenario.notation) == {"Y"}
    assert scenario.style.decimals == 3
    assert [section.number for section in scenario.sections] == ["1", "2"]
    assert symattn.derive(scenario).decimals("Z", 0) == (("13", "36"), ("27", "76"))
    scenario = load(more(folder, 'title = "More"\nextends = "base.toml"'))
    assert scenario.title_in() == "More"
    assert dict(scenario.printed) == {}
    assert "L" not in scenario.derivation.by_name


def test_ones_own_holds(folder: Path) -> None:
    text = 'title = "More"\nextends = "base.toml"\nlanguage = "en"\n[given]\nW = [["0", "1"], ["1", "0"]]'
    scenario = load(more(folder, text))
    assert scenario.language == "en"
    assert symattn.derive(scenario).decimals("Y", 0) == (("2", "1"), ("4", "3"))


def test_what_is_not_shown_is_worked_out(folder: Path) -> None:
    text = """
title = "More"
language = "en"
extends = { scenario = "base.toml", shown = false }
[[section]]
title = "On"
steps = [{ show = "Y" }, "Z = Y @ Y"]
"""
    solution = symattn.derive(more(folder, text))
    page = solution.render()

    assert [section.number for section in solution.scenario.sections] == ["0", "1"]
    assert "First" not in page
    assert "A note." not in page
    assert "## 1 On" in page
    assert "WX" not in page
    assert solution.decimals("Y", 0) == (("1", "4"), ("3", "8"))


def test_givens_of_steps_that_are_not_shown_stand_where_they_are_used(folder: Path) -> None:
    head = 'title = "t"\nextends = { scenario = "base.toml", shown = false }\n'
    text = f'{head}[[section]]\ntitle = "On"\nsteps = ["Z = Y @ W"]'
    sections = load(more(folder, text)).sections
    assert [item.name for item in sections[1].items] == ["W", "Z"]


def test_a_file_may_extend_one_that_extends_another_and_is_watched(folder: Path) -> None:
    more(folder, 'title = "B"\nextends = "base.toml"\n[[section]]\ntitle = "s"\nsteps = ["Z = Y @ Y"]', "b.toml")
    scenario = load(more(folder, 'title = "C"\nextends = "b.toml"\n[[section]]\ntitle = "t"\nsteps = ["A = Z @ Y"]'))
    assert [step.name for step in scenario.derivation.steps][-3:] == ["Y", "Z", "A"]
    path = more(folder, 'title = "More"\nextends = { scenario = "base.toml" }')
    assert [each.name for each in files_behind(path)] == ["more.toml", "base.toml"]


def told(path: str) -> str:
    with pytest.raises(SymattnError) as error:
        load(path)
    return str(error.value).removeprefix(str(Path(path).parent) + "/").replace(str(Path(path).parent) + "/", "")


@pytest.mark.parametrize(("key", "sentence"), [
    ('"wether"', "unknown scenario 'wether': did you mean 'weather'?"),
    ('"gone.toml"', "'gone.toml': cannot be read: No such file or directory"),
    ('"../base.toml"', "'../base.toml': '../base.toml' leads out of the folder of the scenario"),
    ("3", 'expected the name of a scenario, such as "weather", came the number 3'),
    ("{ shown = false }", "extends.scenario: missing: this key is required"),
    ('{ scenario = "base.toml", hide = true }', "unknown key 'hide'"),
    ('"more.toml"', "more.toml extends more.toml: expected an end"),
])  # fmt: skip
def test_what_cannot_be_extended_is_told(folder: Path, key: str, sentence: str) -> None:
    found = told(more(folder, f'title = "More"\nextends = {key}\n[[section]]\ntitle = "s"\nsteps = ["Z = Y @ Y"]'))
    assert found.startswith("more.toml, line 2, extends")
    assert sentence in found
    assert "more problem" not in found  # the names that would have come with it are no problems of their own


def test_circles_and_long_rows_are_told(folder: Path) -> None:
    more(folder, 'title = "B"\nextends = "c.toml"', "b.toml")
    assert "b.toml extends c.toml extends b.toml: expected an end" in told(
        more(folder, 'title = "C"\nextends = "b.toml"', "c.toml")
    ).replace("c.toml extends b.toml extends c.toml", "b.toml extends c.toml extends b.toml")
    for number in range(limits.EXTENDED + 1):
        more(folder, f'title = "t"\nextends = "r{number + 1}.toml"', f"r{number}.toml")
    more(folder, 'title = "t"', f"r{limits.EXTENDED + 1}.toml")
    assert f"more than EXTENDED = {limits.EXTENDED} scenarios" in told(str(folder / "r0.toml"))


def test_what_is_wrong_is_told_where_it_stands(folder: Path) -> None:
    own = 'title = "More"\nextends = "base.toml"\n[[section]]\ntitle = "On"\nsteps = [\n  "Z = Y @ Q",\n]'
    assert told(more(folder, own)).startswith("more.toml, line 6, section[1].steps[1]: ")
    assert told(more(folder, own.replace('"On"', '"{Q}"').replace(" @ Q", ""))).startswith("more.toml, line 4, ")
    numbered = own.replace(" @ Q", "").replace('"On"', '"On"\nnumber = "?"')
    assert told(more(folder, numbered)).startswith("more.toml, line 5, section[1].number: ")
    (folder / "base.toml").write_text(BASE.replace('"3", "4"', '"3"'), encoding="utf-8")
    assert "more.toml, line 2, extends: base.toml, line 14, given.X.value" in told(more(folder, own))


def test_a_text_without_a_folder_extends_built_in_scenarios_only() -> None:
    assert "LN_2" in loads('title = "t"\nextends = "weather"').derivation.by_name
    with pytest.raises(ScenarioError, match="has no folder"):
        loads('title = "t"\nextends = "base.toml"')


def test_gradients_and_uses_of_the_other_are_worked_out_too(folder: Path) -> None:
    base = load("backward")
    hidden = 'extends = { scenario = "backward", shown = false }\n[[backward]]\nwrt = "X"'
    on = load(more(folder, f'title = "More"\n{hidden}'))
    assert symattn.derive(on).decimals("dX", 3) == symattn.derive(base).decimals("dX", 3)

    whole = load(more(folder, 'title = "More"\nextends = "backward"'))
    assert [each.items for each in whole.sections] == [each.items for each in base.sections[: len(whole.sections)]]

    used = (
        'title = "U"\n[given]\nX = [["1"]]\ngamma = [["1"]]\n[[section]]\ntitle = "s"\nsteps = [{ use = "rms_norm" }]'
    )
    more(folder, used, "used.toml")
    assert "Y" in load(more(folder, 'title = "More"\nextends = "used.toml"')).derivation.by_name


def test_a_gradient_of_the_other_that_cannot_be_is_told_at_extends(folder: Path) -> None:
    with pytest.raises(SymattnError, match=r"more\.toml, line 2, extends: dZ is defined twice"):
        load(more(folder, 'title = "More"\nextends = "backward"\n[given]\ndZ = [["1"]]'))


# -- givens in files beside the scenario -------------------------------------------------------------------------------


TOKENS = 'title = "t"\ntokens = ["a", "b"]\n[given]\n'
PRODUCT = '\n[[section]]\ntitle = "s"\nsteps = ["Y = X @ W"]\n'


@pytest.fixture
def arrays(tmp_path: Path) -> Path:
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
    path.write_text(TOKENS + given + PRODUCT, encoding="utf-8")
    return path


def test_a_given_is_read_from_a_file_beside_the_scenario(arrays: Path) -> None:
    given = 'X = { file = "x.csv", axes = ["n", "d"] }\nW = { file = "w.npz", tensor = "W", decimals = 2, note = "N" }'
    path = written(arrays, f"{given}\n[sizes]\nd = 2")
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


def test_a_file_in_a_folder_below_is_read_as_the_binary_fractions_it_holds(arrays: Path) -> None:
    scenario = load(written(arrays, 'X = { file = "deep/x.npy" }\nW = { file = "w.npz", tensor = "W" }'))
    assert scenario.givens["W"].given.entries[0] == Rational(*(0.1).as_integer_ratio())
    text = derive(scenario).render(language="en")
    assert "0.100000\\\\\n0.250000" in text
    assert "(float64): each number is the binary floating-point number itself" in text
    assert "From the file w.npz, tensor W (float64)." in text


def test_a_closed_form_is_shown_of_decimals_and_not_of_binary_fractions(arrays: Path) -> None:
    np.save(arrays / "w.npy", np.array([[0.3], [0.7]], dtype=np.float32))
    given = 'X = [["1/7", "1"], ["0", "1"]]\nW = {{ file = "w.npy"{} }}'
    binary, decimal = (
        derive(written(arrays, given.format(more))).render(language="en") for more in ("", ", decimals = 2")
    )
    assert "Without rounding" not in binary
    assert "Without rounding" in decimal


@pytest.mark.parametrize("file", [
    "../x.csv", "/etc/passwd", "deep/../../x.csv", "..\\\\x.csv", "C:\\\\x.csv", "//server/x.csv", "link/x.csv",
    "link.csv",
])  # fmt: skip
def test_no_scenario_reaches_out_of_its_folder(
    arrays: Path, tmp_path_factory: pytest.TempPathFactory, file: str
) -> None:
    outside = tmp_path_factory.mktemp("outside")
    (outside / "x.csv").write_text("1,2\n")
    (arrays / "link").symlink_to(outside)
    (arrays / "link.csv").symlink_to(outside / "x.csv")
    with pytest.raises(ScenarioError, match=r"given\.X\.file: .* leads out of the folder of the scenario"):
        load(written(arrays, f'X = {{ file = "{file}" }}\nW = [["1"], ["2"]]'))


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
def test_what_is_wrong_is_told_with_line_and_key(arrays: Path, given: str, message: str) -> None:
    with pytest.raises(ScenarioError) as caught:
        load(written(arrays, f'{given}\nW = [["1"], ["2"]]'))
    assert f"line 4, given.X{message.format(at=f'{arrays}/')}" in str(caught.value)


def test_a_scenario_that_is_no_file_names_none() -> None:
    with pytest.raises(ScenarioError, match="a scenario that is no file itself has no folder to look for files in"):
        loads(f'{TOKENS}X = {{ file = "x.csv" }}\nW = [["1"], ["2"]]{PRODUCT}')


def test_all_files_of_a_scenario_together_meet_a_named_limit(arrays: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = written(arrays, 'X = { file = "x.csv" }\nW = { file = "w.npz", tensor = "W" }')
    monkeypatch.setattr(limits, "GIVEN_ENTRIES", 5)
    with pytest.raises(ScenarioError, match=r"given\.W\.file: .* more than GIVEN_ENTRIES = 5 numbers"):
        load(path)


def test_validate_reads_the_files_too_and_goes_on_after_one_that_is_missing(arrays: Path) -> None:
    path = written(arrays, 'X = { file = "none.csv" }\nW = { file = "w.npz", tensor = "W" }\nV = [["1"], ["2", "3"]]')
    assert [finding.key for finding in validate(path)] == ["given.X.file", "given.V[2]"]
