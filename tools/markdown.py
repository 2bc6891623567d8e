"""The few forms of Markdown that the generated pages need."""

from __future__ import annotations


def table(*rows: tuple[str, ...]) -> str:
    """The first row is the heading."""
    head, *body = [" | ".join(_cell(cell) for cell in row) for row in rows]
    return "\n".join(f"| {row} |" for row in (head, " | ".join("---" for _ in rows[0]), *body))


def _cell(text: str) -> str:
    return prose(text).replace("|", "\\|").replace("\n", " ")


def prose(text: str) -> str:
    """Plain words as they stand: what looks like a tag is none, except in code, where nothing is a tag."""
    parts = text.split("`")
    return "`".join(part if index % 2 else part.replace("<", "\\<") for index, part in enumerate(parts))


def code(text: object) -> str:
    return f"`{text}`"


def page(*blocks: str) -> str:
    return "\n\n".join(block for block in blocks if block) + "\n"
