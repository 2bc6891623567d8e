"""Files that a task has laid on the node, and that another looks for on the machine which runs Ansible."""

from __future__ import annotations

from collections.abc import Iterator

from nodeworthy.boot.playbook.tasks import Task
from nodeworthy.boot.playbook.variables import text_of
from nodeworthy.facts.ansible.tasks_as_written import TasksAsWritten
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass
from nodeworthy.verdict import Place

_LOOKS_HERE = ("unarchive", "copy")
_YES = ("true", "yes", "on", "1")
_ELSEWHERE = ("delegate_to", "local_action", "connection")
_HERE = ("localhost", "127.0.0.1")
_OF_NODES = pattern(r"(?i)slurm|munge|nvidia|cuda|containerd|kubelet|kubeadm|k3s|rke2|enroot|pyxis|ofed")


@dataclass(frozen=True)
class LookedForHere:
    """A file that is looked for on the machine which runs Ansible, and was downloaded on the node."""

    place: Place
    module: str
    path: str
    downloaded: Place


def files_looked_for_here(tasks: TasksAsWritten) -> Iterator[LookedForHere]:
    hosts = [text_of(play.get("hosts")) for play in tasks.document.sequence if not play.get("hosts").is_absent]
    # A role may be for the machine that runs Ansible, unless what it brings is a node's.
    if not set(hosts).isdisjoint(_HERE) or not (hosts or _OF_NODES.search(tasks.text)):
        return
    downloaded = dict[str, Place]()
    for task in tasks.every_task:
        entry = task.entry
        if entry is None or any(key in entry.mapping for key in _ELSEWHERE):
            continue
        if task.module == "get_url" and text_of(task.values.get("dest")):
            downloaded[text_of(task.values["dest"])] = task.values["dest"].place
        source = text_of(task.values.get("src"))
        if task.module in _LOOKS_HERE and source in downloaded and not _is_of_the_node(task):
            yield LookedForHere(task.values["src"].place, task.module, source, downloaded[source])


def _is_of_the_node(task: Task) -> bool:
    """A value that is filled in may be either."""
    said = text_of(task.values.get("remote_src")) or text_of(task.values.get("copy"))
    return "{{" in said or text_of(task.values.get("remote_src")).lower() in _YES or said.lower() in ("no", "false")
