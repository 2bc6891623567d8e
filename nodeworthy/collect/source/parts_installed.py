"""What commands install into a cluster, whoever runs them and wherever: evidence for a fleet that nobody declares.

Rules judge an operator by the values that it is given; which parts a fleet's nodes get from it follows from the command
alone. Of a device plugin that is applied by its address nothing stands here but the address.
"""

from __future__ import annotations

from collections.abc import Iterator

from nodeworthy.collect.source.boot_scripts import is_script, is_tasks_of_a_node
from nodeworthy.collect.source.files import STDIN, Source, any_text
from nodeworthy.collect.source.files_beside import FilesBeside
from nodeworthy.collect.source.helm_commands import operators_by_helm
from nodeworthy.collect.source.script_contents import as_shell_script
from nodeworthy.collect.source.script_files import boot_script
from nodeworthy.facts.fleet.plugin_by_address import PluginByAddress
from nodeworthy.facts.operator.values import OperatorValues
from nodeworthy.patterns import pattern
from nodeworthy.verdict import Place

_RUNS_HELM = pattern(rb"\bhelm", words=(b"helm",))
_OPERATOR = pattern(rb"gpu-operator", words=(b"gpu-operator",))
_APPLIES = pattern(
    rb"\bkubectl[ \t][^\n#]{0,120}?\b(?:apply|create)[ \t][^\n#]{0,120}?https://[^\s\"']{1,160}?"
    rb"/(?:k8s|nvidia)-device-plugin[\w./-]{0,120}?\.ya?ml",
    words=(b"device-plugin",),
)
_NVIDIAS = (b"NVIDIA/", b"nvidia-device-plugin")


def parts_installed(source: Source, data: bytes, rules: frozenset[str]) -> Iterator[OperatorValues | PluginByAddress]:
    """Of scripts, makefiles, pipelines and tasks of Ansible; of a page that tells of commands nothing."""
    if source.shown == STDIN or not (_OPERATOR.search(data) or b"device-plugin" in data):
        return
    shell = data if is_tasks_of_a_node(data) else as_shell_script(source, data)
    if not shell:
        return
    yield from _plugins(source, data)
    if _RUNS_HELM.search(data) and _OPERATOR.search(data):
        found = boot_script(source, shell, rules)
        beside = found.beside or FilesBeside(source)
        for script in found.scripts:
            yield from operators_by_helm(script, beside)


def _plugins(source: Source, data: bytes) -> Iterator[PluginByAddress]:
    if not (is_script(data, source.path.name) or b"kubectl" in data):
        return
    for found in _APPLIES.finditer(data):
        line = data.count(b"\n", 0, found.start()) + 1
        begins = any_text(data).split("\n")[line - 1].lstrip()
        if not begins.startswith(("#", "echo ", "printf ", "//")) and any(mark in found[0] for mark in _NVIDIAS):
            address = any_text(found[0][found[0].index(b"https://") :])
            yield PluginByAddress(Place(source.shown, line), address)
