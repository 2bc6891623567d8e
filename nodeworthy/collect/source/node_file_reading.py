"""Recognises by its content what a node keeps in /etc: containerd's files, Docker's, k3s's, modprobe's."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from pathlib import PurePath
from typing import Any

from nodeworthy.boot.content import Content, Line
from nodeworthy.boot.fillings import Fillings
from nodeworthy.boot.text import Hole, Piece, Text
from nodeworthy.collect.source.parsing import InputRefused
from nodeworthy.documents.branches import branches
from nodeworthy.documents.tree import Tree
from nodeworthy.documents.yaml import NotYaml, read_all
from nodeworthy.facts.boot.written_text import read_content
from nodeworthy.facts.node.files import NodeFile
from nodeworthy.facts.node.files import node_file as fact
from nodeworthy.facts.node.paths import NodeFileKind
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass
from nodeworthy.verdict import Place

# What to do about a secret in one of them.
ON_A_NODE = (
    "let whatever builds the node fetch it from a store and fill it in, or give kubelet a credential provider; "
    "then change it, for it has been seen"
)
_CONFIG = pattern(r"^[ \t]*\[+\s*(?:plugins\s*\.\s*[\"']?(?:io\.containerd\.|cri\b)|proxy_plugins)", re.MULTILINE)
_ROOT = pattern(r"^(?:version\s*=\s*\d+|imports\s*=\s*\[|disabled_plugins\s*=\s*\[)", re.MULTILINE)
_HOSTS = pattern(r"^[ \t]*\[+\s*(?:hosts?|mirrors?|Host)\s*\.\s*[\"']?\w+:", re.MULTILINE)
_SERVER = pattern(r"^server\s*=", re.MULTILINE)
_HOSTS_KEYS = {
    *("server", "host", "hosts", "capabilities", "ca", "client", "skip_verify", "override_path", "header"),
    "dial_timeout",
}
_CONFIGS_KEYS = {"version", "imports", "plugins", "root", "state", "temp", "grpc", "ttrpc", "debug", "metrics"} | {
    *("disabled_plugins", "required_plugins", "oom_score", "cgroup", "timeouts", "stream_processors", "plugin_dir"),
    *("proxy_plugins", "plugin_config"),
}
_DOCKER = {
    *("insecure-registries", "registry-mirrors", "default-runtime", "exec-opts", "log-driver", "live-restore"),
    *("runtimes", "log-opts", "dns", "features"),
    *("data-root", "storage-driver", "default-address-pools", "node-generic-resources", "default-ulimits"),
}
_DOCKERS = pattern(r'^\s*\{?\s*"(?:' + "|".join(sorted(_DOCKER)) + r')"\s*:', re.MULTILINE)
_REGISTRIES = pattern(r"^(?:mirrors|configs):", re.MULTILINE)
_OTHER_KEY = pattern(r"^(?!mirrors:|configs:|auths:|---|\.\.\.)[^\s#{}\ue000-\uf8ff]", re.MULTILINE)
_LOGIN = {
    *("username", "password", "auth", "identity_token", "token"),
    *("ca_file", "cert_file", "key_file", "insecure_skip_verify"),
}
_MODPROBE = ("options", "blacklist", "install", "alias", "softdep", "remove")
# How a line of modprobe's begins where somebody got it wrong.
_NEARLY = ("option", "opts", "nvidia", "modprobe", "set")
# A line of TOML, or of a template of it.
_TOML = pattern(r"\s*(?:\[|[\w.\"'-]+\s*=|[\"'\]}{,#]|\d|true|false|\$|[\ue000-\uf8ff]|$)")


# By what Ansible leaves braces alone that are for another to fill in.
_RAW = pattern(r"\{%-?\s{0,8}(?:end)?raw\s{0,8}-?%\}", words=("raw",))
_QUOTED = pattern(r"\{\{\s{0,8}'(\{\{[^'\n]{0,200}\}\})'\s{0,8}\}\}", words=("'{{",))


@dataclass(frozen=True)
class _Seen:
    text: str
    name: str


def node_file(data: bytes, shown: str, lies: str) -> NodeFile | None:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return None
    kind = next((each for each, is_one in _KINDS.items() if is_one(_Seen(text, PurePath(shown).name))), None)
    if kind is None:
        return None
    text = for_envsubst(text) if kind is NodeFileKind.HOSTS else _QUOTED.sub(r"\1", _RAW.sub("", text))
    quotes, tables = kind is not NodeFileKind.MODPROBE, kind is NodeFileKind.CONFIG
    texts = [text, *(branches(text) if quotes else ())]
    content, *chosen = [content_of(each, shown, quotes_values=quotes, has_tables=tables) for each in texts]
    return fact(Place(shown, 1, 1), kind, content, chosen, lies)


def refuse_unparsed(file: NodeFile) -> None:
    """Raises InputRefused: nothing more can be said of it than where it can't be read."""
    found = _fault(file)
    if found is not None:
        raise InputRefused(*found)


def _fault(file: NodeFile) -> tuple[Place, str] | None:
    """Where one that is parsed as a whole can't be, and why; of a template that is not known."""
    if file.kind not in _PARSED:
        return None
    language, parse = _PARSED[file.kind]
    readings = [read_content(each, file.place, file.kind.value, parse) for each in file.branches or (file.content,)]
    # Of a template's branches one may be no file at all, and never chosen: what all of them have is a fault.
    first = readings[0]
    if not first.fault or any(each.fault != first.fault or each.place != first.place for each in readings):
        return None
    return first.place, f"{file.kind.value} is not {language}: {first.fault}; {_FOLLOWS[file.kind]}"


def _is_config(seen: _Seen) -> bool:
    if _CONFIG.search(seen.text) is None:
        return _is_bare_config(seen.text)
    data = _toml(seen.text)
    return _looks_like_toml(seen.text) if data is None else "plugins" in data or "proxy_plugins" in data


def _is_bare_config(text: str) -> bool:
    """One that says no more than which drop-ins are read, or which plugins are not."""
    if _ROOT.search(text) is None:
        return False
    data = _toml(text)
    if data is None or not set(data) <= _CONFIGS_KEYS:
        return False
    if isinstance(data.get("disabled_plugins"), list):
        return True
    imports = data.get("imports")
    return isinstance(imports, list) and all(str(each).endswith(".toml") for each in imports)


def _is_hosts(seen: _Seen) -> bool:
    is_called_so = seen.name.startswith("hosts.toml")
    if not (_HOSTS.search(seen.text) or (_SERVER.search(seen.text) and (is_called_so or "://" in seen.text))):
        return False
    data = _toml(seen.text)
    if data is None:
        return _looks_like_toml(seen.text) and (is_called_so or _HOSTS.search(seen.text) is not None)
    server = data.get("server")
    return set(data) <= _HOSTS_KEYS | {"mirror", "mirrors", "Host"} and (
        "server" not in data or isinstance(server, str)
    )


def _is_docker(seen: _Seen) -> bool:
    if _DOCKERS.search(seen.text) is None:
        return False
    try:
        data = json.loads(without_fillings(seen.text))
    except (ValueError, RecursionError):
        return seen.name.startswith("daemon.json") or seen.text.lstrip().startswith("{")
    return isinstance(data, Mapping) and not _DOCKER.isdisjoint(data) and "$schema" not in data


def _is_registries(seen: _Seen) -> bool:
    if _REGISTRIES.search(seen.text) is None or _OTHER_KEY.search(seen.text) is not None:
        return False
    try:
        documents = read_all(without_fillings(seen.text), Place())
    except NotYaml:
        return False
    tables = documents[0].mapping if len(documents) == 1 else {}
    if not set(tables) <= {"mirrors", "configs", "auths"}:
        return False
    rows = [(name, row) for table in tables.values() for name, row in table.mapping.items()]
    return any(_is_row(row) or name == "*" or _is_nearly_row(name, row) for name, row in rows)


def _is_nearly_row(name: str, row: Tree) -> bool:
    """A registry's host with addresses in another shape than k3s takes."""
    inside = row.mapping.values() if row.is_mapping else [row]
    urls = [each.text for tree in inside for each in (tree, *tree.sequence) if each.text]
    return "." in name and any(url.startswith(("http://", "https://")) for url in urls)


def _is_row(row: Tree) -> bool:
    tables = [row.get(name).mapping for name in ("auth", "tls")]
    return not {"endpoint", "rewrite"}.isdisjoint(row.mapping) or any(not _LOGIN.isdisjoint(each) for each in tables)


def _is_modprobe(seen: _Seen) -> bool:
    rows = [row.split() for row in _significant(without_fillings(seen.text))]
    if not rows or not any(row[0] in (*_MODPROBE, *_NEARLY) for row in rows):
        return False
    about_nvidia = any("nvidia" in word or "NVreg_" in word or word == "nouveau" for row in rows for word in row)
    return about_nvidia and all(_is_modprobes(row) for row in rows)


def _is_modprobes(row: list[str]) -> bool:
    if row[0] in _MODPROBE:
        return len(row) == 2 if row[0] == "blacklist" else row[0] != "options" or "=" in "".join(row[2:])
    return row[0].isidentifier() and "NVreg_" in row[-1] and "=" in row[-1] and len(row) < 6


def _significant(text: str) -> Iterator[str]:
    joined = re.sub(r"\\\r?\n", " ", text)
    return (row for row in joined.splitlines() if row.strip() and not row.lstrip().startswith("#"))


def _toml(text: str) -> Mapping[str, Any] | None:
    try:
        return tomllib.loads(without_fillings(text))
    except (ValueError, RecursionError):
        return None


def _looks_like_toml(text: str) -> bool:
    """Whether it was meant to be: nearly every line could stand in such a file."""
    rows = list(_significant(hide_fillings(text)[1]))
    others = [row for row in rows if _TOML.match(row) is None]
    return bool(rows) and rows[0] not in others and len(others) * 5 <= len(rows)


_KINDS: Mapping[NodeFileKind, Callable[[_Seen], bool]] = {
    NodeFileKind.CONFIG: _is_config,
    NodeFileKind.HOSTS: _is_hosts,
    NodeFileKind.DOCKER: _is_docker,
    NodeFileKind.REGISTRIES: _is_registries,
    NodeFileKind.MODPROBE: _is_modprobe,
}
# What comes of one that can't be read.
_FOLLOWS = {
    NodeFileKind.CONFIG: "containerd does not start with it: there is no runtime, and no node",
    NodeFileKind.HOSTS: "containerd passes it over, and asks the registry over https:// as if there were none",
    NodeFileKind.DOCKER: "Docker does not start with it",
}
_PARSED: Mapping[NodeFileKind, tuple[str, Callable[[str], Any]]] = {
    NodeFileKind.CONFIG: ("TOML", tomllib.loads),
    NodeFileKind.HOSTS: ("TOML", tomllib.loads),
    NodeFileKind.DOCKER: ("JSON", json.loads),
}


# The lines of a file as a template leaves them: with holes where it fills something in.


_WHY = "a template fills it in"
# What only decides whether lines are there; of the distribution's own beginning the reader knows the version.
_DIRECTIVE = pattern(r"\{\{-?\s*(?:if|else|end|range|with|define|/\*|-?\s*template\s+\"base\")")
# A value that is filled in whole, and may be anything; of these keys the kind of the value matters.
_VALUE = pattern(r"(?P<key>[\w.\"'-]+)\s*[=:]\s*$")
_SHELLS = pattern(r"\$([A-Z][A-Z0-9_]{0,63})\b")
_MATTERS = ("version", "imports", "capabilities")


def is_template(text: str) -> bool:
    return "{{" in text or "{%" in text or "${" in text


def for_envsubst(text: str) -> str:
    """The text with shell variables written as a Terraform template has them. containerd fills in none itself, so in a
    file of its own something else fills them in."""
    return text if is_template(text) else _SHELLS.sub(r"${\1}", text)


def hide_fillings(text: str) -> tuple[Fillings, str]:
    fillings = Fillings(jinja="{{" in text or "{%" in text)
    return fillings, fillings.hide(text)


def without_fillings(text: str) -> str:
    """The text with a plain word for whatever a template fills in."""
    return re.sub("[\ue000-\uf8ff]+", "x", hide_fillings(text)[1]) if is_template(text) else text


def content_of(text: str, shown: str, *, quotes_values: bool, has_tables: bool = False) -> Content:
    """The content of a file, as it may be filled in. A line that is filled in whole belongs to the table above it."""
    fillings, told = hide_fillings(text)
    lines: list[Line] = []
    is_below_a_table = False
    for number, row in enumerate(told.splitlines(), 1):
        made = _row(fillings.text(row), quotes_values=quotes_values, adds_lines=is_below_a_table)
        is_below_a_table = is_below_a_table or (has_tables and row.lstrip().startswith("["))
        lines.append(Line(made, Place(shown, number, 1)))
    return Content(tuple(lines))


def _row(text: Text, *, quotes_values: bool, adds_lines: bool) -> Text:
    """A row of a template whose author nobody knows. What is filled in below a table adds lines to it and changes none
    above."""
    if not text.holes:
        return text
    pieces: list[Piece] = [Hole(each.shown, _WHY) if isinstance(each, Hole) else each for each in text.pieces]
    if not quotes_values:
        return Text.of(*pieces)
    if _stands_alone(pieces) or (adds_lines and _is_filled_in_whole(pieces)):
        return Text.of("# ", *pieces)
    if len(pieces) > 1 and isinstance(pieces[1], Hole) and _is_a_whole_value(pieces):
        return Text.of(pieces[0], '"', pieces[1], '"', *pieces[2:])
    return Text.of(*pieces)


def _stands_alone(pieces: list[Piece]) -> bool:
    told = [each for each in pieces if isinstance(each, Hole) or each.strip()]
    return all(isinstance(each, Hole) and _DIRECTIVE.match(each.shown) is not None for each in told)


def _is_filled_in_whole(pieces: list[Piece]) -> bool:
    told = [each for each in pieces if isinstance(each, Hole) or each.strip()]
    return len(told) == 1 and isinstance(told[0], Hole)


def _is_a_whole_value(pieces: list[Piece]) -> bool:
    key = _VALUE.search(pieces[0]) if isinstance(pieces[0], str) else None
    behind = "".join(each for each in pieces[2:] if isinstance(each, str)).strip()
    return key is not None and key["key"] not in _MATTERS and len(pieces) <= 3 and behind in ("", ",")
