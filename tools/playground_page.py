"""Makes the playground: python tools/playground_page.py site/playground

A folder of a page, classic scripts and nothing else: Pyodide of the version and the hash that
playground/package-lock.json names, PyYAML of locks/all.txt, and nodeworthy's own wheel. The page speaks with nobody,
so it works from a disk, and under a policy that allows wasm-unsafe-eval and no other evaluation.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import io
import json
import shutil
import subprocess
import sys
import tempfile
import tomllib
import zipfile
from collections.abc import Iterator, Mapping
from importlib.metadata import files
from pathlib import Path

from recipes import cache

SOURCE = Path(__file__).resolve().parent / "playground"
ROOT = SOURCE.parents[1]
INGREDIENTS = ("package.json", "package-lock.json")
# Always the same bytes of the same parts.
EPOCH = (1980, 1, 1, 0, 0, 0)
# Pyodide's glue is a module of JavaScript, which no browser loads from a disk: what makes it one, and what a script
# has in its place. Each must be there as often as it says.
OF_A_MODULE = (
    ("import.meta.url", "document.baseURI", 3),
    ("export default _createPyodideModule", "playground.createPyodideModule = _createPyodideModule", 1),
)


class NotMade(Exception):
    """Why there is no playground, in a sentence."""


def main(arguments: list[str]) -> int:
    (into,) = map(Path, arguments)
    try:
        make(into)
    except NotMade as why:
        print(f"playground: {why}", file=sys.stderr)
        return 1
    return 0


def make(into: Path) -> None:
    python = pyodide()
    shutil.rmtree(into, ignore_errors=True)
    into.mkdir(parents=True)
    for name, text in scripts(python).items():
        (into / name).write_text(text, encoding="utf-8")
    for name in ("page.css", "page.js"):
        shutil.copyfile(SOURCE / name, into / name)
    page = (SOURCE / "index.html").read_text(encoding="utf-8")
    (into / "index.html").write_text(page.replace("VERSION", version()).replace("SIZE", size(into)), encoding="utf-8")


def size(folder: Path) -> str:
    return f"{sum(each.stat().st_size for each in folder.iterdir()) / 1e6:.0f} MB"


def version() -> str:
    from nodeworthy import __version__

    return __version__


def pyodide() -> Path:
    """Its package, in the cache of the tools: fetched once, and taken only with the hash that is locked."""
    digest = hashlib.sha256(b"".join((SOURCE / each).read_bytes() for each in INGREDIENTS))
    home = cache() / f"playground-{digest.hexdigest()[:16]}"
    package = home / "node_modules" / "pyodide"
    if not package.is_dir():
        _fetch(home)
    return package


def _fetch(home: Path) -> None:
    npm = shutil.which("npm")
    if npm is None:
        raise NotMade("npm is not on PATH, which fetches Pyodide; install Node.js 20 or newer")
    home.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=home.parent, prefix=".playground-") as scratch:
        for each in INGREDIENTS:
            shutil.copyfile(SOURCE / each, Path(scratch, each))
        command = [npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--omit=optional"]
        told = subprocess.run(command, cwd=scratch, capture_output=True, text=True, timeout=600, check=False)
        if told.returncode != 0:
            raise NotMade(f"npm could not fetch Pyodide; it said last: {told.stderr.strip()[-500:]}")
        # Whole, or not at all; another one may have been quicker.
        if not home.exists():
            Path(scratch).rename(home)
            Path(scratch).mkdir()


def scripts(python: Path) -> Mapping[str, str]:
    return {
        "examples.js": examples(),
        "python.js": glue(python),
        "interpreter.js": part("pyodide.asm.wasm", (python / "pyodide.asm.wasm").read_bytes()),
        "library.js": part("python_stdlib.zip", (python / "python_stdlib.zip").read_bytes()),
        "nodeworthy.js": part("nodeworthy.zip", ours()),
    }


def examples() -> str:
    given = tomllib.loads((SOURCE / "examples.toml").read_text(encoding="utf-8"))["example"]
    told = [{"fleet": "", **each} for each in given]
    return f'"use strict";\nglobalThis.nodeworthyPlayground = {{parts: {{}}, examples: {json.dumps(told)}}};\n'


def part(name: str, data: bytes) -> str:
    packed = base64.b64encode(gzip.compress(data, 9, mtime=0)).decode()
    return f"nodeworthyPlayground.parts[{json.dumps(name)}] = '{packed}';\n"


def glue(python: Path) -> str:
    """Pyodide's two scripts as one, whose only way to fetch something is the page's."""
    module = (python / "pyodide.asm.mjs").read_text(encoding="utf-8")
    for said, instead, times in OF_A_MODULE:
        if module.count(said) != times:
            raise NotMade(f"pyodide.asm.mjs has {said!r} {module.count(said)} times, and not {times}")
        module = module.replace(said, instead)
    loader = (python / "pyodide.js").read_text(encoding="utf-8").partition("//# sourceMappingURL")[0]
    lock = json.loads((python / "pyodide-lock.json").read_text(encoding="utf-8"))
    known = json.dumps({"info": lock["info"], "packages": {}})
    return (
        f"((playground, fetch) => {{\n{module}\n{loader}\nplayground.loadPyodide = globalThis.loadPyodide;\n"
        f"playground.lock = {known};\n}})(nodeworthyPlayground, address => nodeworthyPlayground.fetch(address));\n"
    )


def ours() -> bytes:
    """The wheel, with PyYAML as it is in Python, and what reads what was pasted."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as into:
        for name, data in sorted(_modules()):
            into.writestr(zipfile.ZipInfo(name, EPOCH), data, zipfile.ZIP_DEFLATED, 9)
    return packed.getvalue()


def _modules() -> Iterator[tuple[str, bytes]]:
    yield "reading.py", (SOURCE / "reading.py").read_bytes()
    for each in files("pyyaml") or ():
        if each.parts[0] == "yaml" and each.suffix == ".py":
            yield each.as_posix(), each.read_binary()
    with tempfile.TemporaryDirectory() as scratch:
        command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", scratch]
        told = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=600, check=False)
        if told.returncode != 0:
            raise NotMade(f"hatchling could not build the wheel: {told.stderr.strip()[-500:]}")
        with zipfile.ZipFile(next(Path(scratch).glob("*.whl"))) as wheel:
            yield from ((name, wheel.read(name)) for name in wheel.namelist() if name.startswith("nodeworthy/"))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
