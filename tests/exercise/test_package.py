"""What people import: every public name is there, and a function stays one whatever is imported before and after."""

from __future__ import annotations

import subprocess
import sys

import pytest

import symattn.course

ORDERS = (
    "import symattn; symattn.course",
    "import symattn.course.generate, symattn.course.marking.sources",
)
"""Nothing but the package, and the module first."""

PROGRAM = """
import sys
for order in {orders}:
    for name in [name for name in sys.modules if name.partition(".")[0] == "symattn"]:
        del sys.modules[name]
    exec(order)
    import symattn
    print(len(symattn.course.generate("dot-product", count=2)))
sys.exit("joblib was imported" if "joblib" in sys.modules else 0)
"""


def test_every_public_name_is_there() -> None:
    for name in symattn.course.__all__:
        assert getattr(symattn.course, name) is not None
    assert dir(symattn.course) == sorted(symattn.course.__all__)
    with pytest.raises(AttributeError, match=r"module 'symattn\.course' has no attribute 'marks'"):
        _ = symattn.course.marks


@pytest.mark.sampled(0)
def test_generate_is_a_function_however_it_is_imported_and_without_jobs_joblib_is_not() -> None:
    command = [sys.executable, "-c", PROGRAM.format(orders=ORDERS)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("2\n" * len(ORDERS), "")
