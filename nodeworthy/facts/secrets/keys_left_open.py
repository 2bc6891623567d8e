"""Keys of a cluster that a script, or a task of Ansible's, lets everybody read."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import ClassVar

from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass
from nodeworthy.verdict import Place

# A file by the end of its path; what becomes of it where everybody may read it, and whether its daemon ends over that.
_KEYS = (
    (r"munge\.key", "munge's key", "whoever reads it is anybody to Slurm; in /etc/munge munged ends over it", True),
    (r"slurmdbd\.conf", "slurmdbd.conf", "slurmdbd ends: it should be 600, for a password stands in it", True),
    (r"jwt_hs256\.key", "Slurm's key for tokens", "whoever reads it makes tokens for any user", True),
    (r"id_(?:rsa|ecdsa|ed25519)", "a private key of ssh's", "ssh ignores it (UNPROTECTED PRIVATE KEY FILE)", True),
    (
        r"(?:super-)?admin\.conf",
        "kubeadm's kubeconfig",
        "every user of the machine is the cluster's administrator",
        False,
    ),
    (
        r"(?:k3s|rke2)\.yaml",
        "the kubeconfig of k3s' or RKE2's server",
        "every user of the machine is the cluster's administrator",
        False,
    ),
    (r"[\w.-]*(?:node|k3s|rke2)-token", "the cluster's token", "every user of the machine may join nodes to it", False),
)
_CHMOD = pattern(
    r"^\s*(?:sudo\s+(?:-\S+\s+)*)?chmod\s+(?:-\w+\s+)*(?P<mode>0?[0-7]{2}[4-7]|[ao]?\+r\w*)\s+(?P<paths>[^;&|#]+)"
)
# A flag, its variable, and the key of config.yaml.
_WRITTEN_FOR_ALL = pattern(
    r"(?<![\w-])(?:--write-kubeconfig-mode[ =]|(?:export[ ])?(?:K3S|RKE2)_KUBECONFIG_MODE=|write-kubeconfig-mode:[ ]*)"
    r"(?:\"0?[0-7]{2}[4-7]\"|'0?[0-7]{2}[4-7]'|0?[0-7]{2}[4-7]\b)",
)
_COMMENT = pattern(r"\s*(?:#|//)")
_NAMES = pattern(r"[\"']?(?P<path>[^\s\"']*?(?P<name>[^\s\"'/]+))[\"']?(?:\s|$)")
# What makes of it a file that nobody else reads, or none.
_CLOSES = r"(?m)^\s*(?:sudo\s+(?:-\S+\s+)*)?(?:chmod\s+(?:-\w+\s+)*0?[0-7]?[0-7]00|rm|shred)\s[^\n]*"


@dataclass(frozen=True)
class KeyLeftOpen:
    called: ClassVar[str] = "a key that everybody may read"

    place: Place
    written: str
    path: str
    title: str
    then: str
    # Its daemon ends over it, or whoever reads it is anybody.
    ends: bool
    # Further down the script takes it away, or closes it.
    closed: bool


def keys_left_open(text: str, path: str) -> Iterator[KeyLeftOpen]:
    """Each file once."""
    yield from _by_its_server(text, path)
    if "chmod" not in text:
        return
    rows, told = text.split("\n"), set[str]()
    for index, row in enumerate(rows):
        found = _CHMOD.match(row)
        for named in _NAMES.finditer(found["paths"]) if found is not None else ():
            key = next((each for each in _KEYS if re.fullmatch(each[0], named["name"])), None)
            if key is None or named["path"] in told:
                continue
            told.add(named["path"])
            closed = _is_closed(rows[index + 1 :], named["path"])
            place = Place(path=path, line=index + 1, column=len(row) - len(row.lstrip()) + 1)
            yield KeyLeftOpen(place, row.strip(), named["path"], *key[1:], closed)


def _by_its_server(text: str, path: str) -> Iterator[KeyLeftOpen]:
    """The kubeconfig that k3s or RKE2 is told to write for everybody."""
    for index, row in enumerate(text.split("\n") if "mode" in text.lower() else ()):
        found = _WRITTEN_FOR_ALL.search(row)
        if found is None or _COMMENT.match(row) is not None:
            continue
        called = "rke2" if "rke2" in text.lower() and "k3s" not in text.lower() else "k3s"
        file = f"/etc/rancher/{called}/{called}.yaml"
        _, title, then, ends = next(each for each in _KEYS if re.fullmatch(each[0], f"{called}.yaml"))
        place = Place(path=path, line=index + 1, column=found.start() + 1)
        yield KeyLeftOpen(place, found[0], file, title, then, ends, _is_closed(text.split("\n")[index + 1 :], file))
        return


def _is_closed(below: list[str], path: str) -> bool:
    return re.search(_CLOSES + re.escape(path) + r"(?![\w.-])", "\n".join(below)) is not None
