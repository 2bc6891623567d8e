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
# Where the manifest of a plugin lies, from its name on to its end.
_REST_OF_ADDRESS = pattern(rb"[\w./-]{0,120}?\.ya?ml")
_PLUGIN, _ADDRESS = b"device-plugin", b"https://"
_COMMANDS = (b"apply", b"create")
# No command is longer.
_LONGEST = 400
_NVIDIAS = (b"NVIDIA/", b"nvidia-")


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
    at = data.find(_PLUGIN)
    while at >= 0:
        line, behind = max(data.rfind(b"\n", 0, at) + 1, at - _LONGEST), at + len(_PLUGIN)
        command, _, address = data[line:at].rpartition(_ADDRESS)
        is_told = _applies(command) and any(mark in address for mark in _NVIDIAS)
        rest = _REST_OF_ADDRESS.match(data, behind) if is_told else None
        if rest is not None:
            behind, whole = rest.end(), any_text(_ADDRESS + address + _PLUGIN + rest[0])
            yield PluginByAddress(Place(source.shown, data.count(b"\n", 0, at) + 1), whole)
        at = data.find(_PLUGIN, behind)


def _applies(command: bytes) -> bool:
    """Whether a command does it, and not one that prints how."""
    program, runs, words = command.partition(b"kubectl")
    is_told = program.lstrip().startswith((b"#", b"echo", b"printf", b"//"))
    return bool(runs) and not is_told and any(each in words.split() for each in _COMMANDS)
