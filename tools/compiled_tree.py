"""The repository as git knows it, with the compiled modules of a wheel in it: what tests run against.

python tools/compiled_tree.py DIR    DIR holds the wheel; the tree is DIR/tree
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def main(folder: Path) -> None:
    tree = folder / "tree"
    shutil.rmtree(tree, ignore_errors=True)
    known = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in known.rstrip("\0").split("\0"):
        if (ROOT / name).is_file():
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, tree / name, follow_symlinks=False)
    with zipfile.ZipFile(next(folder.glob("*.whl"))) as wheel:
        wheel.extractall(tree, [name for name in wheel.namelist() if name.endswith(".so")])


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
