"""Where files go: through links, into devices and pipes, over files whose folder takes no new one; all or none."""

from __future__ import annotations

import errno
import os
import resource
import signal
import stat
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from symattn.base import files
from symattn.base.errors import OutputError
from symattn.base.files import is_stream, write_beside, write_together, write_whole

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="about devices, pipes and links")


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


# -- links ---------------------------------------------------------------------------------------------------------


def test_a_link_stays_and_what_it_leads_to_is_written(tmp_path: Path) -> None:
    (tmp_path / "pages").mkdir()
    target, link, second = tmp_path / "pages" / "lesson.md", tmp_path / "link.md", tmp_path / "second.md"
    target.write_text("old", encoding="utf-8")
    link.symlink_to("pages/lesson.md")
    second.symlink_to(link)
    write_whole(second, "new")
    assert (second.is_symlink(), link.is_symlink(), target.is_symlink()) == (True, True, False)
    assert target.read_text(encoding="utf-8") == "new"
    assert names(tmp_path) == ["link.md", "pages", "second.md"]


def test_a_link_to_nothing_makes_what_it_leads_to(tmp_path: Path) -> None:
    (tmp_path / "link.md").symlink_to("lesson.md")
    write_whole(tmp_path / "link.md", "new")
    assert (tmp_path / "lesson.md").read_text(encoding="utf-8") == "new"
    assert (tmp_path / "link.md").is_symlink()


def test_links_that_go_round_are_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "a.md").symlink_to("b.md")
    (tmp_path / "b.md").symlink_to("a.md")
    with pytest.raises(OutputError, match=r"a\.md: cannot be written: Too many levels of symbolic links"):
        write_whole(tmp_path / "a.md", "new")


def test_two_names_of_one_file_are_refused(tmp_path: Path) -> None:
    (tmp_path / "exam-key.md").symlink_to("exam.md")
    with pytest.raises(OutputError, match=r"exam-key\.md and .*exam\.md are the same file: give two names"):
        write_together({tmp_path / "exam.md": "sheet", tmp_path / "exam-key.md": "key"})
    assert not (tmp_path / "exam.md").exists()


# -- devices, pipes, streams ---------------------------------------------------------------------------------------


def test_a_pipe_is_written_into(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.md"
    os.mkfifo(pipe)
    read: list[str] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_text(encoding="utf-8")))
    reader.start()
    write_whole(pipe, "new " * 100_000)
    reader.join(10)
    assert read == ["new " * 100_000]
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert names(tmp_path) == ["pipe.md"]


def test_a_device_is_written_into_and_stays_one(tmp_path: Path) -> None:
    (tmp_path / "link.md").symlink_to(os.devnull)
    write_whole(tmp_path / "link.md", "new")
    assert stat.S_ISCHR(Path(os.devnull).stat().st_mode)
    assert is_stream(tmp_path / "link.md")
    assert not is_stream(tmp_path / "absent.md")
    assert not is_stream(tmp_path)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the system has no /dev/full")
def test_a_full_device_is_one_sentence_and_the_files_beside_it_stay_old(tmp_path: Path) -> None:
    (tmp_path / "exam.md").write_text("old", encoding="utf-8")
    with pytest.raises(OutputError, match=r"^/dev/full: cannot be written: No space left on device$"):
        write_together({tmp_path / "exam.md": "new", Path("/dev/full"): "new"})
    assert (tmp_path / "exam.md").read_text(encoding="utf-8") == "old"
    assert names(tmp_path) == ["exam.md"]


STREAM = (
    "import sys; from pathlib import Path; from symattn.base.files import write_whole as w; w(Path(sys.argv[1]), 'new')"
)


def test_a_stream_of_the_process_goes_on_where_it_is(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("old ", encoding="utf-8")
    with page.open("a") as stream:
        subprocess.run([sys.executable, "-c", STREAM, "/dev/stdout"], stdout=stream, check=True)
    assert page.read_text(encoding="utf-8") == "old new"
    assert names(tmp_path) == ["page.md"]


# -- folders and names ---------------------------------------------------------------------------------------------


@pytest.fixture
def closed() -> Iterator[Path]:
    """A folder that takes no new file, with a file in it that may be written; nobody is root meanwhile."""
    root = os.geteuid() == 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "page.md").write_text("old, and long", encoding="utf-8")
        (folder / "page.md").chmod(0o666)
        folder.chmod(0o555)
        try:
            if root:
                os.seteuid(65534)
            yield folder
        finally:
            if root:
                os.seteuid(0)
            folder.chmod(0o755)


def test_a_file_is_written_over_where_its_folder_takes_no_new_one(closed: Path) -> None:
    before = (closed / "page.md").stat().st_ino
    write_whole(closed / "page.md", "new")
    assert (closed / "page.md").read_text(encoding="utf-8") == "new"
    assert (closed / "page.md").stat().st_ino == before
    assert names(closed) == ["page.md"]
    with pytest.raises(OutputError, match="cannot be written: Permission denied; nothing was changed"):
        write_whole(closed / "other.md", "new")


def test_what_was_written_over_is_put_back_if_another_file_fails(closed: Path) -> None:
    with pytest.raises(OutputError, match=r"other\.md: cannot be written"):
        write_together({closed / "page.md": "new", closed / "other.md": "new"})
    assert (closed / "page.md").read_text(encoding="utf-8") == "old, and long"


def test_a_file_is_written_over_where_it_cannot_be_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Such as one that a container has mounted by itself.
    page = tmp_path / "page.md"
    page.write_text("old", encoding="utf-8")

    def refused(self: Path, target: Path) -> Path:
        raise OSError(errno.EBUSY, os.strerror(errno.EBUSY))

    monkeypatch.setattr(Path, "replace", refused)
    write_whole(page, "new")
    assert page.read_text(encoding="utf-8") == "new"
    assert names(tmp_path) == ["page.md"]


def test_a_name_may_have_255_bytes(tmp_path: Path) -> None:
    longest = {tmp_path / ("頭" * 84 + ".md"): "a", tmp_path / ("x" * 252 + ".md"): "b"}
    write_together(longest)
    write_together(longest)
    assert {path: path.read_text(encoding="utf-8") for path in longest} == longest
    assert len(names(tmp_path)) == 2
    with pytest.raises(OutputError, match="cannot be written: File name too long"):
        write_whole(tmp_path / ("x" * 253 + ".md"), "c")


def test_modes_are_kept_and_new_files_get_the_usual_one(tmp_path: Path) -> None:
    for mode in (0o600, 0o664, 0o755):
        (tmp_path / "page.md").write_text("old", encoding="utf-8")
        (tmp_path / "page.md").chmod(mode)
        write_whole(tmp_path / "page.md", "new")
        assert stat.S_IMODE((tmp_path / "page.md").stat().st_mode) == mode
    before = os.umask(0o027)
    try:
        write_whole(tmp_path / "other.md", "new")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "other.md").stat().st_mode) == 0o640


# -- what fails ----------------------------------------------------------------------------------------------------


def test_a_full_disk_leaves_everything_old(tmp_path: Path) -> None:
    sheet, key = tmp_path / "exam.md", tmp_path / "exam-key.md"
    sheet.write_text("old", encoding="utf-8")
    before, ignored = resource.getrlimit(resource.RLIMIT_FSIZE), signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, before[1]))
    try:
        with pytest.raises(OutputError, match=r"exam-key\.md: cannot be written: File too large; nothing was changed"):
            write_together({sheet: "new", key: "key" * 5_000})
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, ignored)
    assert sheet.read_text(encoding="utf-8") == "old"
    assert names(tmp_path) == ["exam.md"]


def test_what_is_no_unicode_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match=r"page\.md: cannot be written: U\+DCFF is half a character"):
        write_whole(tmp_path / "page.md", "new \udcff")
    assert names(tmp_path) == []


def test_a_file_is_on_the_disk_before_it_takes_its_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    order: list[str] = []
    fsync, replace = os.fsync, Path.replace
    monkeypatch.setattr(os, "fsync", lambda handle: (order.append(f"fsync {os.fstat(handle).st_size}"), fsync(handle)))
    monkeypatch.setattr(Path, "replace", lambda self, target: (order.append("replace"), replace(self, target)))
    write_whole(tmp_path / "page.md", "12345")
    assert order == ["fsync 5", "replace"]


# -- signals -------------------------------------------------------------------------------------------------------


def ended(number: int, _: object) -> None:
    raise SystemExit(number)


def written_until(line: int, number: int, texts: dict[Path, str | bytes]) -> bool:
    """Write, with a signal before so many lines of symattn.base.files have run; return True if it came."""
    done = 0

    def trace(frame: FrameType, event: str, _: object) -> Any:
        nonlocal done
        if frame.f_code.co_filename != files.__file__:
            return None
        if event == "line":
            done += 1
            if done == line:
                os.kill(os.getpid(), number)
        return trace

    def writing() -> Iterator[None]:
        yield write_together(texts)

    tracing = sys.gettrace()
    sys.settrace(trace)
    try:
        # Python leaves the exception of an except clause set where tracing raises as the clause ends; a generator
        # keeps it to itself, so that no later test finds it as the context of its own exceptions.
        next(writing())
    except SystemExit:
        pass
    finally:
        sys.settrace(tracing)
    return done >= line


@pytest.mark.long
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_at_any_line_leaves_all_old_or_all_new_and_nothing_else(tmp_path: Path, number: int) -> None:
    old = {tmp_path / "exam.md": "old", tmp_path / "exam-key.md": "old"}
    new = dict.fromkeys([*old, tmp_path / "new.md"], "new")
    before, found = signal.signal(number, ended), list[dict[Path, str]]()
    try:
        for line in range(1, 10_000):
            (tmp_path / "new.md").unlink(missing_ok=True)
            for path, text in old.items():
                path.write_text(text, encoding="utf-8")
            came = written_until(line, number, dict(new))
            found.append({path: path.read_text(encoding="utf-8") for path in tmp_path.iterdir()})
            if not came:
                break
    finally:
        signal.signal(number, before)
    assert sys.exc_info() == (None, None, None)
    assert found[0] == old
    assert found[-1] == new
    assert [each for each in found if each not in (old, new)] == []
    assert len(found) > 50


def test_a_folder_without_a_possible_name_is_refused(tmp_path: Path) -> None:
    page, picture = tmp_path / "a.md", tmp_path / "a\0b" / "a.svg"
    with pytest.raises(OutputError, match="cannot be made: embedded null byte"):
        write_beside(page, {page: "a", picture: "b"})
    assert list(tmp_path.iterdir()) == []
