"""A release, without what publishes it: everything lies in build/release at the end, signed and verified again.

python tools/release.py dry                 on any state of the tree, with a key of its own that is thrown away
python tools/release.py make --key FILE     on a clean commit, with the changelog's section dated
python tools/release.py cut [--date DAY]    makes that section of what is unreleased
python tools/release.py verify DIR --key P  that the files are those that were signed, by the public key P
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import changelog
from bill_of_materials import bill
from changelog import NotReady, Section
from provenance import new_key, public_key, sign, statement, verified
from release_tree import Tree
from reproducible import build, digest, whole

ROOT = Path(__file__).resolve().parents[1]
RELEASE = ROOT / "build" / "release"
SUMS = "SHA256SUMS"
PROVENANCE = "provenance.dsse.json"
MATERIALS = ("locks/all.txt", "locks/build.txt", "pyproject.toml")


def main(arguments: list[str]) -> int:
    options = _options(arguments)
    try:
        return int(options.run(options) or 0)
    except NotReady as problem:
        print(f"release: {problem}", file=sys.stderr)
        return 1


def _options(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    for name, run in (("dry", dry), ("make", make), ("cut", cut), ("verify", verify)):
        command = commands.add_parser(name)
        command.set_defaults(run=run)
        command.add_argument("--root", type=Path, default=ROOT, help=argparse.SUPPRESS)
        if name == "verify":
            command.add_argument("folder", type=Path)
        if name in ("make", "verify"):
            command.add_argument("--key", type=Path, required=True)
        if name in ("dry", "make"):
            command.add_argument("--into", type=Path, default=RELEASE)
        if name == "cut":
            command.add_argument("--date", type=date.fromisoformat, default=datetime.now(UTC).date())
    return parser.parse_args(arguments)


def cut(options: argparse.Namespace) -> None:
    tree = Tree(options.root)
    tree.changelog.write_text(changelog.cut(tree.changes, tree.version, options.date), encoding="utf-8")
    print(f"CHANGELOG.md: the section of {tree.version}, {options.date}; read it, run `make docs`, commit")


def dry(options: argparse.Namespace) -> None:
    tree = Tree(options.root)
    for note in _in_the_way(tree):
        print(f"a release would end here: {note}")
    changes = tree.changes
    if not changelog.has_section(changes, tree.version):
        changes = changelog.cut(changes, tree.version, datetime.now(UTC).date())
    with tempfile.TemporaryDirectory() as temporary:
        key = Path(temporary, "key.pem")
        new_key(key)
        _release(tree, changelog.section(changes, tree.version), key, options.into)
    print("this was a dry run: the key is gone, nothing was published")


def make(options: argparse.Namespace) -> None:
    tree = Tree(options.root)
    if found := list(_in_the_way(tree)):
        raise NotReady("; ".join(found))
    _release(tree, changelog.section(tree.changes, tree.version), options.key, options.into)


def _in_the_way(tree: Tree) -> Iterator[str]:
    if tree.changed:
        yield "the tree has changes that are not committed"
    if not changelog.has_section(tree.changes, tree.version):
        yield f"CHANGELOG.md has no section of {tree.version} yet (make release-cut)"
    elif f"v{tree.version}" not in tree.tags:
        yield f"the commit has no tag v{tree.version}"


def _release(tree: Tree, version: Section, key: Path, into: Path) -> None:
    print(f"nodeworthy {version.version}, {version.date}")
    into.mkdir(parents=True, exist_ok=True)
    for old in into.iterdir():
        old.unlink()
    with tempfile.TemporaryDirectory() as temporary:
        files = build(tree.copied(Path(temporary, "tree")), version.epoch, into)
    whole(next(path for path in files if path.suffix == ".whl"))
    print("built twice, and from the sdist, with the same bytes; no module is missing")
    files.append(_bill(tree, version, files, into))
    _sums(files, into)
    _sign(tree, version, files, key, into)
    check(into, into / "release.pub")
    for path in sorted(into.iterdir()):
        print(f"  {path.name}  {path.stat().st_size:,} bytes")


def _bill(tree: Tree, version: Section, files: list[Path], into: Path) -> Path:
    written = bill(
        version.version, tree.text("locks/all.txt"), version.epoch, {each.name: digest(each) for each in files}
    )
    path = into / f"nodeworthy-{version.version}.cdx.json"
    path.write_text(json.dumps(written, indent=1) + "\n", encoding="utf-8")
    print(f"a bill of materials: {len(written['components'])} libraries")
    return path


def _sums(files: list[Path], into: Path) -> None:
    """As `sha256sum --check` reads them."""
    (into / SUMS).write_text("".join(f"{digest(each)}  {each.name}\n" for each in sorted(files)), encoding="utf-8")


def _sign(tree: Tree, version: Section, files: list[Path], key: Path, into: Path) -> None:
    materials: list[dict[str, Any]] = [
        {"name": name, "digest": {"sha256": digest(tree.root / name)}} for name in MATERIALS
    ]
    if not tree.changed:
        materials.insert(0, {"name": "source", "digest": {"gitCommit": tree.commit}})
    said = statement(version.version, version.epoch, {each.name: digest(each) for each in files}, materials)
    (into / PROVENANCE).write_text(json.dumps(sign(said, key), indent=1) + "\n", encoding="utf-8")
    (into / "release.pub").write_bytes(public_key(key))


def verify(options: argparse.Namespace) -> None:
    check(options.folder, options.key)


def check(folder: Path, public: Path) -> None:
    envelope = json.loads((folder / PROVENANCE).read_text(encoding="utf-8"))
    signed = {each["name"]: each["digest"]["sha256"] for each in verified(envelope, public)["subject"]}
    for name, expected in signed.items():
        path = folder / name
        if not path.is_file():
            raise NotReady(f"{name} was signed, and is not there")
        if digest(path) != expected:
            raise NotReady(f"{name} is not the file that was signed")
    told = subprocess.run(["sha256sum", "--check", "--quiet", SUMS], cwd=folder, capture_output=True, check=False)
    if told.returncode != 0:
        raise NotReady(f"{SUMS} does not fit the files")
    print(f"verified: {', '.join(signed)}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
