"""Tells in which order the files of a node were written: the kernel says so, from outside, with nothing in the node."""

from __future__ import annotations

import ctypes
import os
import struct
import threading
from dataclasses import field
from pathlib import Path

from nodeworthy.lab.commands import LabError
from nodeworthy.records import dataclass

LIBC = ctypes.CDLL(None, use_errno=True)
FAN_CLOEXEC, FAN_NONBLOCK, FAN_UNLIMITED_QUEUE = 0x1, 0x2, 0x10
FAN_MARK_ADD, FAN_MARK_FILESYSTEM = 0x1, 0x100
FAN_CLOSE_WRITE = 0x8
AT_FDCWD = -100
EVENT = struct.Struct("=IBBHQii")
BUFFER = 1 << 16
POLL_SECONDS = 0.005

HAPPENED = "/var/log/nodeworthy-lab/happened"


@dataclass(frozen=True)
class Event:
    """A file that was written and closed, or (`words`) what a program of the lab said of itself."""

    path: str = ""
    words: tuple[str, ...] = ()


@dataclass
class Watch:
    """Watches one file system, which is one node's, from the moment it is mounted."""

    mount: Path
    events: list[Event] = field(default_factory=list)

    def start(self) -> None:
        flags = FAN_CLOEXEC | FAN_NONBLOCK | FAN_UNLIMITED_QUEUE
        self._queue = LIBC.fanotify_init(flags, os.O_RDONLY | os.O_CLOEXEC)
        path = os.fsencode(self.mount)
        mask = ctypes.c_uint64(FAN_CLOSE_WRITE)
        marks = FAN_MARK_ADD | FAN_MARK_FILESYSTEM
        if self._queue < 0 or LIBC.fanotify_mark(self._queue, marks, mask, AT_FDCWD, path) < 0:
            raise LabError(f"the kernel does not tell which files are written: {os.strerror(ctypes.get_errno())}")
        self._read_so_far = 0
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        self._ended.set()
        self._thread.join()
        os.close(self._queue)

    def _read(self) -> None:
        while True:
            last = self._ended.is_set()
            try:
                self._take(os.read(self._queue, BUFFER))
            except BlockingIOError:
                if last:
                    return
                self._ended.wait(POLL_SECONDS)

    def _take(self, buffer: bytes) -> None:
        offset = 0
        while offset < len(buffer):
            length, _version, _reserved, _metadata, _mask, file, _pid = EVENT.unpack_from(buffer, offset)
            offset += length
            if file >= 0:
                try:
                    self._note(file)
                finally:
                    os.close(file)

    def _note(self, file: int) -> None:
        path = str(Path(f"/proc/self/fd/{file}").readlink()).removesuffix(" (deleted)")
        if path != HAPPENED:
            self.events.append(Event(path))
            return
        # Several lines may have come before anybody looked, and a line may be there before its event.
        text = os.pread(file, 1 << 20, self._read_so_far)
        whole, _, _rest = text.rpartition(b"\n")
        if whole:
            self._read_so_far += len(whole) + 1
            for line in whole.decode(errors="replace").split("\n"):
                self.events.append(Event(words=tuple(line.strip("\t").split("\t"))))
