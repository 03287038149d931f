"""The file of what a derivation has collected."""

from __future__ import annotations

import tomllib

from symattn import limits
from symattn.authoring.draft import Draft
from symattn.errors import SymattnError
from symattn.scenario.lines import key_text
from symattn.scenario.problem import Problem
from symattn.scenario.schema import read
from symattn.scenario.toml import text_of


def written(draft: Draft) -> str:
    """The text of a draft, which reads back to the same. Raises an error for what a file cannot hold."""
    text = text_of(draft.contents())
    if len(text.encode()) > limits.FILE_BYTES:
        raise SymattnError(
            f"toml(): the file would be larger than FILE_BYTES = {limits.FILE_BYTES} bytes: leave large matrices in "
            "files of their own"
        )
    try:
        read(tomllib.loads(text))
    except Problem as problem:
        where = key_text(draft.spoken(problem.key))
        raise SymattnError(f"toml(): {where} cannot be written in a scenario file: {problem.message}") from None
    return text
