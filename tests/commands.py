"""The commands as tests call them, and the files that they are called with."""

from __future__ import annotations

from click.testing import CliRunner, Result

from symattn.cli import main

GOOD = 'title = "t"\n[given]\nX = [["1", "2"]]\n[[section]]\ntitle = "s"\nsteps = ["Y = X.T"]\n'

LESSON = """title = "My head"
language = "zh-Hant"
[given]
X = [["1", "0"], ["0", "2"]]
[[section]]
title = "Weights"
steps = ["A = softmax(X @ X.T)", "O = A @ X"]
"""


def run(*arguments: str) -> Result:
    """``symattn`` with these arguments, in this process."""
    return CliRunner().invoke(main, list(arguments))
