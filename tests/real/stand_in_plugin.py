"""A device plugin without devices: kubelet hears of GPUs from it over the socket and in the words that it hears of any.

Of NVIDIA's own plugin it has nothing but the resource's name.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Self

import grpc

from .daemon import PATIENCE

RESOURCE = "nvidia.com/gpu"
SOCKET = "nvidia-gpu.sock"
FOLDER = "var/lib/kubelet/device-plugins"
SERVICE = "v1beta1.DevicePlugin"
REGISTER = "/v1beta1.Registration/Register"


class StandInPlugin:
    """`healthy` says which of its GPUs are; setting it tells kubelet."""

    def __init__(self, node: Path, count: int) -> None:
        self.folder = node / FOLDER
        self._healthy = [True] * count
        self._changed = threading.Condition()
        self._over = threading.Event()
        self._cleanup = ExitStack()
        # Why it hands out none, as long as it does not.
        self.refuses: str | None = None
        # What a container is given that asked for these: its environment, and by their paths in it folders of the node.
        self.gives: Callable[[list[str]], tuple[Mapping[str, str], Mapping[str, str]]] = lambda _: ({}, {})
        # Names of CDI devices, which containerd looks up in its specifications.
        self.names: tuple[str, ...] = ()

    def __enter__(self) -> Self:
        threads = ThreadPoolExecutor()
        server = grpc.server(threads)
        server.add_generic_rpc_handlers([grpc.method_handlers_generic_handler(SERVICE, self._methods())])
        server.add_insecure_port(f"unix:{self.folder / SOCKET}")
        server.start()
        self._cleanup.callback(lambda: server.stop(0).wait(PATIENCE))
        self._cleanup.callback(self._end)
        with grpc.insecure_channel(f"unix:{self.folder / 'kubelet.sock'}", OPTIONS) as channel:
            channel.unary_unary(REGISTER, bytes, bytes)(_register(), timeout=PATIENCE)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._cleanup.close()

    def fall_ill(self, number: int) -> None:
        with self._changed:
            self._healthy[number] = False
            self._changed.notify_all()

    def _end(self) -> None:
        with self._changed:
            self._over.set()
            self._changed.notify_all()

    def _methods(self) -> dict[str, grpc.RpcMethodHandler[bytes, bytes]]:
        return {
            "GetDevicePluginOptions": grpc.unary_unary_rpc_method_handler(lambda *_: b""),
            "ListAndWatch": grpc.unary_stream_rpc_method_handler(self._list),
            "Allocate": grpc.unary_unary_rpc_method_handler(self._allocate),
        }

    def _list(self, *_: object) -> Iterator[bytes]:
        while not self._over.is_set():
            with self._changed:
                states = list(self._healthy)
            yield b"".join(_field(1, _device(number, well)) for number, well in enumerate(states))
            with self._changed:
                while not self._over.is_set() and states == self._healthy:
                    self._changed.wait()

    def _allocate(self, asked: bytes, context: grpc.ServicerContext) -> bytes:
        if self.refuses is not None:
            context.abort(grpc.StatusCode.UNKNOWN, self.refuses)
        environment, mounts = self.gives(re.findall(r"GPU-[0-9]+", asked.decode("ascii", "replace")))
        told = [_field(1, _pair(*each)) for each in environment.items()]
        told += [_field(2, _pair(*each)) for each in mounts.items()]
        told += [_field(5, _field(1, each.encode())) for each in self.names]
        return _field(1, b"".join(told))  # one container


# A socket is no name of a server.
OPTIONS = [("grpc.default_authority", "localhost")]


def _register() -> bytes:
    return _field(1, b"v1beta1") + _field(2, SOCKET.encode()) + _field(3, RESOURCE.encode())


def _device(number: int, well: bool) -> bytes:
    return _field(1, f"GPU-{number}".encode()) + _field(2, b"Healthy" if well else b"Unhealthy")


def _pair(one: str, other: str) -> bytes:
    """A name and its value; a path in the container and that of the node."""
    return _field(1, one.encode()) + _field(2, other.encode())


def _field(number: int, content: bytes) -> bytes:
    """As protobuf writes text and messages; ours have no other fields."""
    size, left = b"", len(content)
    while left > 127:
        size += bytes([left & 127 | 128])
        left >>= 7
    return bytes([number << 3 | 2]) + size + bytes([left]) + content
