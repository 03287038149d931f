"""The group of all commands, and the process around it."""

from __future__ import annotations

import errno
import gc
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any, NoReturn

import click

from symattn import __version__
from symattn.base.errors import SymattnError, readable

WRONG = 2
"""The exit code for problems with the input of a command, or with the place it writes to."""

UNFORESEEN = 70
"""The exit code for problems with symattn itself (EX_SOFTWARE of sysexits.h)."""

DEBUG = "SYMATTN_DEBUG"
"""The environment variable that makes unforeseen errors show their traceback."""

FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EBADF, errno.EAGAIN, errno.ENXIO, errno.EINVAL)
"""Errors of streams that cannot be written to."""


class _Group(click.Group):
    """Turns every error into one line and an exit code."""

    def main(self, *args: Any, **kwargs: Any) -> Any:
        _write_utf_8()
        try:
            return super().main(*args, **kwargs)
        except (click.ClickException, click.exceptions.Exit, click.Abort):
            raise  # for callers without standalone_mode
        except OSError as error:
            if error.filename is None and error.errno in FULL:
                _leave_standard_output()
                _fail(f"standard output: cannot be written: {error.strerror}")
            _fail_unforeseen(error)
        except Exception as error:  # noqa: BLE001 - one sentence, whatever it is
            _fail_unforeseen(error)

    def make_context(self, *args: Any, **kwargs: Any) -> click.Context:
        with _on_one_line():
            return super().make_context(*args, **kwargs)

    def invoke(self, ctx: click.Context) -> Any:
        try:
            with _on_one_line():
                return super().invoke(ctx)
        except SymattnError as error:
            _fail(str(error))
        except BrokenPipeError:
            # The reader (head, less) has gone; no message can reach it.
            _leave_standard_output()
            sys.exit(1)


@contextmanager
def _on_one_line() -> Iterator[None]:
    """Make errors of options and arguments readable, without characters that steer the terminal."""
    try:
        yield
    except click.exceptions.NoArgsIsHelpError:
        raise  # its message is the help
    except click.ClickException as error:
        vars(error)["message"] = readable(error.message)
        raise


def _fail(message: str, code: int = WRONG) -> NoReturn:
    with suppress(OSError):
        click.echo(f"symattn: {message}", err=True)
    sys.exit(code)


def _fail_unforeseen(error: Exception) -> NoReturn:
    unforeseen(error)
    sys.exit(UNFORESEEN)


def unforeseen(error: Exception) -> None:
    """Say that an error was not foreseen, and how to report it."""
    if os.environ.get(DEBUG):
        import traceback

        traceback.print_exception(error)
    said = readable(f"{type(error).__name__}: {error}")
    sentence = f"{said}: this was not foreseen; please report it with the command and its input"
    with suppress(OSError):
        click.echo(f"symattn: {sentence} ({DEBUG}=1 shows where it comes from)", err=True)


def _write_utf_8() -> None:
    """Use UTF-8: the console's own encoding may lack characters of a solution."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            newline = "\n" if stream is sys.stdout else None
            stream.reconfigure(encoding="utf-8", errors="backslashreplace", newline=newline)


def _leave_standard_output() -> None:
    """Discard the rest of standard output."""
    with suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


@click.group(cls=_Group, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, "--version", message="symattn %(version)s")
def main() -> None:
    """Worked solutions of attention: symbols, shapes, and figures in which every digit is certified.

    \b
    Examples:
      symattn derive --scenario weather > solution.md
      symattn derive --scenario good --format latex --language en -o good.tex
      symattn scenarios
      symattn explain "softmax(Q K^T / sqrt(d_k))"

    \b
    Shell completion:
      eval "$(_SYMATTN_COMPLETE=bash_source symattn)"
    """


def run() -> NoReturn:
    """Run the command as a process: :func:`main`, without what only a long-lived process needs.

    A run makes a few hundred thousand small objects that live to its end (SymPy alone makes a hundred thousand), so
    collecting garbage and freeing them one by one at exit takes a quarter of its time and gains nothing over the end of
    the process. It also needs no plugins of pydantic, whose search would read the metadata of all installed packages.
    """
    gc.set_threshold(250_000, 50, 50)
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    _open_what_is_closed()
    try:
        with _cleaning_up():
            main(standalone_mode=True)
    except SystemExit as leave:
        code = leave.code if isinstance(leave.code, int) else int(bool(leave.code))
    else:
        code = 0
    os._exit(_flushed(code))


@contextmanager
def _cleaning_up() -> Iterator[None]:
    """Turn a signal that ends a process into SystemExit, and end the process by it after everything is cleaned up.

    No process that was started inside survives. A second signal of the same kind ends this one at once. Ignored
    signals, as under nohup, stay ignored.
    """
    came: list[int] = []

    def leave(number: int, _: object) -> None:
        signal.signal(number, signal.SIG_DFL)
        came.append(number)
        raise SystemExit(128 + number)

    for name in ("SIGTERM", "SIGHUP"):
        if hasattr(signal, name) and signal.getsignal(number := getattr(signal, name)) is signal.SIG_DFL:
            signal.signal(number, leave)
    try:
        yield
    finally:
        with (
            ExitStack() as last
        ):  # from the last to the first, even if one fails: what was interrupted may fail once more
            for number in came:
                last.callback(signal.raise_signal, number)
            last.callback(_end_children)
            if "joblib" in sys.modules:
                from symattn.compute.jobs import finish

                last.callback(finish)


def _end_children() -> None:
    """End the running child processes, if the system lists them (Linux): a child that was being started when a signal
    came is recorded nowhere else."""
    for listed in Path("/proc/self/task").glob("*/children"):
        with suppress(OSError):
            for child in map(int, listed.read_text(encoding="ascii").split()):
                os.kill(child, signal.SIGTERM)


def _open_what_is_closed() -> None:
    """Replace a missing standard output or error by one that fails on writing, as on a full disk."""
    if sys.stdout is None:
        sys.stdout = os.fdopen(os.open(os.devnull, os.O_RDONLY), "w")
    if sys.stderr is None:
        sys.stderr = os.fdopen(os.open(os.devnull, os.O_WRONLY), "w")


def _flushed(code: int) -> int:
    """Flush the output, and change the exit code if that fails."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        code = code or 1
    except OSError as error:
        code = code or WRONG
        with suppress(OSError):
            click.echo(f"symattn: standard output: cannot be written: {error.strerror}", err=True)
    with suppress(OSError):
        sys.stderr.flush()
    return code
