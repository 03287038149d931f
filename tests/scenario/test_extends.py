"""A scenario that goes on where another one ends."""

from __future__ import annotations

from pathlib import Path

import pytest

import symattn
from symattn.base import limits
from symattn.base.errors import ScenarioError, SymattnError
from symattn.read.scenario.load import files_behind, load, loads

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


def test_it_takes_what_the_other_starts_from_and_works_out(folder: Path) -> None:
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


def test_what_the_other_says_of_itself_stays_there(folder: Path) -> None:
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


def test_a_file_may_extend_one_that_extends_another(folder: Path) -> None:
    more(folder, 'title = "B"\nextends = "base.toml"\n[[section]]\ntitle = "s"\nsteps = ["Z = Y @ Y"]', "b.toml")
    scenario = load(more(folder, 'title = "C"\nextends = "b.toml"\n[[section]]\ntitle = "t"\nsteps = ["A = Z @ Y"]'))

    assert [step.name for step in scenario.derivation.steps][-3:] == ["Y", "Z", "A"]


def test_a_file_that_it_rests_on_is_watched(folder: Path) -> None:
    path = more(folder, 'title = "More"\nextends = { scenario = "base.toml" }')

    assert [each.name for each in files_behind(path)] == ["more.toml", "base.toml"]


def told(path: str) -> str:
    with pytest.raises(SymattnError) as error:
        load(path)
    return str(error.value).removeprefix(str(Path(path).parent) + "/").replace(str(Path(path).parent) + "/", "")


@pytest.mark.parametrize(
    ("key", "sentence"),
    [
        ('"wether"', "unknown scenario 'wether': did you mean 'weather'?"),
        ('"gone.toml"', "'gone.toml': cannot be read: No such file or directory"),
        ('"../base.toml"', "'../base.toml': '../base.toml' leads out of the folder of the scenario"),
        ("3", 'expected the name of a scenario, such as "weather", came the number 3'),
        ("{ shown = false }", "extends.scenario: missing: this key is required"),
        ('{ scenario = "base.toml", hide = true }', "unknown key 'hide'"),
        ('"more.toml"', "more.toml extends more.toml: expected an end"),
    ],
)
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
