"""A program that somebody has installed, run for a page: the one place of symattn that runs any.

It runs without a shell, in a folder that is made for it, and for a limited time.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from symattn.errors import OutputError

TIME_LIMIT = 120
"""How many seconds one run may take."""


def run(
    command: Sequence[str], folder: Path, settings: Mapping[str, str], called: str, told: bytes = b""
) -> subprocess.CompletedProcess[bytes]:
    """What became of a program that is given ``told``, with ``settings`` in its environment.

    Raises :class:`~symattn.errors.OutputError`, which begins with what the program is ``called``, where it cannot be
    started or does not end.
    """
    try:
        return subprocess.run(
            command,
            cwd=folder,
            env=os.environ | settings,
            input=told,
            capture_output=True,
            timeout=TIME_LIMIT,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise OutputError(f"{called}: did not finish within {TIME_LIMIT} seconds") from None
    except OSError as error:
        raise OutputError(f"{called}: cannot be run: {error.strerror}") from None
