"""A secret that is mixed into the draw: a sheet then gives away neither its seed nor its key.

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
    """Random bytes, which stand in no text that is made of it, nor in what it shows of itself."""

    content: bytes = field(repr=False)

    def __post_init__(self) -> None:
        content: object = self.content
        if not isinstance(content, bytes) or len(content) != BYTES:
            raise SecretError(f"a secret of another form: expected {BYTES} bytes")

    def __repr__(self) -> str:
        return "Secret(…)"

    def digest(self, text: str) -> bytes:
        """HMAC-SHA-256 of a text: nobody gets it without the secret, nor the text or the secret from it."""
        return hmac.digest(self.content, text.encode(), "sha256")


def new_secret(path: Path) -> Secret:
    """A new secret, written into a file that is not there yet and that nobody but its owner may read.

    Raises :class:`~symattn.base.errors.OutputError` where something is there already, or nothing can be written.
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
    """The secret in a file that :func:`new_secret` wrote.

    Raises :class:`~symattn.base.errors.SecretError` for a file that cannot be read or that is none; nothing that stands
    in it is said.
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
    """A secret, or that of a file; a text is taken for neither, so that no error ever repeats one.

    Raises :class:`~symattn.base.errors.SecretError` for anything else.
    """
    if given is None or isinstance(given, Secret):
        return given
    if isinstance(given, Path):
        return read_secret(given)
    raise SecretError("secret is neither a Secret nor the Path of a file: expected one of the two")
