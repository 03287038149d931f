"""A secret that is mixed into the draw, so that a sheet reveals neither its seed nor its key.

>>> secret = Secret(bytes(32))
>>> secret, secret.digest("softmax-row//2/7/1/0").hex()[:16]
(Secret(…), '57af5e9bcac835dc')
"""

from __future__ import annotations

import hmac
import os
import re
import secrets
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from symattn.base.errors import OutputError, SecretError

FORMAT = "symattn-secret/1"
BYTES = 32

HEADER = f"{FORMAT}: whoever has this file can make the sheets, the keys and the marks that belong to it"
"""The first line of the file; the second one is the secret."""

_FILE_BYTES = 1_000
_FILE = re.compile(rf"{re.escape(FORMAT)}(?:[: ][^\r\n]*)?\r?\n([0-9a-f]{{{2 * BYTES}}})\s*\Z", re.ASCII)


@dataclass(frozen=True)
class Secret:
    """Random bytes, which appear neither in texts made from them nor in the object's ``repr``."""

    content: bytes = field(repr=False)

    def __post_init__(self) -> None:
        content: object = self.content
        if not isinstance(content, bytes) or len(content) != BYTES:
            raise SecretError(f"a secret of another form: expected {BYTES} bytes")

    def __repr__(self) -> str:
        return "Secret(…)"

    def digest(self, text: str) -> bytes:
        """Return the HMAC-SHA-256 of a text: it cannot be computed without the secret, nor reversed."""
        return hmac.digest(self.content, text.encode(), "sha256")


def new_secret(path: Path) -> Secret:
    """Create a secret in a new file that only its owner may read.

    Raises :class:`~symattn.base.errors.OutputError` if the file exists already, or cannot be written.
    """
    text = secrets.token_hex(BYTES)
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        raise OutputError(f"{path}: is there already: a secret is never written over; give another name") from None
    except OSError as error:
        raise OutputError(f"{path}: cannot be written: {error.strerror}") from None
    try:
        with os.fdopen(handle, "w", encoding="ascii", newline="\n") as stream:
            stream.write(f"{HEADER}\n{text}\n")
            stream.flush()
            os.fsync(stream.fileno())
    except OSError as error:
        with suppress(OSError):
            path.unlink()
        raise OutputError(f"{path}: cannot be written: {error.strerror}; nothing was left there") from None
    return Secret(bytes.fromhex(text))


def read_secret(path: Path) -> Secret:
    """Read the secret in a file that :func:`new_secret` wrote.

    Raises :class:`~symattn.base.errors.SecretError` for a file that is unreadable or has other content, without quoting
    it.
    """
    try:
        with path.open("rb") as stream:
            data = stream.read(_FILE_BYTES + 1)
    except OSError as error:
        raise SecretError(f"{path.name}: cannot be read: {error.strerror}") from None
    match = _FILE.match(data.decode("ascii", "replace")) if len(data) <= _FILE_BYTES else None
    if match is None:
        raise SecretError(f"{path.name}: is no secret: expected a file that symattn exercise --new-secret wrote")
    return Secret(bytes.fromhex(match[1]))


def secret_of(given: object) -> Secret | None:
    """Return a secret, or the one in a file; a string is rejected, so that no error ever repeats a secret.

    Raises :class:`~symattn.base.errors.SecretError` for anything else.
    """
    if given is None or isinstance(given, Secret):
        return given
    if isinstance(given, Path):
        return read_secret(given)
    raise SecretError("secret is neither a Secret nor the Path of a file: expected one of the two")
