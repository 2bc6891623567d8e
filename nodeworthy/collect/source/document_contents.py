"""What the documents of a file bring: a fleet, objects of Kubernetes, values of charts, and secrets in plain words."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from nodeworthy.collect.objects import facts_of, objects
from nodeworthy.collect.source.boot_scripts import NO_BOOT_SCRIPT, is_script
from nodeworthy.collect.source.comments import annotation_suppressions, comments, evidence_suppressions
from nodeworthy.collect.source.completed_values import (
    KUSTOMIZATIONS,
    complete_values,
    is_charts_own,
    may_be_values,
    with_base,
)
from nodeworthy.collect.source.files import Source
from nodeworthy.collect.source.files_beside import FilesBeside
from nodeworthy.collect.source.parsing import (
    OF_GPU_METRICS,
    OF_SERVERS_METRICS,
    FileContents,
    InputRefused,
    NoBootScript,
    documents_in,
    scripts_of_classes,
    variables_of_tasks,
    with_surroundings,
)
from nodeworthy.collect.source.stack_files import STACK_FILE
from nodeworthy.documents.release import LOOSE
from nodeworthy.documents.tree import Tree
from nodeworthy.errors import InputError
from nodeworthy.facts.not_seen import doubled_keys
from nodeworthy.facts.secrets.plain_text import (
    ENCRYPTED,
    IN_A_STACK,
    IN_COMPOSE,
    PlainText,
    is_for_tests,
    secrets_in,
    what_is_in_plain_words,
)
from nodeworthy.facts.secrets.planned_secret import (
    installs,
    is_kubeadms,
    is_readable_secret,
    is_telling_config_map,
    secret_manifests,
    without_packed,
)
from nodeworthy.fleet.model import Fleet, has_fleet
from nodeworthy.patterns import pattern
from nodeworthy.records import replace
from nodeworthy.scene import Fact
from nodeworthy.verdict import Place

_DIRECTIVES = ("{{", "{%", "%{", "%#")
# Inventories, variables and what installers of k3s and RKE2 are told have keys of their own; a token has its form.
_JOIN_TOKEN = pattern(r"(?<![\w.])K10[0-9a-f]{64}::\w", words=("K10",), in_a_line=True)
_OF_AN_ARCHIVE = pattern(r"//(?:apt|yum)\.kubernetes\.io|//packages\.cloud\.google\.com/")
# As nodes are called that variables of Ansible's speak of.
OF_AN_INVENTORY = "the nodes of inventory"
OF_AN_INSTALLER = "what an installer of the cluster reads"
OF_KUBEADM = "kubeadm's config"
_A_COMPOSE_FILE = "a compose file"
_REMEDIES = {
    OF_KUBEADM: "let whatever builds the node fill it in (kubeadm token create makes one for each join); "
    "then take it away, for it has been seen: kubeadm token delete",
    OF_AN_INSTALLER: "hand it over when the installer runs (a vault, a variable of the environment); "
    "then change it, for it has been seen: k3s token rotate, rke2 token rotate",
    _A_COMPOSE_FILE: IN_COMPOSE,
}
# What runs something on machines has one of these (scripts_of_tools.py, which is imported only then).
_RUN_BY_TOOLS = (
    *("provision:", "additionalUserData:", "fileAssets:", "k0sctl.", "rke-machine-config", "runShellScript"),
    *("ExecuteBash", "variant:"),
)
# By these a release names the files that hold its values.
_NAME_FILES = (
    *("valuesFrom", "valueFiles", "helmCharts", "releases:", "chartRef", "helm.cattle.io", "valuesFiles"),
    "values_files",
)


def contents(source: Source, data: bytes, rules: frozenset[str]) -> FileContents | None:
    found = _read_documents(source, data, rules)
    if found is not None and not all(map(_is_of_an_inventory, found.facts)):
        return found
    from nodeworthy.collect.source.scripts_and_variables import secrets_told_openly

    openly = secrets_told_openly(source, data, rules)
    if found is not None and openly is not None:
        return replace(openly, facts=[*openly.facts, *found.facts])
    return openly or found


def _read_documents(source: Source, data: bytes, rules: frozenset[str]) -> FileContents | None:
    documents, text = _parse_documents(source, data)
    found = FileContents()
    stack = next((each for each in documents if has_fleet(each)), None)
    if stack is not None:
        found.fleet = _own_fleet(stack, source)
        found.facts += _facts_of_fleet(found.fleet)
    around = variables_of_tasks(source, data)
    beside = found.beside = FilesBeside(source)
    if "${" in text:
        from nodeworthy.collect.source.substitutions import with_substitutions

        documents = with_substitutions(documents, text, beside)
    every = [each for document in documents for each in objects(document, around)]
    if any(name in text for name in _NAME_FILES):
        every = _with_values(every, beside)
    if "envFrom" in text or "configMapKeyRef" in text:
        from nodeworthy.collect.source.environment_elsewhere import with_environment

        every = [with_environment(each, every, beside) for each in every]
    if source.path.name in KUSTOMIZATIONS and "patch" in text:
        from nodeworthy.collect.source.patched_bases import patched_bases

        every += [each for one in documents for each in patched_bases(one, beside)]
    if "ClusterResourceSet" in text or "policyRefs" in text:
        from nodeworthy.collect.enclosed_objects import named_by_sets

        every += [each for held in named_by_sets(every) for each in objects(held)]
    _add_facts(found, every, text, source, rules)
    found.facts = [*complete_values(found.facts, beside), *_asks_of_gpus(documents, text), *_starts(documents, text)]
    found.facts += _asks_of_servers(documents, text, source)
    found.facts += _archives(documents, text)
    found.scripts += scripts_of_classes(found.facts, source)
    _add_scripts_of_pods(found, every, text, source)
    _add_scripts_of_tools(found, every, text, source)
    return _with_secrets(found, _Read(source, documents, every, text), rules)


class _Read(NamedTuple):
    """A file that was read: its documents, the objects within them, and its text."""

    source: Source
    documents: Sequence[Tree]
    objects: Sequence[Tree]
    text: str


def _add_facts(found: FileContents, every: Sequence[Tree], text: str, source: Source, rules: frozenset[str]) -> None:
    """Adds the facts of each object, and the suppressions that its annotations ask for."""
    assert found.beside is not None
    first_lines = sorted(each.place.line for each in every if each.place.line)
    for each in every:
        brought = [with_surroundings(fact, source) for fact in with_base(each, list(facts_of(each)), found.beside)]
        found.facts += brought
        if brought:
            found.facts += _doubled_keys(each, text)
            found.suppressions += annotation_suppressions(each, rules, _lines(each, first_lines))


def _with_secrets(found: FileContents, read: _Read, rules: frozenset[str]) -> FileContents | None:
    """The contents with the text in which secrets are looked for. None where nothing of ours is in the file."""
    kept = any(map(is_readable_secret, read.objects))
    of_others = not found.scripts and all(map(_is_of_an_inventory, found.facts))
    held = _title_by_secrets(read) if of_others or any(map(is_kubeadms, read.objects)) else ""
    if not (found.facts or found.scripts) and not kept and not held and not _holds_secrets_openly(read):
        return None
    if found.facts and of_others and not held:
        return found  # an inventory's other variables are not ours to judge
    secrets = list(secret_manifests(read.objects))
    readable = what_is_in_plain_words(without_packed(read.text, secrets), read.documents)
    remedy = ENCRYPTED if kept else IN_A_STACK if found.fleet is not None else ""
    whole = _plain_text(read.source, readable, held or _name_of_contents(found), remedy)
    found.facts += [*secrets, replace(whole, is_applied=bool(read.objects) and all(map(installs, read.objects)))]
    found.suppressions += comments(read.text, Place(path=read.source.shown), rules, is_yaml=True)
    found.suppressions += evidence_suppressions(found.beside.texts if found.beside is not None else {}, rules)
    return found


def _asks_of_gpus(documents: Sequence[Tree], text: str) -> list[Fact]:
    if OF_GPU_METRICS not in text:
        return []
    from nodeworthy.facts.services.gpu_queries import asks_of_gpus

    return [fact for each in documents for fact in asks_of_gpus(each)]


def _asks_of_servers(documents: Sequence[Tree], text: str, source: Source) -> list[Fact]:
    if not any(each in text for each in OF_SERVERS_METRICS):
        return []
    from nodeworthy.facts.services.server_queries import asks_of_servers

    return [fact for each in documents for fact in asks_of_servers(each, source.scope)]


def _starts(documents: Sequence[Tree], text: str) -> list[Fact]:
    """The options with which the exporter of those metrics is started."""
    if OF_GPU_METRICS not in text and "dcgm" not in text:
        return []
    from nodeworthy.facts.services.exporter_options import refused_options

    return [fact for each in documents for fact in refused_options(each)]


def _add_scripts_of_pods(found: FileContents, every: Sequence[Tree], text: str, source: Source) -> None:
    """Adds what containers do to the node around them; few do any."""
    if "nsenter" not in text and "chroot" not in text:
        return
    from nodeworthy.collect.source.scripts_in_pods import LEADS_OUT, scripts_in_pods
    from nodeworthy.facts.boot.script import BootScript

    for each in every if LEADS_OUT.search(text) else ():
        for brought in scripts_in_pods(each) if each.is_mapping else ():
            if type(brought) is BootScript:
                found.scripts.append(replace(brought, surroundings=source.scope))
            else:
                found.facts.append(brought)


def _add_scripts_of_tools(found: FileContents, every: Sequence[Tree], text: str, source: Source) -> None:
    """Adds what tools are told to run on machines."""
    if not any(mark in text for mark in _RUN_BY_TOOLS):
        return
    from nodeworthy.collect.source.scripts_of_tools import TELLS, scripts_of_tools

    told = every if TELLS.search(text) else ()
    scripts = (script for each in told if each.is_mapping for script in scripts_of_tools(each))
    found.scripts += (replace(each, surroundings=source.scope) for each in scripts)


def _archives(documents: Sequence[Tree], text: str) -> list[Fact]:
    """The archives of packages that variables of Ansible's name."""
    if _OF_AN_ARCHIVE.search(text) is None:
        return []
    from nodeworthy.facts.boot.named_archives import archives_in_variables

    return [fact for each in documents for fact in archives_in_variables(each, text)]


def _is_of_an_inventory(fact: Fact) -> bool:
    return getattr(fact, "noun", "") == OF_AN_INVENTORY


def _title_by_secrets(read: _Read) -> str:
    """What to call a file that is here for its secrets alone. Empty where no secrets are looked for in it."""
    if any(map(is_kubeadms, read.objects)):
        return OF_KUBEADM
    if _holds_grafanas(read.objects) or _are_values_with_secrets(read):
        return LOOSE
    return OF_AN_INSTALLER if _JOIN_TOKEN.search(read.text) is not None else ""


def _holds_grafanas(every: Sequence[Tree]) -> bool:
    from nodeworthy.facts.services.monitoring_recognition import is_grafana_values

    return any(map(is_grafana_values, every))


def _are_values_with_secrets(read: _Read) -> bool:
    """Values of a chart that nobody here knows, where they hold what belongs in a Secret."""
    if not may_be_values(read.source, read.documents) or read.documents[0].get("sops").is_mapping:
        return False
    return any(secrets_in(read.text))


def _holds_secrets_openly(read: _Read) -> bool:
    """Whether something holds in plain words what belongs in a Secret; most hold nothing of ours."""
    if any(map(is_telling_config_map, read.objects)):
        return True
    if read.source.path.name not in KUSTOMIZATIONS and not any(map(_is_applied, read.objects)):
        return False
    return any(secrets_in(what_is_in_plain_words(read.text, read.documents)))


def _is_applied(tree: Tree) -> bool:
    """Whether it is an object that a cluster, a program of it or kustomize is given, whatever its kind."""
    return tree.is_mapping and tree.get("kind").text is not None and tree.get("apiVersion").text is not None


def _doubled_keys(document: Tree, text: str) -> Sequence[Fact]:
    """None in a template: which of the two keys is there is decided when it is filled in."""
    return [] if any(mark in text for mark in _DIRECTIVES) else list(doubled_keys(document))


def _plain_text(source: Source, readable: str, called: str, remedy: str) -> PlainText:
    is_of_a_chart = called == LOOSE and is_charts_own(source)
    what, mends = "its values" if is_of_a_chart else called, remedy or _REMEDIES.get(called, "")
    return PlainText(
        Place(source.shown),
        readable,
        what,
        mends,
        is_of_a_chart,
        is_for_oneself=called == _A_COMPOSE_FILE,
        is_of_tests=is_for_tests(source.lies_within),
    )


def _with_values(every: list[Tree], beside: FilesBeside) -> list[Tree]:
    from nodeworthy.collect.source.values_elsewhere import with_values

    return [with_values(each, every, beside) for each in every]


def _parse_documents(source: Source, data: bytes) -> tuple[list[Tree], str]:
    """Raises NoBootScript for a script: all scripts that are judged here were recognised before."""
    if source.named and is_script(data, source.path.name):
        raise NoBootScript(Place(source.shown), NO_BOOT_SCRIPT)
    return documents_in(source, data)


def _name_of_contents(found: FileContents) -> str:
    origins = (origin for each in found.facts if (origin := getattr(each, "origin", None)))
    return "stack config" if found.fleet is not None else next(origins, "this file")


def _facts_of_fleet(fleet: Fleet) -> Iterator[Fact]:
    from nodeworthy.facts.fleet.pool_claim import pool_claims
    from nodeworthy.facts.fleet.pool_system import pool_systems, version_of_fleet
    from nodeworthy.facts.operator.fleet_operator import operator_of_fleet

    yield from pool_claims(fleet)
    yield from pool_systems(fleet)
    yield from version_of_fleet(fleet)
    values = operator_of_fleet(fleet)
    if values is not None:
        yield values


def _own_fleet(document: Tree, source: Source) -> Fleet:
    from nodeworthy.fleet.read import Malformed, read_fleet

    stack = STACK_FILE.fullmatch(source.path.name)
    try:
        return read_fleet(document, stack["stack"] if stack else None)
    except Malformed as malformed:
        first, *others = ((each.place, each.message) for each in malformed.faults)
        raise InputRefused(*first, *others) from None
    except InputError as malformed:
        raise InputRefused(Place(path=source.shown), str(malformed)) from None


def _lines(one: Tree, first_lines: Sequence[int]) -> range:
    """The lines of an object: from its first to that of the next one."""
    first = one.place.line or 1
    later = bisect_right(first_lines, first)
    return range(first, first_lines[later] if later < len(first_lines) else 1 << 31)
