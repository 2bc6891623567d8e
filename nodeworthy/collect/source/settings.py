"""Reads `.nodeworthy.yaml`: which fleet a repository is judged by."""

from __future__ import annotations

import difflib
from pathlib import Path

from nodeworthy.collect.source.files import Source, Unreadable, as_text, read_bytes, shown
from nodeworthy.documents.yaml import NotYaml, read
from nodeworthy.errors import InputError
from nodeworthy.verdict import Place

KEYS = ("fleet", "stack")


def read_settings(path: Path) -> dict[str, str]:
    name = shown(path)
    try:
        tree = read(as_text(read_bytes(Source(path, name, named=True))), Place(path=name))
    except Unreadable as problem:
        raise InputError(f"{name} {problem.why}") from None
    except NotYaml as problem:
        raise InputError(str(problem)) from None
    settings: dict[str, str] = {}
    if tree is not None and not tree.is_mapping and not tree.is_null:
        raise InputError(f"{tree.place}: the settings are {tree.kind()}, and should be a mapping")
    for key, value in (tree.mapping if tree is not None else {}).items():
        if key not in KEYS:
            near = difflib.get_close_matches(key, KEYS, 1)
            hint = f"did you mean {near[0]}?" if near else f"there are {' and '.join(KEYS)}"
            raise InputError(f"{value.key or value.place}: there is no setting {key!r}; {hint}")
        if value.text is None:
            raise InputError(f"{value.place}: {key} is {value.kind()}, and should be a string")
        settings[key] = value.text
    return settings
