"""The release's recipe: it ends where something is missing, and what it signs can't be changed unseen."""

from __future__ import annotations

import importlib
import json
import os
import shutil
import subprocess
import sys
import zipfile
from datetime import date
from importlib.resources import files
from pathlib import Path
from types import ModuleType

import pytest
from jsonschema import Draft7Validator
from referencing import Registry, Resource

from nodeworthy import __version__
from tests.architecture.tree import ROOT, copy
from tests.install.conftest import SOURCES

RELEASE = ROOT / "tools" / "release.py"
BESIDE = "http://cyclonedx.org/schema/"
SCHEMAS = files("cyclonedx.schema._res")


def git(tree: Path, *arguments: str) -> None:
    somebody = {
        f"GIT_{who}_{what}": "somebody@example.org" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")
    }
    subprocess.run(["git", *arguments], cwd=tree, env={**os.environ, **somebody}, check=True, capture_output=True)


def release(tree: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(RELEASE), arguments[0], "--root", str(tree), *arguments[1:]]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    tree = copy(tmp_path_factory.mktemp("tree"), *SOURCES, "locks", ".gitignore")
    git(tree, "init", "--quiet")
    git(tree, "add", "--all")
    git(tree, "commit", "--quiet", "--message", "a state")
    return tree


@pytest.fixture(scope="module")
def released(tree: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    into = tmp_path_factory.mktemp("released")
    told = release(tree, "dry", "--into", str(into))
    assert told.returncode == 0, told.stderr
    assert "built twice" in told.stdout
    assert "nothing was published" in told.stdout
    return into


def test_it_has_all_that_a_release_has(released: Path) -> None:
    names = {path.name for path in released.iterdir()}
    stem = f"nodeworthy-{__version__}"
    assert names == {
        f"{stem}-py3-none-any.whl",
        f"{stem}.tar.gz",
        f"{stem}.cdx.json",
        "SHA256SUMS",
        "provenance.dsse.json",
        "release.pub",
    }


def verify(folder: Path) -> subprocess.CompletedProcess[str]:
    return release(ROOT, "verify", str(folder), "--key", str(folder / "release.pub"))


@pytest.mark.parametrize(
    "changed", [".whl", ".tar.gz", ".cdx.json", "SHA256SUMS", "provenance.dsse.json", "release.pub"]
)
def test_a_file_that_was_changed_is_seen(released: Path, tmp_path: Path, changed: str) -> None:
    spoilt = Path(shutil.copytree(released, tmp_path / "spoilt"))
    assert verify(spoilt).returncode == 0
    path = next(path for path in spoilt.iterdir() if path.name.endswith(changed))
    if changed == "provenance.dsse.json":
        envelope = json.loads(path.read_text())
        path.write_text(json.dumps({**envelope, "payload": "eyJzdWJqZWN0IjogW119"}))
    elif changed == "release.pub":
        subprocess.run(["openssl", "genpkey", "-algorithm", "ed25519", "-out", tmp_path / "other"], check=True)
        subprocess.run(["openssl", "pkey", "-in", tmp_path / "other", "-pubout", "-out", path], check=True)
    else:
        path.write_bytes(path.read_bytes().replace(b"0", b"1", 1))
    told = verify(spoilt)
    assert (told.returncode, told.stdout) == (1, "")
    assert told.stderr.startswith("release: ")


def test_one_that_is_missing_is_seen(released: Path, tmp_path: Path) -> None:
    spoilt = Path(shutil.copytree(released, tmp_path / "spoilt"))
    next(spoilt.glob("*.cdx.json")).unlink()
    assert "is not there" in verify(spoilt).stderr


def test_the_bill_of_materials_is_of_its_schema_and_of_the_lock(released: Path) -> None:
    bill = json.loads(next(released.glob("*.cdx.json")).read_text())
    names = ("bom-1.6.SNAPSHOT.schema.json", "spdx.SNAPSHOT.schema.json", "jsf-0.82.SNAPSHOT.schema.json")
    schemas = {name: json.loads(SCHEMAS.joinpath(name).read_text(encoding="utf-8")) for name in names}
    # They name each other as files beside them.
    resources = ((f"{BESIDE}{name}", Resource.from_contents(schema)) for name, schema in schemas.items())
    found = Draft7Validator(schemas[names[0]], registry=Registry().with_resources(resources)).iter_errors(bill)
    assert [error.message for error in found] == []
    libraries = {each["name"]: each for each in bill["components"]}
    assert {"pyyaml", "pulumi", "boto3", "kubernetes", "pytest"} <= libraries.keys()
    assert {"mypy", "ruff", "moto", "mkdocs"} & libraries.keys() == set()
    assert f"--hash=sha256:{libraries['pyyaml']['hashes'][0]['content']}" in (ROOT / "locks" / "all.txt").read_text()
    ours = next(each for each in bill["dependencies"] if each["ref"] == f"pkg:pypi/nodeworthy@{__version__}")
    assert libraries["pyyaml"]["bom-ref"] in ours["dependsOn"]


def test_a_release_ends_where_something_is_missing(tree: Path, tmp_path: Path) -> None:
    key = tmp_path / "key.pem"
    told = release(tree, "make", "--key", str(key), "--into", str(tmp_path / "into"))
    assert (told.returncode, "has no section of" in told.stderr) == (1, True), told.stderr
    (tree / "CHANGELOG.md").write_text((tree / "CHANGELOG.md").read_text() + "\n")
    told = release(tree, "make", "--key", str(key), "--into", str(tmp_path / "into"))
    git(tree, "checkout", "--quiet", "CHANGELOG.md")
    assert "not committed" in told.stderr
    assert not (tmp_path / "into").exists()


@pytest.fixture
def changelog(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    return importlib.import_module("changelog")


def test_a_section_is_cut_once(changelog: ModuleType) -> None:
    day = date(2026, 11, 22)
    cut = changelog.cut("# Changelog\n\n## [Unreleased]\n\n- news\n\n## [0.1.0] - 2026-01-01\n\n- old\n", "0.2.0", day)
    assert cut.startswith("# Changelog\n\n## [Unreleased]\n\n## [0.2.0] - 2026-11-22\n\n- news\n")
    assert changelog.section(cut, "0.2.0").body == "- news"
    assert changelog.section(cut, "0.1.0").body == "- old"
    with pytest.raises(changelog.NotReady, match=r"has a section of 0\.2\.0 already"):
        changelog.cut(cut, "0.2.0", day)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("## [Unreleased]\n\n- news\n", "has no section of 1.0.0"),
        ("## [1.0.0]\n\n- news\n", "has no date"),
        ("## [1.0.0] - soon\n\n- news\n", "has no date"),
        ("## [1.0.0] - 2026-11-22\n\n## [0.9.0] - 2026-01-01\n\n- old\n", "is empty"),
    ],
)
def test_a_changelog_that_is_not_ready_is_told(changelog: ModuleType, text: str, says: str) -> None:
    with pytest.raises(changelog.NotReady, match=says):
        changelog.section(text, "1.0.0")


def test_a_build_that_differs_from_place_to_place_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, changelog: ModuleType
) -> None:
    reproducible = importlib.import_module("reproducible")
    monkeypatch.setattr(reproducible, "_hatchling", lambda tree, into, *_: writes_its_own_path(into))
    (tmp_path / "tree").mkdir()
    with pytest.raises(changelog.NotReady, match="not reproducible"):
        reproducible.build(tmp_path / "tree", 0, tmp_path / "into")


def test_a_wheel_that_lacks_a_module_is_refused(
    wheel: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, changelog: ModuleType
) -> None:
    reproducible = importlib.import_module("reproducible")
    lacking = tmp_path / wheel.name
    with zipfile.ZipFile(wheel) as whole, zipfile.ZipFile(lacking, "w") as spoilt:
        for name in whole.namelist():
            if name != "nodeworthy/verdict.py":
                spoilt.writestr(name, whole.read(name))
    with pytest.raises(changelog.NotReady, match=r"is not whole: .* imports nodeworthy\.verdict"):
        reproducible.whole(lacking)


def writes_its_own_path(into: Path) -> None:
    into.mkdir(parents=True)
    (into / "nodeworthy-1.whl").write_text(str(into))
