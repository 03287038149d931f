"""Write an interactive page: the static page of a solution, with scripts and data that open entries and compute again.

The page is self-contained. The data of entries is packed (JSON, deflated, base64), because a page has thousands of
entries and readers open few; a browser that cannot unpack it, or runs no scripts, shows the static page.
"""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import Mapping
from dataclasses import asdict
from hashlib import sha256
from zlib import compress

from symattn.api.publish import payload
from symattn.api.publish.edition import Edition
from symattn.api.publish.slips import Guess, guesses, words_of
from symattn.base import words as languages
from symattn.base.errors import RenderError
from symattn.compute.codegen.page import Recomputation, data_text, recomputing
from symattn.show.openable import Openable
from symattn.write import environment, escape
from symattn.write import html as static
from symattn.write.formats import render
from symattn.write.runs import PlainLine, inline

SCRIPTS = ("data", "figures", "marks", "panel", "change", "pictures", "steps", "tools", "start")
"""The files of ``templates/html/`` that form the page's one script, in this order."""

CHANGED = 8192
"""The most given numbers of a page that computes again when they change."""


def interactive_page(edition: Edition) -> str:
    """Return an interactive page in all languages; with ``math`` or ``fragment``, or without words, a static one.

    Raises :class:`~symattn.base.errors.RenderError` for a choice that a page does not have.
    """
    if edition.math is not None or edition.fragment or not _has_words(edition.language):
        return render(edition.document("html"), "html", math=edition.math, fragment=edition.fragment)
    document = edition.document("html")
    openable = Openable(edition.store, edition.names)
    words = environment.phrases(edition.language)
    computed = _recomputed(edition)
    found = guesses(edition.scenario, edition.store)
    data = _data(edition, openable, computed, found)
    script = _script("null" if computed is None else computed.code)
    live = static.Live(
        scripts=f"'sha256-{b64encode(sha256(script.encode()).digest()).decode()}'",
        style=f"\n{themes(_text('page.css'))}\n{_text('live.css')}",
        end=_packed(data, words.call("touch_cannot_open", {})) + f"\n<script>{script}</script>",
        spoken=payload.entry_sentences(openable, words),
    )
    return static.html_page(document, words, live)


def _has_words(language: str) -> bool:
    """Return True if a language has the words of interactive pages; one from another package may be too old."""
    return f"{payload.WORDS}called" in environment.phrases(language).known


def themes(style: str) -> str:
    """Return both colour schemes of a style sheet, each for readers who choose it whatever their system is set to.

    >>> themes(":root { --ink: #000; }\\n@media (prefers-color-scheme: dark) { :root { --ink: #fff; } }")
    ':root[data-theme=light] { --ink: #000; }\\n:root[data-theme=dark] { --ink: #fff; }'
    """
    light, dark, *_ = re.findall(r":root \{.*?\}", style, re.DOTALL)
    return "\n".join(
        ground.replace(":root", f":root[data-theme={name}]") for name, ground in (("light", light), ("dark", dark))
    )


def _recomputed(edition: Edition) -> Recomputation | None:
    """Return the program that computes the page again; ``None`` if the page is too large or doubles cannot hold it."""
    if sum(given.shape[0] * given.shape[1] for given in edition.store.givens.values()) > CHANGED:
        return None
    try:
        return recomputing(edition.store)
    except RenderError:
        return None


def _data(
    edition: Edition, openable: Openable, computed: Recomputation | None, found: Mapping[str, Guess]
) -> payload.Data:
    names, closed = payload.openable_names(edition, openable)
    return {
        "language": edition.language,
        "names": names,
        "closed": closed,
        "written": payload.figures_spelled_out(names),
        "languages": {
            each: _language(edition, openable, found, each) for each in languages.languages() if _has_words(each)
        },
        "givens": "{}" if computed is None else data_text(computed.givens),
        "computed": [] if computed is None else computed.names,
        "choices": [] if computed is None else computed.choices,
        "guesses": data_text({name: asdict(guess) for name, guess in found.items()}),
    }


def _language(edition: Edition, openable: Openable, found: Mapping[str, Guess], language: str) -> payload.Data:
    """Return what the page needs in a language; the body in its own language is on the page already."""
    words = environment.phrases(language)
    told: payload.Data = {
        "called": words.call("touch_called", {}),
        "words": payload.ui(words),
        "labels": payload.axis_labels(edition, language),
        "fonts": static.fonts(language),
        "mistakes": {name: each["feedback"] for name, each in words_of(found, language).items()},
    }
    if language != edition.language:
        document = edition.document("html", language)
        told["title"] = inline(PlainLine(words), *document.title)
        live = static.Live(spoken=payload.entry_sentences(openable, words))
        told["body"] = static.html_page(document, words, live).partition("<body>")[2].partition("</body>")[0]
    return told


def _packed(data: payload.Data, sorry: str) -> str:
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    packed = b64encode(compress(text.encode(), 6)).decode()
    return f'<script type="application/octet-stream" id="opens" data-sorry="{escape.html(sorry)}">{packed}</script>'


def _script(program: str) -> str:
    """Return all scripts as one that shares no names with other scripts."""
    files = "\n".join(_text(f"{name}.js") for name in SCRIPTS)
    return f'(() => {{\n"use strict";\nconst PROGRAM = {program};\n{files}\n}})();'


def _text(file: str) -> str:
    return (languages.templates() / "html" / file).read_text(encoding="utf-8")
