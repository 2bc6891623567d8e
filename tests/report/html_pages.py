"""A page as a parser of HTML reads it: its tags, what it would fetch, and what it says."""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser

VOID = {"meta", "input", "br"}
# What the page is made of, the drawing of a fleet among it. None of these runs or fetches anything.
KNOWN = VOID | set(
    "html head title style body header main nav section article fieldset legend label h1 h2 h3 p ul li dl dt dd details "
    "summary a b i em strong small code pre span mark figure table tr th td div svg defs marker path rect text".split()
)
# Of an attribute's value a browser makes something; these name only what is in the page itself.
ATTRIBUTES = set(
    "lang charset http-equiv content name class id href open type checked scope tabindex role aria-label aria-hidden "
    "aria-labelledby style viewbox xmlns x y width height rx d refx refy markerwidth markerheight orient "
    "marker-end".split()
)


@dataclass
class Page(HTMLParser):
    markup: str
    tags: set[str] = field(default_factory=set)
    attributes: set[str] = field(default_factory=set)
    ids: list[str] = field(default_factory=list)
    links: list[str] = field(default_factory=list)
    says: list[str] = field(default_factory=list)
    comments: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self._open: list[str] = []
        self.feed(self.markup)
        self.close()
        assert self._open == []

    @property
    def text(self) -> str:
        return "".join(self.says)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        if tag not in VOID:
            self._open.append(tag)
        for attribute, value in attrs:
            self.attributes.add(attribute)
            if attribute == "id":
                self.ids.append(value or "")
            if attribute == "href":
                self.links.append(value or "")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self._open.pop()

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self._open[-1:] != ["style"]:
            self.says.append(data)

    def handle_comment(self, data: str) -> None:
        self.comments.append(data)
