"""What people import: every public name is there, and a function stays one whatever is imported before and after."""

from __future__ import annotations

import subprocess
import sys

import pytest

import symattn.exercise

ORDERS = {
    "the module first": "import symattn.exercise.generate, symattn.exercise.sources",
    "the module later": "from symattn.exercise import generate; import symattn.exercise.generate",
    "nothing but symattn": "import symattn; symattn.exercise",
}


def test_every_public_name_is_there() -> None:
    for name in symattn.exercise.__all__:
        assert getattr(symattn.exercise, name) is not None
    assert dir(symattn.exercise) == sorted(symattn.exercise.__all__)
    with pytest.raises(AttributeError, match=r"module 'symattn\.exercise' has no attribute 'marks'"):
        _ = symattn.exercise.marks


@pytest.mark.parametrize("order", ORDERS)
def test_generate_is_a_function_however_it_is_imported(order: str) -> None:
    program = f"{ORDERS[order]}\nimport symattn\nprint(len(symattn.exercise.generate('dot-product', count=2)))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("2\n", "")
