"""The group that all commands belong to, and the process around it."""

from __future__ import annotations

import gc
import os
import sys
from typing import Any, NoReturn

import click

from symattn import __version__
from symattn.errors import SymattnError


class _Group(click.Group):
    """Turns the project's own errors into one line and exit code 2."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except SymattnError as error:
            _fail(str(error))
        except BrokenPipeError:
            # The reader (head, less) has gone; there is nobody left to tell.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            sys.exit(1)


def _fail(message: str) -> NoReturn:
    click.echo(f"symattn: {message}", err=True)
    sys.exit(2)


@click.group(cls=_Group, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, "--version", message="symattn %(version)s")
def main() -> None:
    """Worked solutions of attention: symbols, shapes, and figures in which every digit is certified.

    \b
    Examples:
      symattn derive --scenario weather > solution.md
      symattn derive --scenario good --format latex --language en -o good.tex
      symattn scenarios

    \b
    Shell completion:
      eval "$(_SYMATTN_COMPLETE=bash_source symattn)"
    """
    # The console may be set to an encoding that cannot hold what a solution is made of.
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", newline="\n" if stream is sys.stdout else None)


def run() -> NoReturn:
    """The command as a process: :func:`main`, without what only a long-lived process needs.

    A run makes a few hundred thousand small objects that live to its end, so collecting garbage and taking them apart
    one by one at the exit is a quarter of its time and frees nothing that the end of the process does not.
    """
    gc.set_threshold(100_000, 50, 50)
    try:
        main(standalone_mode=True)
    except SystemExit as leave:
        code = leave.code if isinstance(leave.code, int) else int(bool(leave.code))
    else:
        code = 0
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except BrokenPipeError:
        code = 1
    os._exit(code)
