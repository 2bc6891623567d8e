"""A real registry on 127.0.0.1, and images of files that this machine has: nothing is pulled from anywhere else."""

from __future__ import annotations

import hashlib
import io
import json
import platform
import tarfile
import urllib.request
from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Self

from .daemon import PATIENCE, Daemon, scratch
from .ports import free_ports
from .tools import Tools

# Where these are links to below /usr, they are in an image, too.
OF_USR = ("/bin", "/lib", "/lib64", "/sbin")
Config = Mapping[str, object]
MANIFEST = "application/vnd.oci.image.manifest.v1+json"
CONFIG = "application/vnd.oci.image.config.v1+json"
# Not compressed: nothing of it goes far.
LAYER = "application/vnd.oci.image.layer.v1.tar"
ARCHITECTURE = {"x86_64": "amd64", "aarch64": "arm64"}.get(platform.machine(), platform.machine())


class Registry:
    """What was pushed to it is gone when it is."""

    def __init__(self, tools: Tools) -> None:
        self.crane = tools.path("crane")
        (self.port,) = free_ports(1)
        self._cleanup = ExitStack()

    def __enter__(self) -> Self:
        self.folder = Path(self._cleanup.enter_context(scratch("registry")))
        serve: list[str | Path] = [self.crane, "registry", "serve", "--address", f"127.0.0.1:{self.port}"]
        daemon = Daemon(serve, self.folder / "registry.log")
        self._cleanup.callback(daemon.kill)
        daemon.wait_until(lambda: "serving" in daemon.tail())
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._cleanup.close()

    def push(self, name: str, files: Iterable[Path], made: Mapping[str, bytes | Path], config: Config) -> str:
        """Files of this machine under their own names, and `made` under others; answers what a node pulls it by."""
        layer = self.folder / "layer.tar"
        with tarfile.open(layer, "w", dereference=True) as packed:
            _add_links(packed)
            for each in sorted({file.parent.resolve() / file.name for file in files}):
                packed.add(each, str(each))
            for path, what in made.items():
                _add(packed, path, what)
        packed_layer = self._blob(name, LAYER, layer.read_bytes())
        layer.unlink()
        root = {"type": "layers", "diff_ids": [packed_layer["digest"]]}
        told = {"architecture": ARCHITECTURE, "os": "linux", "config": config, "rootfs": root}
        manifest = {
            "schemaVersion": 2,
            "mediaType": MANIFEST,
            "config": self._blob(name, CONFIG, json.dumps(told).encode()),
            "layers": [packed_layer],
        }
        self._send("PUT", f"{name}/manifests/1", MANIFEST, json.dumps(manifest).encode())
        return f"127.0.0.1:{self.port}/{name}:1"

    def _blob(self, name: str, kind: str, content: bytes) -> dict[str, object]:
        digest = f"sha256:{hashlib.sha256(content).hexdigest()}"
        self._send("POST", f"{name}/blobs/uploads/?digest={digest}", "application/octet-stream", content)
        return {"mediaType": kind, "digest": digest, "size": len(content)}

    def _send(self, method: str, path: str, kind: str, content: bytes) -> None:
        url = f"http://127.0.0.1:{self.port}/v2/{path}"
        sent = urllib.request.Request(url, content, {"Content-Type": kind}, method=method)
        with urllib.request.urlopen(sent, timeout=PATIENCE):
            return


def _add(packed: tarfile.TarFile, path: str, what: bytes | Path) -> None:
    if isinstance(what, Path):
        packed.add(what, path)
        return
    entry = tarfile.TarInfo(path)
    entry.size, entry.mode = len(what), 0o755
    packed.addfile(entry, io.BytesIO(what))


def _add_links(packed: tarfile.TarFile) -> None:
    for each in map(Path, OF_USR):
        if each.is_symlink():
            entry = tarfile.TarInfo(str(each))
            entry.type, entry.linkname = tarfile.SYMTYPE, str(each.readlink())
            packed.addfile(entry)
