"""Programs in other languages and what they print, as blocks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from symattn.base.errors import DomainError, NoValueError, SymattnError, UndecidedError
from symattn.compute.codegen import LANGUAGES, language, programs, results, single
from symattn.compute.solution.store import Store
from symattn.read.scenario.model import Scenario, differentiated
from symattn.show.blocks import Block, Heading, Listing, Phrase


def listing(scenario: Scenario, solution: Store, key: str, names: Sequence[str]) -> Listing:
    """Return one program inside a section; R prints a single name in its own way."""
    known = differentiated(scenario)
    made = single(solution, key, names[0], known) if len(names) == 1 else programs(solution, (key,), names, known)[0]
    return Listing(LANGUAGES[key].fence, made.code, made.output)


def section(scenario: Scenario, solution: Store, languages: Sequence[str]) -> Iterator[Block]:
    """Yield the last section: a complete program for each language, and its output.

    Raises :class:`~symattn.base.errors.UnknownNameError` for an unknown language, and what
    :func:`symattn.compute.codegen.programs` and :func:`symattn.compute.codegen.results` raise, with the file in front.
    """
    keys = tuple(dict.fromkeys(languages))
    written = [language(key) for key in keys]
    if not keys:
        return
    try:
        made = programs(solution, keys, scenario.programs.of or results(solution), differentiated(scenario))
    except (DomainError, NoValueError, UndecidedError):
        raise  # the caller adds the place to errors about values, for every part of a document
    except SymattnError as error:
        raise type(error)(f"{scenario.path}: {error}") from None
    yield Heading(1, "", (Phrase("programs_title"),))
    if solution.style.carry == "rounded":
        yield Phrase("programs_carry_exact", (), "note")
    for key, of, (code, output) in zip(keys, written, made, strict=True):
        yield Heading(2, "", (Phrase(f"program_{key}"),))
        yield Listing(of.fence, code, output)
