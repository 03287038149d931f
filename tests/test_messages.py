"""The wording of what goes wrong in a scenario file: what was being built, what came, what clashes, what to try."""

from __future__ import annotations

from pathlib import Path

import pytest

from symattn import derive
from symattn.catalogue import entries
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


ENTRIES = ", ".join(sorted(entry.name for entry in entries()))

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
        f"{STEP}: step S: head(X, 1, 2): X is (n=2, 3): d/h is 3/2: expected a whole number from 1 up; h that "
        "fits: 1, 3",
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
    (
        steps('"S = X[:, 0:2]"'),
        f"{STEP}: step S: formula 'X[:, 0:2]': 'X[:, 0:2]' has no place here; the 2nd of 4 blocks of columns is "
        "head(X, 2, 4), a row is row(X, 1), some rows are rows(X, 1, 2)",
    ),
    (
        steps('"S = X.T()"'),
        f"{STEP}: step S: formula 'X.T()': X.T(…): the transpose of X is written X.T, without parentheses",
    ),
    (
        steps('"S = np.softmax(X)"'),
        f"{STEP}: step S: formula 'np.softmax(X)': np.softmax(…): write softmax(X), with nothing before the name of "
        "the function",
    ),
    (
        steps('"S = softmax(X, dim=-1)"'),
        f"{STEP}: step S: formula 'softmax(X, dim=-1)': unknown option of softmax 'dim': known: none; softmax works "
        "along each row",
    ),
    (
        steps('"S = layer_norm(X, b)"'),
        f"{STEP}: step S: formula 'layer_norm(X, b)': layer_norm: epsilon is b, a matrix (1, 3): expected a number; "
        "gamma and beta are given by name: gamma=…",
    ),
    (
        steps('"S = X @ X.T + causal_mask(X)"'),
        f"{STEP}: step S: formula 'X @ X.T + causal_mask(X)': causal_mask: n is X, a matrix (n=2, 3): expected a "
        "number",
    ),
    (
        steps('"S = X / sqrt(d_v)"'),
        f"{STEP}: step S: formula 'X / sqrt(d_v)': unknown name 'd_v': did you mean 'd_k'? known: W, X, b, d_k, n; a "
        "number gets a name under [sizes]: d_v = 4",
    ),
    (
        steps('"S = X - inf"'),
        f"{STEP}: step S: formula 'X - inf': unknown name 'inf': known: W, X, b, d_k, n; infinity is "
        "written oo, and a mask has -oo by itself: causal_mask(n)",
    ),
    (
        steps('"s = sqrt(d_k)"'),
        f"{STEP}: step s: formula 'sqrt(d_k)': this is a number, expected a matrix; a number is an item of its own: "
        '{ quantity = "N = n^2" }',
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
    (
        HEAD + '[given]\nX = "x.csv"\n',
        'lesson.toml, line 4, given.X: expected a matrix: a list of rows such as [["0.21", "-3/4"]], came the text '
        "'x.csv'; a file is named with { file = \"x.csv\" }",
    ),
    (
        HEAD + '[given]\nX = { fil = "x.csv" }\n',
        "lesson.toml, line 4, given.X.fil: unknown key 'fil': did you mean 'file'? known: axes, decimals, file, note, "
        "rounded, row_sums, tensor, value",
    ),
    (
        HEAD + '[given]\nX = { value = [["1"]], decimals = 2 }\n',
        "lesson.toml, line 4, given.X.decimals: decimals goes with file = …",
    ),
    (
        HEAD.replace('["the", "cat"]', '"the cat"'),
        "lesson.toml, line 2, tokens: expected a list, came the text 'the cat'; a list is written [\"…\", \"…\"]",
    ),
    (
        GIVEN.replace('"cat"', '"cat", "sat", "on"'),
        "lesson.toml, line 2, tokens: 4 tokens, and no matrix has 4 rows: X is (2, 3), W is (3, 2), b is (1, 3)",
    ),
    (
        HEAD + '[given.X]\nvalue = [["1", "2"]]\naxes = ["1", "d_model"]\n',
        "lesson.toml, line 5, given.X.axes[2]: unknown axis 'd_model': known: 1, n; [sizes] names one: d_model = 2",
    ),
    (
        steps('{ tensor = "T", of = ["X"], axes = ["heads"] }'),
        f"{STEP}.axes[1]: unknown axis 'heads': known: d_k, n; [sizes] names one: heads = 2",
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
    (
        steps('{ use = "attenton" }'),
        f"{STEP}.use: unknown catalogue entry 'attenton': did you mean 'attention'? known: {ENTRIES}",
    ),
    (
        steps('{ use = "flash_attention" }'),
        f"{STEP}.use: unknown catalogue entry 'flash_attention': did you mean 'blocked_attention'? known: {ENTRIES}",
    ),
    (
        steps('{ use = "softmax" }'),
        f"{STEP}.use: unknown catalogue entry 'softmax': softmax is a function of formulas, \"Y = softmax(X)\"; known: "
        f"{ENTRIES}",
    ),
    (
        steps('{ use = "similarity", mask = "causal" }'),
        f"{STEP}.mask: unknown key 'mask': known: names, suffix, use, with; an option of the entry goes into with = "
        "{ mask = … }",
    ),
    (
        steps('{ use = "similarity", with = "causal" }'),
        f"{STEP}.with: expected a table, came the text 'causal'; a table is written {{ name = … }}",
    ),
    (
        steps('{ use = "similarity", with = { maks = "causal" } }'),
        f"{STEP}.use: similarity: unknown option of similarity 'maks': did you mean 'mask'? known: length, mask, "
        "scaled, window",
    ),
    (
        steps('{ use = "next_token", with = { temperature = 0.5 }, names = { H = "X", W_U = "W" } }'),
        f"{STEP}.with.temperature: 0.5 is a binary float and no longer the number that was meant: write \"0.5\"",
    ),
    (
        steps('{ use = "similarity", with = { scaled = "yes" } }'),
        f"{STEP}.use: similarity: scaled: expected true or false, came 'yes'",
    ),
    (
        steps('"S = X @ X.T"', '{ use = "similarity" }'),
        f"{STEP[:-2]}2].use: similarity defines S, and this name is taken already: names = {{ S = \"…\" }} gives a "
        'step another name, suffix = "_2" all of them',
    ),
    (
        steps('{ use = "similarity" }', '{ use = "similarity" }'),
        f"{STEP[:-2]}2].use: similarity defines S, A, O, and these names are taken already: names = {{ S = \"…\" }} "
        'gives a step another name, suffix = "_2" all of them',
    ),
    (
        steps('{ use = "similarity", names = { O = "W" } }'),
        f"{STEP}.use: similarity defines W, and this name is taken already: names = {{ O = \"…\" }} gives a step "
        'another name, suffix = "_2" all of them',
    ),
    (
        steps('{ use = "similarity", names = { A = "O" } }'),
        f"{STEP}.names: similarity would define O twice: call one of the two otherwise",
    ),
    (
        steps('{ use = "similarity", names = { x = "X" } }'),
        f"{STEP}.names: unknown name in similarity 'x': did you mean 'X'? known: A, O, S, X",
    ),
    (
        steps('{ use = "similarity", with = { mask = "padding", length = 4 } }'),
        f"{STEP}.use.step: step M: padding_mask(n, n, 4): the length is 4: expected at least 1 and at most the "
        "n=2 keys",
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
        'title = "t"\nα = "u"\n',
        "lesson.toml, line 2: is not TOML: Invalid statement (column 1); a line starts with a key of the letters A to "
        "Z, digits, _ and -, or with [table]; Greek letters go by their names, as in alpha",
    ),
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
