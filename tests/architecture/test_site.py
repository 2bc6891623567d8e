"""The site's own tools: what ends nowhere is named, what nobody named is there. `make site-check` builds it."""

from __future__ import annotations

import importlib
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

from tests.architecture.tree import ROOT


@pytest.fixture
def check(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    return importlib.import_module("site_check")


@pytest.fixture
def hooks(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    return importlib.import_module("site_hooks")


def site(folder: Path, body: str) -> Path:
    (folder / "rules").mkdir()
    (folder / "index.html").write_text(f"<html><body>{body}</body></html>")
    (folder / "rules" / "one.html").write_text('<h2 id="here">One</h2><a href="../index.html">back</a>')
    return folder


@pytest.mark.parametrize(
    "link",
    ["rules/one.html", "rules/one.html#here", "#top", "https://example.org/gone", "mailto:a@example.org"],
)
def test_a_link_that_ends_somewhere(check: ModuleType, tmp_path: Path, link: str) -> None:
    assert list(check.faults(site(tmp_path, f'<p id="top"><a href="{link}">x</a></p>'))) == []


@pytest.mark.parametrize(
    ("body", "fault"),
    [
        ('<a href="two.html">x</a>', "index.html: two.html is not there"),
        ('<a href="rules/one.html#gone">x</a>', "index.html: rules/one.html#gone has no such place in it"),
        ('<a href="#gone">x</a>', "index.html: #gone has no such place in it"),
        ('<img src="x.png">', "index.html: x.png is not there"),
        ('<script src="https://a.example/b.js"></script>', "index.html: loads https://a.example/b.js from elsewhere"),
        (
            '<link rel="stylesheet" href="//a.example/b.css">',
            "index.html: loads //a.example/b.css from elsewhere",
        ),
    ],
)
def test_one_that_ends_nowhere_is_named(check: ModuleType, tmp_path: Path, body: str, fault: str) -> None:
    assert list(check.faults(site(tmp_path, body))) == [fault]


def test_an_empty_site_is_no_success(check: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert check.main([str(tmp_path)]) == 1
    assert "there is no page in it" in capsys.readouterr().out


def test_the_navigation_has_every_page_that_is_there(hooks: ModuleType) -> None:
    written = [
        "index.md",
        {"For CI": ["pull-requests.md"]},
        {"Lines": ["EVIDENCE"]},
        {"Rules": ["rules/index.md", "RULES"]},
    ]
    there = {
        "index.md",
        "pull-requests.md",
        "rules/index.md",
        "rules/b.md",
        "rules/a.md",
        "evidence/c.md",
        "forgotten.md",
    }
    assert hooks.navigation(written, there) == [
        "index.md",
        {"For CI": ["pull-requests.md"]},
        {"Lines": ["evidence/c.md"]},
        {"Rules": ["rules/index.md", "rules/a.md", "rules/b.md"]},
        {"More": ["forgotten.md"]},
    ]


def test_a_page_as_the_site_needs_it(hooks: ModuleType) -> None:
    page = "<!-- Generated -->\n\n# One\n\n[how](../CONTRIBUTING.md), [what](ARCHITECTURE.md), [here](own-rules.md), [code](../policies/)\n\n```yaml a/b.yml\nx: 1\n```\n"
    assert hooks.on_page_markdown(page, page=_page("one.md")) == (
        '# One\n\n[how](contributing.md), [what](architecture.md), [here](own-rules.md), code\n\n```yaml title="a/b.yml"\nx: 1\n```\n'
    )


def test_a_page_in_a_folder_reaches_those_above_it(hooks: ModuleType) -> None:
    page = "[rule](../rules/one-driver.md), [how](../../CONTRIBUTING.md), [code](../../policies/)"
    assert hooks.on_page_markdown(page, page=_page("evidence/driver.md")) == (
        "[rule](../rules/one-driver.md), [how](../contributing.md), code"
    )


def _page(path: str) -> SimpleNamespace:
    return SimpleNamespace(file=SimpleNamespace(src_uri=path))
