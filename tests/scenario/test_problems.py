"""Everything that is wrong with a file is told in one run, each mistake once, and nothing that only follows from it."""

from __future__ import annotations

from random import Random

import pytest

from symattn import limits
from symattn.errors import FormulaError, ScenarioError, ShapeError
from symattn.scenario.lines import key_text
from symattn.scenario.load import examine, loads

HEAD = 'title = "t"\ntokens = ["a", "b"]\n[given]\nX = [["1", "2"], ["3", "4"]]\n'


def problems(text: str) -> list[tuple[str, str]]:
    """The key and the beginning of the sentence of everything that is wrong."""
    scenario, found = examine(text, "lesson", "lesson.toml")
    assert (scenario is None) == bool(found)
    return [(key_text(problem.key), problem.message) for problem in found]


def keys(text: str) -> list[str]:
    return [key for key, _ in problems(text)]


def section(*items: str) -> str:
    return HEAD + '[[section]]\ntitle = "s"\nsteps = [' + ", ".join(items) + "]\n"


def test_a_good_file_has_no_problems() -> None:
    assert problems(section('"A = softmax(X)"')) == []


MANY = """
titel = "My head"
tokens = ["the", "cat"]
[sizes]
n = 5
[given]
X = [["1", "0"], ["0", "1"]]
Y = [["1", "0"], ["0"], ["1", "2", "3"]]
V = [[0.1, 0.2], ["x", "a"]]
Z0 = [["0", "0"]]
[[section]]
title = "A {B} and {C}"
number = "1."
steps = [
  "A = softmax(X @ Y)",
  "C = X @ Z0",
  { step = "D = cosine(X, Z0)", note.fr = "x", decimals = 0 },
  "F = D + X",
  "G = sofmax(X)",
  { show = "C", form = "genral" },
  { unfold = "Q" },
]
why.en = "{F}"
why.zh-Hant = "{X[9,9]}"
why.zh-Hans = "{token:3}"
[notation]
X = "tilde("
[printed]
X = [["1", "x"], ["y"]]
[reasons]
F = "so"
[code]
languages = ["c", "d"]
[[claim]]
says = "one"
about = "{X[3,3]}"
value = "X[3,3]"
[figures]
scope = "row"
ties = "up"
"""


def test_all_that_is_wrong_in_every_part_of_a_file() -> None:
    assert sorted(keys(MANY)) == sorted(
        [
            "titel",
            "sizes.n",
            "given.Y[2]",
            "given.Y[3]",
            "given.V[1][1]",
            "given.V[2][1]",
            "given.V[2][2]",
            "section[1].number",
            "section[1].title",
            "section[1].steps[2]",
            "section[1].steps[3].decimals",
            "section[1].steps[3].note.fr",
            "section[1].steps[4]",
            "section[1].steps[5]",
            "section[1].steps[6].form",
            "section[1].steps[7].unfold",
            "section[1].why.zh-Hant",
            "section[1].why.zh-Hans",
            "notation.X",
            "printed.X[1][2]",
            "printed.X[2][1]",
            "code.languages[1]",
            "code.languages[2]",
            "claim[1].about",
            "figures.scope",
            "figures.ties",
            "claim[1].says",
        ]
    )


NO_ECHO = {
    "a step that rests on a broken one": section('"A = X @@ X"', '"B = A @ X"', '"C = B + X"'),
    "words about a broken step": section('"A = X @@ X"', '{ note = "see {A} and {A[1,1]} and {math: A @ X}" }'),
    "a broken step shown, unfolded and programmed": section(
        '"A = X @@ X"', '{ show = "A" }', '{ unfold = "A" }', '{ listing = "r", of = "A" }', '"B = A"'
    ),
    "options of a broken step": section('{ step = "A = X @@ X", works = [1, 1], note = "{A}" }'),
    "a broken step in other parts": section('"A = X @@ X"')
    + '[notation]\nA = "B"\n[printed]\nA = [["1"]]\n[reasons]\nA = "so"\n[code]\nof = ["A"]\n'
    + '[[claim]]\nsays = "1"\nabout = "x"\nvalue = "A[1,1]"\n',
    "a broken given": section('"A = X @ Y"', '"B = A.T"').replace("[[section]]", 'Y = [["?"]]\n[[section]]'),
    "a broken size": section('"A = X / sqrt(d)"').replace("[given]", "[sizes]\nd = 0\n[given]"),
    "a broken quantity": section('{ quantity = "N = Y" }', '{ quantity = "M = 2 * N" }', '{ note = "{M} {N}" }'),
    "a broken prove beside it": section('"A = X @@ X"', '{ prove = ["A @ X", "A @ X"] }'),
    "a name that nobody knows": section('"A = X + P"', '"B = X @ P"', '{ note = "{P}" }'),
    "a whole table of another kind": HEAD.replace("[given]\nX = ", "given = ") + '[[section]]\ntitle = "{X}"\n',
    "a misspelled table": section('"A = softmax(X)"').replace("[given]", "[givens]"),
    "a misspelled key": section('{ stp = "A = X" }', '"B = A"'),
    "two mistakes in an item, the second gone with the first": section('{ stp = "A = X", note = "x" }', '"B = A"'),
    "a use of a broken given": section('{ use = "similarity" }', '"B = A"').replace('["3", "4"]', '["3"]'),
    "a use that is none": section('{ use = "atention" }', '"B = O"', '{ show = "A" }'),
    "tokens that are none": section('"A = ones(n, 2) + X"').replace('["a", "b"]', '["a", 3]'),
}


@pytest.mark.parametrize("case", NO_ECHO)
def test_what_only_follows_from_a_mistake_is_not_told(case: str) -> None:
    assert len(problems(NO_ECHO[case])) == 1, problems(NO_ECHO[case])


def test_a_step_after_a_broken_one_is_still_looked_at() -> None:
    assert keys(section('"A = X @@ X"', '"B = sofmax(X)"', '{ note.fr = "x" }')) == [
        "section[1].steps[3].note.fr",
        "section[1].steps[1]",
        "section[1].steps[2]",
    ]


def test_order_of_definition_is_one_mistake() -> None:
    assert problems(section('"B = A @ X"', '"A = X.T"', '"C = A @ X"')) == [
        ("section[1].steps[1]", problems(section('"B = A @ X"', '"A = X.T"'))[0][1])
    ]


def test_loading_tells_the_first_and_how_many_more() -> None:
    with pytest.raises(FormulaError, match=r"unknown function 'sofmax'.*; and 2 more problems: symattn validate lists"):
        loads(section('"A = sofmax(X)"', '"B = X @ row(X, 1)"', '{ show = "Q" }'))
    with pytest.raises(ShapeError, match=r"; and 1 more problem: symattn validate lists them\Z"):
        loads(section('"B = X @ row(X, 1)"', '{ show = "Q" }'))
    with pytest.raises(ScenarioError, match=r"known: X\Z"):
        loads(section('{ show = "Q" }'))


def test_no_more_problems_are_told_than_anybody_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "PROBLEMS", 3)
    many = section(*(f'"A{i} = X @ row(X, 1)"' for i in range(9)))
    assert len(problems(many)) == 3
    floats = HEAD + "Y = [" + '["a", "b"], ' * 9 + "]\n"
    assert len(problems(floats)) == 3


def test_many_problems_take_no_time(within: object) -> None:
    with within(3):  # type: ignore[operator]
        found = problems(section(*(f'"A{i} = softmax(X{i} @ Y{i})"' for i in range(400))))
    assert len(found) == limits.PROBLEMS


def test_whatever_is_wrong_with_a_file_it_is_told_and_nothing_else_comes_out() -> None:
    """Pieces of scenarios, put together wrongly."""
    draw = Random(5)
    texts = [MANY, *NO_ECHO.values()]
    pieces = [
        "= 3",
        "= []",
        "= {}",
        '= "x"',
        "[[",
        "]",
        "{",
        '"',
        "=",
        "\n",
        "0.5",
        '"A = X"',
        "use",
        "note",
        "steps",
        "X",
    ]
    for _ in range(400):
        text = draw.choice(texts)
        for _ in range(draw.randint(1, 5)):
            at = draw.randrange(len(text))
            if draw.random() < 0.5:
                lines = text.split("\n")
                lines.insert(draw.randrange(len(lines)), lines.pop(draw.randrange(len(lines))))
                text = "\n".join(lines)
            else:
                text = text[:at] + draw.choice(pieces) + text[at + draw.randint(0, 20) :]
        scenario, found = examine(text, "lesson", "lesson.toml")
        assert (scenario is None) == bool(found)
        for problem in found:
            assert "\n" not in str(problem.finding("lesson.toml", text))


def test_that_floats_are_none_is_said_once() -> None:
    assert keys(HEAD + "Y = [[0.1, 0.2], [0.3, 0.4]]\n") == ["given.Y[1][1]"]


def test_too_many_steps_stop_everything() -> None:
    assert keys(section(*['"A = X @@ X"'] * 501)) == ["section[1]"]


def test_sizes_of_a_quantity_that_is_wrong_itself_are_not_told_of() -> None:
    text = 'title = "t"\n[[section]]\ntitle = "s"\nsteps = [{ quantity = "N = m ^ ", at = [{ m = 3 }] }]\n'

    (problem,) = examine(text, "lesson", "lesson.toml")[1]

    assert "m ^" in problem.message
