"""Wheels of what is installed here, so that an installation in a clean place asks no registry."""

from __future__ import annotations

import base64
import hashlib
import os
import zipfile
from collections.abc import Iterator
from importlib.metadata import Distribution, distribution
from pathlib import Path

# What building nodeworthy needs, and what its base install needs.
NEEDED = ("hatchling", "packaging", "pathspec", "pluggy", "trove-classifiers", "pyyaml")
OF_AN_INSTALLATION = {"RECORD", "INSTALLER", "REQUESTED", "direct_url.json"}


def fill(folder: Path) -> Path:
    for name in NEEDED:
        _wheel(distribution(name), folder)
    return folder


def _wheel(installed: Distribution, folder: Path) -> None:
    name = installed.metadata["Name"].replace("-", "_")
    tag = next(
        line.removeprefix("Tag: ") for line in (installed.read_text("WHEEL") or "").splitlines() if "Tag:" in line
    )
    contents = dict(_contents(installed))
    info = next(path for path in contents if path.endswith(".dist-info/METADATA")).rpartition("/")[0]
    record = [f"{path},sha256={_digest(data)},{len(data)}" for path, data in contents.items()]
    contents[f"{info}/RECORD"] = "\n".join([*record, f"{info}/RECORD,,", ""]).encode()
    with zipfile.ZipFile(folder / f"{name}-{installed.version}-{tag}.whl", "w") as wheel:
        for path, data in contents.items():
            wheel.writestr(path, data)


def _contents(installed: Distribution) -> Iterator[tuple[str, bytes]]:
    for file in installed.files or ():
        source = Path(str(installed.locate_file(file)))
        ours = ".." not in file.parts and file.suffix != ".pyc" and file.name not in OF_AN_INSTALLATION
        if ours and source.is_file():
            yield file.as_posix(), source.read_bytes()


def _digest(data: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


def environment(wheels: Path, home: Path) -> dict[str, str]:
    """Of a person who has these wheels and nothing else: no network, no settings, no cache."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PIP_", "UV_", "PYTHON", "GIT_"))}
    return {
        **kept,
        "HOME": str(home),
        "XDG_CACHE_HOME": str(home / ".cache"),
        "XDG_DATA_HOME": str(home / ".local" / "share"),
        "PIP_NO_INDEX": "1",
        "PIP_FIND_LINKS": str(wheels),
        "PIP_CONFIG_FILE": os.devnull,
        "UV_NO_CONFIG": "1",
        "UV_OFFLINE": "1",
        "UV_FIND_LINKS": str(wheels),
        "UV_NO_INDEX": "1",
    }
