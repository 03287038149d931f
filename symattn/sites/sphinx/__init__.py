"""Lessons and exercises in a Sphinx book: ``extensions = ["symattn.sites.sphinx"]``, from the extra
``symattn[sphinx]``.

``derive`` inserts the worked solution of a scenario, ``exercise`` a sheet with its key, in reStructuredText and in
MyST. A problem with a scenario is a Sphinx warning with the line of the page; nothing in a page is executed.
"""

from __future__ import annotations

from typing import Any

from symattn import __version__
from symattn.sites.sphinx.directives import DeriveDirective, ExerciseDirective
from symattn.sites.sphinx.nodes import SymattnKey, SymattnPicture
from symattn.sites.sphinx.writers import KEYS, PICTURES, preamble


def setup(app: Any) -> dict[str, Any]:
    """Set up the extension: the directives, the nodes that only they make, and the language of a book."""
    app.add_config_value("symattn_language", "", "env", types=(str,))
    app.add_directive("derive", DeriveDirective)
    app.add_directive("exercise", ExerciseDirective)
    app.add_node(SymattnPicture, **PICTURES)
    app.add_node(SymattnKey, **KEYS)
    app.connect("config-inited", preamble)
    return {"version": __version__, "parallel_read_safe": True, "parallel_write_safe": True}
