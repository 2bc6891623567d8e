"""Follows every link of a built site: python tools/site_check.py site

A link within the site must end at a file, and at a place of it that is there; nothing is loaded from elsewhere.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

# What a page loads by itself, unlike what a reader may click.
LOADED = {("script", "src"), ("img", "src"), ("iframe", "src"), ("source", "src")}
LOADED_LINKS = {"stylesheet", "icon", "preload", "preconnect", "prefetch", "manifest"}


@dataclass
class Found(HTMLParser):
    """The places of a page that a link can end at, what it links to, and what it loads."""

    places: set[str] = field(default_factory=set)
    links: list[str] = field(default_factory=list)
    loaded: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        said = {name: value or "" for name, value in attrs}
        self.places |= {said[name] for name in ("id", "name") if name in said}
        for name in ("href", "src"):
            if name in said:
                self.links.append(said[name])
                if (tag, name) in LOADED or (tag == "link" and LOADED_LINKS & set(said.get("rel", "").split())):
                    self.loaded.append(said[name])


def pages_of(site: Path) -> dict[Path, Found]:
    read = {}
    for path in sorted(site.rglob("*.html")):
        read[path.resolve()] = found = Found()
        found.feed(path.read_text(encoding="utf-8"))
    return read


def faults(site: Path) -> Iterator[str]:
    pages = pages_of(site)
    if not pages:
        yield f"{site}: there is no page in it"
    for path, found in pages.items():
        name = path.relative_to(site.resolve())
        yield from (f"{name}: loads {link} from elsewhere" for link in found.loaded if _is_elsewhere(link))
        # The server's page for what is not there has no place of its own, and names everything from the root.
        if path.name != "404.html":
            yield from (f"{name}: {link} {fault}" for link in found.links if (fault := _fault(path, link, pages)))


def _is_elsewhere(link: str) -> bool:
    return bool(urlsplit(link).netloc)


def _fault(page: Path, link: str, pages: dict[Path, Found]) -> str:
    parts = urlsplit(link)
    if parts.scheme or parts.netloc:
        return ""
    end = (page.parent / unquote(parts.path)).resolve() if parts.path else page
    if not end.exists():
        return "is not there"
    place = unquote(parts.fragment)
    # Where scripts of the page write the place themselves, it begins with two underscores.
    if place and not place.startswith("__") and end in pages and place not in pages[end].places:
        return "has no such place in it"
    return ""


def main(arguments: list[str]) -> int:
    (site,) = map(Path, arguments)
    found = list(faults(site))
    print("\n".join(found) if found else f"{site}: {len(pages_of(site))} pages, every link ends somewhere")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
