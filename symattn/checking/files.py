"""Documents as they lie on a disk or come through a pipe: bytes that become text, with nothing changed in it.

Ends of lines stay what they are, so that a place in the text is a place in the file.
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from symattn.base import limits
from symattn.base.errors import DocumentError

_MARKS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
_DECLARED = re.compile(rb"(?:charset|encoding)\s*=\s*[\"']?([A-Za-z0-9_.:-]{2,40})", re.IGNORECASE)
_NO_TEXTS = ("utf-16", "utf-32", "utf-7", "idna", "punycode", "unicode", "raw-unicode", "undefined", "mbcs", "oem")
_HEAD = 4_096
"""Bytes in which a page of HTML says its encoding."""


@dataclass(frozen=True)
class DocumentFile:
    """A document and the file that it comes from."""

    name: str
    text: str
    path: Path | None = None
    """``None`` where it comes through a pipe."""
    encoding: str = "utf-8"
    mark: str = ""
    """A mark of byte order that stands before the text."""


def read_document(path: Path) -> DocumentFile:
    """The document in a file.

    Raises :class:`~symattn.base.errors.DocumentError` for a file that cannot be read, is too large or holds no text.
    """
    try:
        with path.open("rb") as stream:
            return _document(stream, str(path), path)
    except IsADirectoryError:
        raise DocumentError(f"{path}: is a folder: name the documents in it") from None
    except (OSError, ValueError) as error:
        raise DocumentError(f"{path}: cannot be read: {getattr(error, 'strerror', error)}") from None


def piped(stream: BinaryIO | None, name: str) -> DocumentFile:
    """The document that comes through a pipe, under a name whose ending says what it is.

    Raises :class:`~symattn.base.errors.DocumentError` as :func:`read_document` does.
    """
    if stream is None:
        raise DocumentError("standard input: is closed")
    try:
        return _document(stream, name, None)
    except OSError as error:
        raise DocumentError(f"standard input: cannot be read: {error.strerror}") from None


def _document(stream: BinaryIO, name: str, path: Path | None) -> DocumentFile:
    data = stream.read(limits.DOCUMENT_BYTES + 1)
    if len(data) > limits.DOCUMENT_BYTES:
        raise DocumentError(f"{name}: has more than DOCUMENT_BYTES = {limits.DOCUMENT_BYTES} bytes: give a part of it")
    mark, encoding = next(((mark, name) for mark, name in _MARKS if data.startswith(mark)), (b"", ""))
    body = data.removeprefix(mark)
    if b"\0" in body and not encoding.startswith("utf-16"):  # a picture, a PDF, a file of Word
        raise DocumentError(f"{name}: is no text: it holds the character NUL")
    for each in [encoding] if encoding else ["utf-8", *_declared(body)]:
        try:
            text = body.decode(each)
        except UnicodeDecodeError as error:
            first = error.start
            continue
        return DocumentFile(name, text, path, each, "\ufeff" if mark else "")
    raise DocumentError(f"{name}: is no text in UTF-8 (byte {first + 1}): save it as UTF-8")


def _declared(data: bytes) -> list[str]:
    """The encoding that a page says it has, if it is one of texts."""
    found = _DECLARED.search(data[:_HEAD])
    if found is None:
        return []
    try:
        codec = codecs.lookup(found[1].decode("ascii"))
    except LookupError:
        return []
    # What is not made for texts (base64, zip) has no business here, nor has what escapes characters.
    is_text = getattr(codec, "_is_text_encoding", False) and not codec.name.startswith(_NO_TEXTS)
    return [codec.name] if is_text else []
