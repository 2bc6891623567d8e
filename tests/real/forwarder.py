"""A port before a server, which can be closed and opened again, or be silent for a while: for its clients the server goes
away and comes back."""

from __future__ import annotations

import socket
import threading
from contextlib import suppress
from types import TracebackType
from typing import Self


class Forwarder:
    def __init__(self, port: int) -> None:
        self._to = ("127.0.0.1", port)
        self._open: list[socket.socket] = []
        self._speaks = threading.Event()
        self._speaks.set()
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listening.getsockname()[1])

    def __enter__(self) -> Self:
        self._serve()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _serve(self) -> None:
        threading.Thread(target=self._accept, args=(self._listening,), daemon=True).start()

    def close(self) -> None:
        for each in (self._listening, *self._open):
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
            each.close()
        self._open.clear()

    def reopen(self) -> None:
        self._listening = socket.create_server(("127.0.0.1", self.port))
        self._serve()

    def be_silent(self) -> None:
        """Connections stay, and are taken, and nothing is heard of them."""
        self._speaks.clear()

    def speak(self) -> None:
        self._speaks.set()

    def _accept(self, listening: socket.socket) -> None:
        with suppress(OSError):
            while True:
                client, _ = listening.accept()
                server = socket.create_connection(self._to)
                self._open += [client, server]
                for here, there in ((client, server), (server, client)):
                    threading.Thread(target=self._copy, args=(here, there), daemon=True).start()

    def _copy(self, here: socket.socket, there: socket.socket) -> None:
        with suppress(OSError):
            while data := here.recv(1 << 16):
                self._speaks.wait()
                there.sendall(data)
        for each in (here, there):
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
