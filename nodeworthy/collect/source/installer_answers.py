"""What installers of a system are told: kickstart files of Anaconda, preseed files of Debian's installer, as the shell
script that they come down to. Every command stands on the line on which it is told.

Who hears of a failure is the installer's own matter (`--erroronfail`), and is not asked here.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import PurePath

from nodeworthy.boot.unpack import unpack
from nodeworthy.collect.source.comments import comments
from nodeworthy.collect.source.files import Source, any_text
from nodeworthy.collect.source.parsing import FileContents
from nodeworthy.facts.boot.script import BootScript
from nodeworthy.patterns import pattern
from nodeworthy.verdict import Place

_PRESEED = pattern(r"(?m)^[ \t]*d-i[ \t]+\w", words=("d-i",))
_KICKSTART = pattern(r"(?m)^%(?:packages|post)\b", words=("%packages", "%post"))
# What its machine is called, or its user: it becomes a node when others are done with it.
_OF_A_CLUSTER = pattern(r"(?i)\b(?:k8s|k3s|rke2|slurm|kube(?:let|adm|rnetes))")
_TEMPLATES = (".j2", ".tftpl", ".tmpl", ".tpl")
_SECTION = pattern(r"%(packages|post|pre\w*|addon|onerror|traceback)\b(.*)")
_PACKAGE = pattern(r"[A-Za-z0-9][\w.+-]{0,80}")
_ANSWER = pattern(r"[ \t]*d-i[ \t]+(\S{1,80})[ \t]+(?:string|password|boolean|select|multiselect)[ \t]*(.*)")
_HOSTNAME = pattern(r"[A-Za-z0-9][\w.-]{0,80}")
_TOLD = ("passwd/root-password", "passwd/user-password")


def contents(source: Source, data: bytes, rules: frozenset[str]) -> FileContents | None:
    """None of what is no such file, and where the machine becomes no node by it."""
    text, place = any_text(data), Place(source.shown)
    lines = _told_by(text, PurePath(source.path).suffix)
    if lines is None:
        return None
    template = None if source.path.suffix in _TEMPLATES else False
    read = unpack("\n".join(lines).encode(), place, template=template, name=source.path.name)
    script = BootScript(place, read, by_hand=True, tells_its_secrets=True, surroundings=source.scope)
    if not script.makes_a_node and _OF_A_CLUSTER.search(text) is None:
        return None
    return FileContents(scripts=[script], suppressions=list(comments(text, place, rules, is_yaml=False)))


def _told_by(text: str, suffix: str) -> list[str] | None:
    if _PRESEED.search(text) is not None:
        lines = list(_of_preseed(text))
    elif _KICKSTART.search(text) is not None and suffix in (".ks", ".cfg", *_TEMPLATES, ""):
        lines = list(_of_kickstart(text))
    else:
        return None
    # The first line says that it is shell, and whatever it told stands on the second.
    first, *others = lines
    second, *rest = others or [""]
    return ["#!/bin/bash", "; ".join(filter(None, (first, second))), *rest]


def _of_kickstart(text: str) -> Iterator[str]:
    section, goes_on = "", False
    for line in text.split("\n"):
        found = _SECTION.match(line)
        if found is not None:
            section, options = found[1], found[2]
            runs = section == "post" and "--nochroot" not in options and "--interpreter" not in options
            section = "post" if runs else "packages" if section == "packages" else "other"
            # Anaconda itself ends where a package is not there.
            yield "set -e" if section in ("post", "packages") else ""
        elif line.startswith("%end"):
            section = ""
            yield ""
        elif section == "post":
            yield line
        elif section == "packages":
            yield f"dnf install -y {line.strip()}" if _PACKAGE.fullmatch(line.strip()) else ""
        else:
            yield "" if section or goes_on else _of_an_option(line)
        goes_on = line.endswith("\\") and section == ""


def _of_an_option(line: str) -> str:
    """The command that stands for an option of kickstart's, as in `rootpw SECRET`; empty for any other line."""
    words = _words(line)
    if words[:1] == ["rootpw"] and not {"--iscrypted", "--lock"} & set(words):
        return _password("root", next((each for each in words[1:] if not each.startswith("--")), ""))
    if words[:1] == ["user"] and "--iscrypted" not in words:
        given = dict(each.removeprefix("--").partition("=")[::2] for each in words[1:])
        return _password(given.get("name", ""), given.get("password", ""))
    if words[:1] == ["network"]:
        named = next((each.partition("=")[2] for each in words if each.startswith("--hostname=")), "")
        return f"hostnamectl set-hostname {named}" if _HOSTNAME.fullmatch(named) else ""
    if words[:1] == ["repo"]:
        given = dict(each.removeprefix("--").partition("=")[::2] for each in words[1:])
        return f"dnf config-manager --add-repo {shlex.quote(given['baseurl'])}" if given.get("baseurl") else ""
    if words[:1] == ["firewall"] and {"--disabled", "--disable"} & set(words):
        return "systemctl disable firewalld"
    return ""


def _of_preseed(text: str) -> Iterator[str]:
    behind = False
    for line in text.split("\n"):
        found = None if behind else _ANSWER.match(line)
        if behind:
            yield line.replace("in-target ", "")
            behind = line.rstrip().endswith("\\")
        elif found is not None and found[1] == "preseed/late_command":
            yield found[2].replace("in-target ", "")
            behind = line.rstrip().endswith("\\")
        elif found is not None and found[1] in _TOLD:
            yield _password("root" if "root" in found[1] else "user", found[2].strip())
        elif found is not None and found[1] == "pkgsel/include":
            yield f"apt-get install -y {found[2]}" if not found[2].endswith("\\") else ""
        else:
            yield ""


def _words(line: str) -> list[str]:
    try:
        return shlex.split(line, comments=True)
    except ValueError:
        return []


def _password(user: str, password: str) -> str:
    """The command that sets the password; empty where somebody fills it in, or where the shell would read it
    otherwise."""
    is_plain = user and password and not set(password) & set("'\"\\$`<>{}%")
    return f"echo '{user}:{password}' | chpasswd" if is_plain else ""
