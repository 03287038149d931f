"""Fuzzing with atheris: inputs that are changed in the direction of code that no input has reached yet."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path


def run(name: str, count: int, number: int) -> None:
    """Try ``count`` inputs. libFuzzer ends the process; what it found wrong is its exit code."""
    import atheris

    with atheris.instrument_imports(include=["symattn"], enable_loader_override=False):
        from tests.fuzz.seeds import seeds, words
        from tests.fuzz.targets import TARGETS, tried

    folder = Path(tempfile.mkdtemp(prefix="symattn-corpus-"))
    for k, data in enumerate(seeds(name)):
        (folder / f"seed-{k}").write_bytes(data)
    dictionary = folder.parent / f"{folder.name}.dict"
    dictionary.write_text("".join(f'"{_quoted(word)}"\n' for word in words(name)), encoding="ascii")
    target = TARGETS[name]
    options = [
        f"-runs={count}",
        f"-seed={number}",
        f"-dict={dictionary}",
        "-max_len=4096",
        "-timeout=5",
        "-verbosity=0",
        f"-artifact_prefix={folder}-found-",
    ]
    atheris.Setup([sys.argv[0], *options, str(folder)], lambda data: tried(target, data))
    atheris.Fuzz()


def _quoted(word: str) -> str:
    r"""A word as the dictionaries of libFuzzer have it, byte by byte.

    >>> print(_quoted("A=√"))
    A\x3d\xe2\x88\x9a
    """
    return "".join(chr(byte) if chr(byte).isalnum() and byte < 128 else f"\\x{byte:02x}" for byte in word.encode())


if __name__ == "__main__":
    run(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
