"""The wording of what goes wrong in a scenario file: what was being built, what came, what clashes, what to try."""

from __future__ import annotations

import pytest

from symattn.errors import SymattnError
from symattn.scenario.load import loads

HEAD = 'title = "t"\ntokens = ["the", "cat"]\n'
GIVEN = (
    HEAD
    + '[sizes]\nd_k = 3\n[given]\nX = [["1", "2", "3"], ["4", "5", "6"]]\n'
    + 'W = [["1", "0"], ["0", "1"], ["1", "1"]]\nb = [["1", "2", "3"]]\n'
)
STEP = "lesson.toml, line 11, section[1].steps[1]"


def steps(*items: str) -> str:
    return f'{GIVEN}[[section]]\ntitle = "s"\nsteps = [{", ".join(items)}]\n'


MESSAGES = [
    # shapes
    (
        steps('"S = X @ X"'),
        f"{STEP}: step S: X @ X: X is (n=2, 3), X is (n=2, 3): the columns of the first are 3, the rows of the second "
        "n=2; did you mean X @ X.T?",
    ),
    (
        steps('"S = (X + X) @ X"'),
        f"{STEP}: step S: (X + X) @ X: X + X is (n=2, 3), X is (n=2, 3): the columns of the first are 3, the rows of "
        "the second n=2; did you mean (X + X) @ X.T?",
    ),
    (
        steps('"S = W.T @ b"'),
        f"{STEP}: step S: W.T @ b: W.T is (2, 3), b is (1, 3): the columns of the first are 3, the rows of the second "
        "1; did you mean W.T @ b.T?",
    ),
    (
        steps('"S = X + b"'),
        f"{STEP}: step S: X + b: X is (n=2, 3), b is (1, 3): rows differ, 2 and 1; broadcast(b, 2) has the rows",
    ),
    (
        steps('"S = X + W"'),
        f"{STEP}: step S: X + W: X is (n=2, 3), W is (3, 2): rows differ, 2 and 3; did you mean X + W.T?",
    ),
    (
        steps('"S = head(X, 1, 2)"'),
        f"{STEP}: step S: head(X, 1, 2): X is (n=2, 3): 2 heads do not divide the 3 columns evenly; a number of heads "
        "that does: 1, 3",
    ),
    (steps('"S = row(X, 3)"'), f"{STEP}: step S: row(X, 3): X is (n=2, 3): expected a row from 1 to 2"),
    (
        HEAD + '[given.X]\nvalue = [["1"]]\naxes = ["n", "1"]\n',
        "lesson.toml, line 5, given.X.axes[1]: expected n = 2 for the rows, came 1",
    ),
    # names
    (
        steps('"S = softmax(x)"'),
        f"{STEP}: step S: formula 'softmax(x)': unknown name 'x': did you mean 'X'? known: W, X, b, d_k, n",
    ),
    (steps('"2S = X"'), f"{STEP}: '2S' cannot name a matrix: expected a letter, then letters, digits and underscores "
        "(at most 40), and not the name of a function"),
    (steps('"X = W"'), f"{STEP}: X is already defined at given.X: give this one another name"),
    (steps('"X @ W"'), f"{STEP}: unknown name 'X @ W': known: W, X, b; a step is written name = formula"),
    # order
    (
        steps('"A = softmax(S)"', '"S = X @ W"'),
        f"{STEP}: step A: formula 'softmax(S)': unknown name 'S': known: W, X, b, d_k, n; S is defined later, at "
        "section[1].steps[2]",
    ),
    (
        steps('"A = A @ X"'),
        f"{STEP}: step A: formula 'A @ X': unknown name 'A': known: W, X, b, d_k, n; A cannot stand in its own formula",
    ),
    # syntax
    (
        steps('"S = softmax(X"'),
        f"{STEP}: step S: formula 'softmax(X': is not a formula: ( at character 8 is never closed",
    ),
    (
        steps('"S = X W"'),
        f"{STEP}: step S: formula 'X W': is not a formula: X and W stand side by side: write @ between matrices, "
        "* beside a number",
    ),
    (
        steps('"S = X × W"'),
        f"{STEP}: step S: formula 'X × W': is not a formula: × at character 3 has no place in a formula: write "
        "@ between matrices, * beside a number",
    ),
    (
        steps('"S = X * W"'),
        f"{STEP}: step S: formula 'X * W': X * W: the product of matrices is written with @: X @ W; entry by entry it "
        "is hadamard(X, W)",
    ),
    (
        steps('"S = X / X"'),
        f"{STEP}: step S: formula 'X / X': X / X: X is a matrix (n=2, 3), expected a number; entry by entry it is "
        "divide(X, X)",
    ),
    (
        steps('"S = X - 1"'),
        f"{STEP}: step S: formula 'X - 1': X - 1: X is a matrix (n=2, 3), 1 is a number: expected two matrices or two "
        "numbers; 1 * ones(n, 3) is the matrix with 1 everywhere",
    ),
    (
        steps('"S = 2 @ X"'),
        f"{STEP}: step S: formula '2 @ X': 2 @ X: 2 is a number, X is a matrix (n=2, 3): @ is for two matrices, with a "
        "number it is *",
    ),
    (
        steps('"S = X^T"'),
        f"{STEP}: step S: formula 'X^T': unknown name 'T': known: W, X, b, d_k, n; the transpose of X is written X.T",
    ),
    (
        steps('"S = X.t"'),
        f"{STEP}: step S: formula 'X.t': '.t' has no place here; the only attribute is .T, the transpose",
    ),
    (
        steps('"S = X[1]"'),
        f"{STEP}: step S: formula 'X[1]': 'X[1]' has no place here; a row is row(X, 1), some rows are rows(X, 1, 2)",
    ),
    (
        steps('"S = softmax(X, 1)"'),
        f"{STEP}: step S: formula 'softmax(X, 1)': softmax takes one value only: softmax(S)",
    ),
    (
        steps('"S = layer_norm(X, eps=1)"'),
        f"{STEP}: step S: formula 'layer_norm(X, eps=1)': unknown option of layer_norm 'eps': did you mean 'epsilon'? "
        "known: X, beta, epsilon, gamma",
    ),
    # ragged rows and numbers
    (
        HEAD + '[given]\nX = [["1", "2"], ["3"]]\n',
        "lesson.toml, line 4, given.X[2]: row 2 has length 1, row 1 has length 2: expected rows of one length",
    ),
    (
        HEAD + '[given]\nX = ["1", "2"]\n',
        "lesson.toml, line 4, given.X[1]: expected a row: a list of one or more numbers, came the text '1'; and 1 more "
        "problem: symattn validate lists them",
    ),
    (
        HEAD + "[given]\nX = [[0.5]]\n",
        "lesson.toml, line 4, given.X[1][1]: 0.5 is a binary float and no longer the number that was meant: write "
        '"0.5"',
    ),
    (
        HEAD + '[given]\nX = [["0,5"]]\n',
        "lesson.toml, line 4, given.X[1][1]: number '0,5': '0,5' has no place here; a comma stands between the values "
        "of a function; a decimal is written with a point, 0.5",
    ),
    (
        HEAD + '[given]\nX = [["√2"]]\n',
        "lesson.toml, line 4, given.X[1][1]: number '√2': is not a number: √ at character 1 has no place in a formula: "
        "write sqrt(…)",
    ),
    # options and entries
    (
        steps('{ step = "S = X", decimal = 2 }'),
        f"{STEP}.decimal: unknown key 'decimal': did you mean 'decimals'? known: because, decimals, note, step, works",
    ),
    (
        steps('{ show = "X", form = "vector" }'),
        f"{STEP}.form: unknown value 'vector': did you mean 'vectors'? known: entries, float64, general, printed, "
        "rows, values, vectors, weighted",
    ),
    (
        steps('{ step = "S = X", decimals = 99 }'),
        f"{STEP}.decimals: expected a whole number up to DIGITS = 50, came the number 99",
    ),
    (
        steps('{ use = "similarity", with = { mask = "casual" } }'),
        f"{STEP}.use: similarity: mask: unknown value 'casual': did you mean 'causal'? known: causal, none, padding, "
        "window",
    ),
    (
        steps('{ use = "attention" }'),
        f"{STEP}.use: attention starts from W_Q (d_model, d_k), and there is no W_Q before it: add it, or say which "
        'name it has here with names = { W_Q = "…" }',
    ),
    # words
    (
        'title.fr = "t"\n',
        "lesson.toml, line 1, title.fr: unknown language 'fr': known: en, zh-Hans, zh-Hant",
    ),
    (GIVEN.replace('"t"', '"see {Y}"'), "lesson.toml, line 1, title: {Y}: unknown name 'Y': known: W, X, b, d_k, n"),
    # files
    (
        'title = "t\n',
        "lesson.toml, line 1: is not TOML: Illegal character '\\n' (column 11); a text that starts with \" ends with "
        '" on the same line',
    ),
    ("title = “t”\n", 'lesson.toml, line 1: is not TOML: Invalid value (column 9); quotes are written straight, as in '
        '"text"'),
    (
        'title = "t"\ntitle = "u"\n',
        "lesson.toml, line 2: is not TOML: Cannot overwrite a value (column 12); this key or table is there already",
    ),
    (
        HEAD + '[section]\ntitle = "s"\n',
        "lesson.toml, line 3, section: expected [[section]] with two brackets on each side, came a single table",
    ),
    # limits
    (
        steps('"S = ones(2000, 2000)"'),
        f"{STEP}: step S: ones(2000, 2000): more than MATRIX_ENTRIES = 1000000 entries",
    ),
    (
        steps('"S = X * 10^10^10"'),
        f"{STEP}: step S: formula 'X * 10^10^10': 10^10000000000 has more than POWER_DIGITS = 3000 digits",
    ),
    (
        steps('"S = ' + "-" * 70 + 'X"'),
        f"{STEP}: step S: formula '{'-' * 60}…': nested deeper than FORMULA_DEPTH = 60",
    ),
    (
        "tokens = [" + '"a",' * 100_001 + "]\ntitle = 't'\n",
        "lesson.toml, line 1, tokens: expected at most LABELS = 100000 in the list, came 100001",
    ),
    (
        HEAD + "[sizes]\n" + "".join(f"a{i} = 1\n" for i in range(501)),
        "lesson.toml, line 3, sizes: more than SCENARIO_STEPS = 500 sizes, givens, sections and steps",
    ),
]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "message"), MESSAGES, ids=[message.removeprefix("lesson.toml, ")[:80] for _, message in MESSAGES]
)
def test_what_went_wrong_and_what_to_try(text: str, message: str) -> None:
    with pytest.raises(SymattnError) as error:
        loads(text, path="lesson.toml")
    assert str(error.value) == message
