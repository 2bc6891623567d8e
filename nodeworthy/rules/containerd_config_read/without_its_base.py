"""A template of k3s that leaves out what k3s itself writes.

k3s fills in its own template where nobody has written one. One that somebody writes stands in its place, and is all
that containerd reads, unless it begins with `{{ template "base" . }}`. k3s keeps its CNI's plugins and their
configuration in folders of its own, which only its own template names. With another network than the flannel that it
brings (`flannel-backend: none`) they are where containerd looks by itself, and nothing is said; nor is it of RKE2,
whose networks always are. Of a template that lies alone nobody says which network it is for: there it is a warning. Of
a template in a file of its own that is k3s' where a pool, the file or the folders above it say so; both have templates
of this name.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence

from nodeworthy.boot.effects import How, Writes
from nodeworthy.boot.timeline import Timeline
from nodeworthy.facts.boot.script import BootPool, BootScript
from nodeworthy.facts.containerd.config import ConfigFile, has_base
from nodeworthy.facts.firewall.pods import pods_of, signs_around
from nodeworthy.facts.node.files import NodeFiles
from nodeworthy.facts.node.paths import NodeFileKind
from nodeworthy.known.containerd import Containerd, containerd_of, distributions
from nodeworthy.patterns import pattern
from nodeworthy.verdict import Draft, Severity, fail, unknown

BASE = '{{ template "base" . }}'

SAYS = f"k3s' template has no {BASE}: it is all that containerd reads, and the folders of k3s' CNI are not in it"
_WHOSE = "whether k3s reads it or RKE2, which needs none of them, nobody says: say it in a fleet (distribution)"

_BRINGS_ITS_NETWORK, _NETWORK = "k3s", "flannel"
# It has templates of the same names.
_OTHER = "rke2"
# Whoever names one of these has written down what the base would have said of it.
_FOLDERS = pattern(r"conf_dir|bin_dirs?\b|\.cni\]|CNIConfDir|NoFlannel")
_COMMENT = pattern(r"^\s*#[^\n]*", re.MULTILINE)


def whose_template(timeline: Timeline) -> Containerd | None:
    """The containerd whose template a script writes, which shows what its machine is where nothing else does."""
    written = {each.path.known for each in timeline.of(Writes) if each.how is not How.DELETE}
    owners = [each for each in map(containerd_of, distributions()) if written & set(each.templates)]
    return owners[0] if len(owners) == 1 else None


def without_their_base(files: Sequence[ConfigFile], script: BootScript, pool: BootPool | None) -> list[ConfigFile]:
    """The templates without their base, on a node whose network is the one that k3s brings, or may be."""
    templates = containerd_of(_BRINGS_ITS_NETWORK).templates
    lacking = [each for each in files if each.path in templates and _lacks_it(each)]
    if not lacking or {each.key for each in pods_of(pool, script).networks} != {_NETWORK}:
        return []
    return lacking


def _lacks_it(file: ConfigFile) -> bool:
    content = file.reading.content
    if content is None or file.write is None or file.write.how is not How.WRITE:
        return False
    text = content.text.shown()
    return bool(text.strip()) and not has_base(text) and not _FOLDERS.search(_COMMENT.sub("", text))


def lone_without_base(files: NodeFiles, configs: Sequence[ConfigFile], pool: BootPool | None) -> Iterator[Draft]:
    """A template in a repository that nothing here writes to a node."""
    lone = {each.place for each in files.of(NodeFileKind.CONFIG) if posixpath.basename(each.spot.path) in _names()}
    lacking = [each for each in configs if each.place in lone and _lacks_it(each)]
    if not lacking or (pool is not None and {each.key for each in pods_of(pool).networks} != {_NETWORK}):
        return
    whose = {_BRINGS_ITS_NETWORK} if pool is not None else set(_named_by(files))
    # Which network a cluster has that no fleet tells of, its template does not say.
    severity = Severity.ERROR if pool is not None else Severity.WARNING
    for each in lacking if whose != {_OTHER} else ():
        is_its = whose == {_BRINGS_ITS_NETWORK}
        yield _without(each, severity) if is_its else unknown(each.place, f"{SAYS}; {_WHOSE}")


def _names() -> frozenset[str]:
    return frozenset(map(posixpath.basename, containerd_of(_BRINGS_ITS_NETWORK).templates))


def _named_by(files: NodeFiles) -> Iterator[str]:
    """The distributions of which the files or the folders above them speak."""
    told = " ".join(f"{each.lies or each.place.path or ''} {each.content.text.shown()}" for each in files.files).lower()
    yield from (name for name in (_BRINGS_ITS_NETWORK, _OTHER) if name in told)


def draft_of_template_alone(file: ConfigFile, script: BootScript) -> Draft:
    if _is_another_network_beside(script):
        return unknown(file.place, f"{SAYS}, which matters unless another network is installed, as a file beside shows")
    return _without(file)


def _without(file: ConfigFile, severity: Severity = Severity.ERROR) -> Draft:
    unless = ", unless another network than its flannel is installed" if severity is Severity.WARNING else ""
    return fail(
        file.place,
        SAYS,
        is_="a template that begins with settings of its own",
        should=f"{BASE} in its first line",
        cause="containerd finds neither the plugins of the network nor their configuration: the node stays NotReady, "
        f"with `cni plugin not initialized`{unless}",
        remedy=f"begin it with {BASE}, and leave below it what is added to k3s' own settings",
        severity=severity,
    )


def _is_another_network_beside(script: BootScript) -> bool:
    signs = [each.sign for each in signs_around(script)]
    return any(each.without or each.network not in ("", _NETWORK) for each in signs)
