"""What mkdocs needs to know of this repository: the rules' pages, three pages from beside docs/, blocks with a path."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files
    from mkdocs.structure.pages import Page

# What stands in the navigation for all pages of a folder, but for the one that leads to them.
FOLDERS = {"RULES": "rules", "EVIDENCE": "evidence"}
FROM_ABOVE = {
    "architecture.md": "ARCHITECTURE.md",
    "contributing.md": "CONTRIBUTING.md",
    "changelog.md": "CHANGELOG.md",
}
# A heading is a page's title where nothing stands before it.
COMMENT = re.compile(r"\A<!--.*?-->\s*", re.DOTALL)
# A block that names its file: superfences wants that as a title.
NAMED_BLOCK = re.compile(r"^(?P<marks>`{3,})(?P<language>\w+) (?P<path>[^\s`]+)$", re.MULTILINE)
LINK = re.compile(r"\[(?P<text>[^\]\n]+)\]\((?P<up>(?:\.\./)*)(?P<path>[^)\s]+)\)")


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    docs = Path(config.docs_dir)
    there = {path.relative_to(docs).as_posix() for path in docs.rglob("*.md")} | FROM_ABOVE.keys()
    config.nav = navigation(config.nav or [], there)
    return config


def navigation(nav: list[Any], there: set[str]) -> list[Any]:
    """The navigation as written, with the pages that it does not name at its end."""
    written = _written(nav, {word: _of_folder(folder, there) for word, folder in FOLDERS.items()})
    unnamed = sorted(there - set(_pages(written)))
    return [*written, {"More": unnamed}] if unnamed else written


def _of_folder(folder: str, there: set[str]) -> list[str]:
    return sorted(name for name in there if name.startswith(f"{folder}/") and name != f"{folder}/index.md")


def _written(nav: list[Any], folders: dict[str, list[str]]) -> list[Any]:
    written: list[Any] = []
    for each in nav:
        if isinstance(each, dict):
            written.append({title: _written(entries, folders) for title, entries in each.items()})
        else:
            written += folders.get(each, [each])
    return written


def _pages(nav: list[Any]) -> Iterator[str]:
    for each in nav:
        if isinstance(each, dict):
            yield from (page for entries in each.values() for page in _pages(entries))
        else:
            yield each


def on_files(files: Files, *, config: MkDocsConfig) -> Files:
    from mkdocs.structure.files import File

    above = Path(config.docs_dir).parent
    for name, source in FROM_ABOVE.items():
        files.append(File.generated(config, name, abs_src_path=str(above / source)))
    return files


def on_page_markdown(markdown: str, *, page: Page, **_: object) -> str:
    text = NAMED_BLOCK.sub(r'\g<marks>\g<language> title="\g<path>"', COMMENT.sub("", markdown))
    depth = page.file.src_uri.count("/")
    return LINK.sub(lambda link: _in_the_site(link, depth), text)


def _in_the_site(link: re.Match[str], depth: int) -> str:
    """What lies beside docs/ is read in the repository; pages that are also in the site name each other."""
    above = link["up"].count("../")
    if above and above <= depth:
        return link[0]
    page = next((name for name, source in FROM_ABOVE.items() if source == link["path"]), None)
    if page is None and link["path"].startswith("docs/"):
        page = link["path"].removeprefix("docs/")
    if page is not None:
        return f"[{link['text']}]({'../' * depth}{page})"
    return link["text"] if above else link[0]
