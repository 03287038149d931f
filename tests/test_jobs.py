"""Work that is spread: what comes out does not depend on how many do it, or where; what goes wrong is one sentence."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor
from functools import partial
from pathlib import Path
from threading import Thread
from typing import Any

import joblib
import pytest
from flint import arb, ctx

from symattn.base.errors import ScenarioError, SymattnError
from symattn.cli.solutions import _exercises, _rendered, _solutions
from symattn.compute.jobs import each, finish, in_turn
from symattn.compute.values.balls import at_precision
from symattn.course import Batch, generate
from symattn.course.marking import mark_all
from symattn.course.marking.answers import Answers
from tests.commands import run


@pytest.fixture(autouse=True, scope="module")
def _no_process_stays() -> Iterator[None]:
    yield
    finish()


def fails(number: int) -> int:
    raise ScenarioError(f"number {number} is no good")


def ends(number: int) -> int:
    os.kill(os.getpid(), signal.SIGKILL)
    return number


@pytest.mark.long
@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="processes cannot be killed here")
def test_a_process_that_ends_too_early_is_one_sentence() -> None:
    """It comes before all others that have processes, which then share those that are started in the end."""
    with pytest.raises(SymattnError, match=r"ended before it was done .* try again with fewer jobs") as error:
        list(each(ends, [1], 2))
    assert isinstance(error.value.__cause__, BrokenExecutor)
    assert "\n" not in str(error.value)
    assert list(each(partial(in_turn, str), [1, 2], 2)) == ["1", "2"], "the next work has processes again"


@pytest.mark.long
def test_what_goes_wrong_in_a_process_is_said_as_if_it_went_wrong_here() -> None:
    with pytest.raises(ScenarioError, match=r"\Anumber 3 is no good\Z"):
        list(each(fails, [3], 2))


def batch(jobs: int | None = None) -> Batch:
    return generate("softmax-row", difficulty=2, seed=5, count=4, jobs=jobs)


@pytest.fixture(scope="module")
def alone() -> Batch:
    return batch()


@pytest.mark.long
def test_the_exercises_are_the_same_however_many_jobs_there_are(alone: Batch) -> None:
    assert batch(2) == alone


@pytest.mark.long
@pytest.mark.parametrize("backend", ["threading", "multiprocessing"])
def test_inside_parallel_config_the_same_call_is_spread_and_gives_the_same(backend: str, alone: Batch) -> None:
    """multiprocessing hands everything back at once, as Ray does."""
    with joblib.parallel_config(backend=backend, n_jobs=2):
        assert batch() == alone


def test_somebody_is_told_how_many_are_done() -> None:
    for jobs in (None, 2):
        told: list[int] = []
        generate("dot-product", count=4, jobs=jobs, done=told.append)
        assert told == [1, 2, 3, 4]


@pytest.mark.long
def test_a_class_is_marked_the_same_however_many_share_the_work(alone: Batch) -> None:
    given = [Answers.of(dict.fromkeys(("a", "b"), one.parts[0].key), str(n), n) for n, one in enumerate(alone, 1)]
    with joblib.parallel_config(backend="multiprocessing", n_jobs=2):
        spread = mark_all(alone, given)
    assert spread == mark_all(alone, given, 2) == mark_all(alone, given, 1)


@pytest.mark.long
def test_documents_are_checked_the_same_however_many_share_the_work(tmp_path: Path) -> None:
    for number, figure in enumerate(("5", "6"), 1):
        (tmp_path / f"{number}.md").write_text(f"$2 + 3 = {figure}$ and $0.1 \\cdot 3 = 0.3$\n", encoding="utf-8")
    files = [str(tmp_path / name) for name in ("1.md", "2.md", "absent.md")]
    alone, spread = run("check", *files), run("check", *files, "--jobs", "2")
    assert (spread.exit_code, spread.output) == (alone.exit_code, alone.output)
    assert "2.md" in alone.output


@pytest.mark.long
@pytest.mark.parametrize("groups", [_solutions, _exercises])
def test_the_pages_of_a_group_travel_to_another_process(groups: Callable[..., Iterator[Any]], tmp_path: Path) -> None:
    (group, *_) = groups(("markdown",))
    (spread,) = each(partial(_rendered, tmp_path), [group], 2)
    assert spread == _rendered(tmp_path, group)
    assert len(spread) > 2


@pytest.mark.parametrize("jobs", [0, -2, True, "2", 1.5])
def test_a_number_of_jobs_that_means_nothing_is_refused(jobs: object) -> None:
    with pytest.raises(SymattnError, match="expected a whole number from 1 on, or -1 for every core"):
        each(str, [1], jobs)  # type: ignore[arg-type]


def test_results_keep_the_order_of_the_items_and_threads_take_turns_with_the_one_precision_of_flint() -> None:
    with joblib.parallel_config(backend="threading", n_jobs=4):
        assert list(each(thirds, range(100, 140))) == list(map(thirds, range(100, 140)))


def thirds(bits: int) -> tuple[int, str]:
    """One third in so many bits, with time for others in between."""
    with at_precision(bits):
        first = arb(1) / 3
        thread = Thread(target=lambda: None)
        thread.start()
        thread.join()
        return ctx.prec, str(first - arb(1) / 3)


@pytest.mark.sampled(0)
def test_the_processes_are_gone_when_the_command_is(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "symattn", "exercise", "dot-product", "-n", "2", "-j", "2", "-o", "exam.md"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=120)
    assert (done.returncode, done.stderr) == (0, "")
    assert {path.name for path in tmp_path.iterdir()} == {"exam.md", "exam-key.md"}
