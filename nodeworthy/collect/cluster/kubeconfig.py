"""The kubeconfig that kubectl would take: which one, whether it is one, and as whom it says to act.

The Python client reads it again for itself; here it is asked what that client does not say plainly (a context
that does not exist), or does not know (`as:`, without which one would look with somebody else's rights).
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import field
from pathlib import Path
from typing import Any

import yaml

from nodeworthy.documents.plain import mapping_at, mappings_at, text_at
from nodeworthy.documents.yaml_nodes import Loader
from nodeworthy.errors import InputError
from nodeworthy.records import dataclass


@dataclass(frozen=True)
class Chosen:
    """A context that exists."""

    context: str
    # The files that were read, as KUBECONFIG names them.
    files: str
    headers: Mapping[str, str] = field(default_factory=dict)


def choose(context: str | None) -> Chosen | None:
    """The context that is meant; None where there is no kubeconfig, or one that holds nothing."""
    paths = _paths()
    files = [_read(path) for path in paths]
    named = {text_at(each, "name"): each for file in reversed(files) for each in mappings_at(file, "contexts")}
    current = next(filter(None, (text_at(file, "current-context") for file in files)), "")
    wanted = context if context is not None else current
    if not named and not wanted:
        return None
    there_are = f"there are {', '.join(sorted(named))}" if named else "the kubeconfig has none"
    if not wanted:
        raise InputError(f"the kubeconfig has no current context, choose one with --context: {there_are}")
    if wanted not in named:
        raise InputError(f"there is no context {wanted!r}: {there_are}")
    together = os.pathsep.join(map(str, paths))
    return Chosen(wanted, together, _impersonation(files, text_at(named[wanted], "context", "user")))


def _paths() -> list[Path]:
    written = os.environ.get("KUBECONFIG") or "~/.kube/config"
    paths = (Path(each).expanduser() for each in written.split(os.pathsep) if each)
    return [path for path in paths if path.exists()]


def _read(path: Path) -> Mapping[str, Any]:
    try:
        found = yaml.load(path.read_bytes(), Loader=Loader)  # noqa: S506 - the safe one
    except OSError as problem:
        raise InputError(f"the kubeconfig {path} can't be read: {problem.strerror}") from None
    except (yaml.YAMLError, UnicodeDecodeError, RecursionError, ValueError) as problem:
        first = next(iter(str(problem).splitlines()), "")
        raise InputError(f"the kubeconfig {path} is malformed: {first}") from None
    if found is None:
        return {}
    lists = ("clusters", "contexts", "users")
    if not isinstance(found, dict) or not all(isinstance(found.get(each) or [], list) for each in lists):
        raise InputError(f"the kubeconfig {path} is malformed: it has no lists of clusters, users and contexts")
    return found


def _impersonation(files: list[Mapping[str, Any]], user: str) -> dict[str, str]:
    for each in (each for file in files for each in mappings_at(file, "users")):
        if text_at(each, "name") == user:
            given = mapping_at(each, "user")
            if given.get("as-groups") or given.get("as-user-extra"):
                raise InputError(f"the kubeconfig's user {user!r} acts as a group, which nodeworthy can't do")
            headers = {"Impersonate-User": text_at(given, "as"), "Impersonate-Uid": text_at(given, "as-uid")}
            return {name: value for name, value in headers.items() if value}
    return {}
