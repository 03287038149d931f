"""What is done when the wheel is built: its templates are compiled, so that nobody who has installed it waits for that.

Jinja makes a module of each template, and whoever installs the wheel compiles it to bytecode with all other modules.
``symattn.write.environment`` takes a module only for the very text, settings and version of Jinja that it was made
of, so the modules of a wheel are no more than a shortcut. A checkout, and an editable install of one, has none.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

ROOT = Path(__file__).resolve().parent


class Hook(BuildHookInterface[Any]):
    """Puts the compiled templates into the wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Before the files of the wheel are gathered."""
        if version == "editable":
            return
        sys.path.insert(0, str(ROOT))
        sys.dont_write_bytecode = True
        from symattn.write.modules import write_modules

        self.modules = Path(tempfile.mkdtemp())
        write_modules(self.modules)
        build_data["force_include"][str(self.modules)] = "symattn/templates/compiled"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """After the wheel is written."""
        if version != "editable":
            shutil.rmtree(self.modules)
