"""A process of its own that kills its children at every step of a writing, and writes what each left, as JSON.

``python killed.py FOLDER named|unnamed SIGKILL NAME…``: the files NAME… of FOLDER are written. For every step there is
what the files hold after the signal and what lies about, and the same after the next writing into one of the folders.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
from pathlib import Path

from symattn.files import draft, write_together, write_whole

STEPS = ("open", "os.link", "os.rename", "os.remove", "fcntl.flock")


def child(stops_at: int, number: int, texts: dict[Path, str]) -> None:
    """Write, and get a signal before step number ``stops_at``."""
    done = 0
    if signal.getsignal(number) is signal.SIG_IGN:  # as below nohup
        signal.signal(number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL)

    def step(event: str, arguments: object) -> None:
        nonlocal done
        if event in STEPS:
            done += 1
            if done == stops_at:
                os.kill(os.getpid(), number)

    sys.addaudithook(step)
    try:
        write_together(texts)
    except KeyboardInterrupt:
        os._exit(1)
    os._exit(0 if done < stops_at else 1)


def seen(paths: list[Path]) -> dict[str, list[str | None]]:
    """What the files hold, and what else lies beside them."""
    held = [path.read_text(encoding="utf-8") if path.exists() else None for path in paths]
    folders = sorted({path.parent for path in paths})
    others = [other.name for folder in folders for other in folder.iterdir() if other.is_file() and other not in paths]
    return {"held": held, "others": sorted(others)}


def main(folder: Path, kind: str, number: int, names: list[str]) -> None:
    if kind == "named":
        draft.STREAMS = Path("/nowhere")  # as on a system that has no files without a name
    os.fsync = lambda handle: None  # which matters to a machine that fails, and takes its time
    paths = [folder / name for name in names]
    outcomes = []
    for first in sorted({path.parent for path in paths}):
        status, stops_at = -1, 0
        while status:
            stops_at += 1
            shutil.rmtree(folder, ignore_errors=True)
            for path in paths:
                path.parent.mkdir(parents=True, exist_ok=True)
                if "absent" not in path.name:
                    path.write_text("old", encoding="utf-8")
            if not (pid := os.fork()):
                child(stops_at, number, dict.fromkeys(paths, "new"))
            status = os.waitpid(pid, 0)[1]
            killed = seen(paths)
            for place in (first, *{path.parent for path in paths}):
                write_whole(place / "next.md", "next")
                (place / "next.md").unlink()
            outcomes.append({"killed": killed, "next": seen(paths), "status": status})
    sys.stdout.write(json.dumps(outcomes))


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], getattr(signal, sys.argv[3]), sys.argv[4:])
