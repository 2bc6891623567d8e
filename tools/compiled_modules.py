"""Compiles modules of nodeworthy with mypyc, into a folder: of each what Python loads in its stead.

python tools/compiled_modules.py DIR

Which modules stands in pyproject.toml (`tool.nodeworthy-compiled`). They are compiled as one group: what calls each
other is quick only inside of one. It needs a C compiler, and takes some minutes. `make compiled` builds a wheel of it,
by the hook below, which is off wherever nobody has asked for it: who installs nodeworthy needs no compiler.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

ROOT = Path(__file__).resolve().parents[1]
# Written-out records have lost their comments, and a type checker's exceptions with them: it has looked at the sources.
_SETTINGS = """\
[mypy]
namespace_packages = true
explicit_package_bases = true
follow_imports = silent
disable_error_code = arg-type, assignment, misc, operator, override
"""


class CompiledModules(BuildHookInterface):  # type: ignore[type-arg]
    """A wheel for this platform and this Python, where it is asked for (HATCH_BUILD_HOOK_ENABLE_CUSTOM=1)."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        del version
        made = Path(self.directory, "compiled")
        subprocess.run([sys.executable, __file__, str(made)], check=True)
        build_data["pure_python"], build_data["infer_tag"] = False, True
        # Its modules name what mypyc is told by this.
        build_data["dependencies"].append("mypy-extensions>=1")
        build_data["force_include"] |= {str(each): each.relative_to(made).as_posix() for each in made.rglob("*.so")}


def modules(root: Path = ROOT) -> list[str]:
    """The files of those that are compiled, in order."""
    settings = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    named = settings["tool"]["nodeworthy-compiled"]
    left = {path for pattern in named["except"] for path in root.glob(pattern)}
    found = {path for pattern in named["modules"] for path in root.glob(pattern) if path.name != "__init__.py"}
    return sorted(path.relative_to(root).as_posix() for path in found - left)


def write_out(files: Sequence[str], into: Path) -> None:
    """The whole package, in which these modules have their records written out."""
    from compiled_records import Modules, written_out

    shutil.copytree(ROOT / "nodeworthy", into / "nodeworthy", ignore=shutil.ignore_patterns("__pycache__"))
    read = Modules()
    for file in files:
        read.read(ROOT, file)
    read.lay_out()
    for file in files:
        (into / file).write_text(written_out(read, file), encoding="utf-8")


def compile_modules(files: Sequence[str], sources: Path, into: Path) -> None:
    from mypyc.build import mypycify
    from setuptools import setup  # type: ignore[import-untyped]

    (sources / "mypy.ini").write_text(_SETTINGS, encoding="utf-8")
    os.chdir(sources)
    extensions = mypycify(["--config-file", "mypy.ini", *files], opt_level="2", debug_level="0", multi_file=True)
    words = ["--quiet", "build_ext", "--build-lib", str(into), "--parallel", str(os.cpu_count() or 1)]
    setup(name="nodeworthy", packages=[], ext_modules=extensions, script_args=words)


def main(into: Path) -> None:
    files = modules()
    shutil.rmtree(into, ignore_errors=True)
    with tempfile.TemporaryDirectory() as folder:
        write_out(files, Path(folder))
        compile_modules(files, Path(folder), into)


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
