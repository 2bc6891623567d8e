"""What holds nothing of ours and hands a cluster its secrets all the same: scripts and tasks that install charts or
make Secrets, inventories and variables of Ansible.

By their names alone secrets are found in many a file that has nothing to do with a cluster; so each kind is known by
what it does, or by a variable that an installer of clusters reads.
"""

from __future__ import annotations

from pathlib import PurePath

from nodeworthy.collect.source.files import any_text
from nodeworthy.facts.secrets.plain_text import secrets_in
from nodeworthy.patterns import pattern

# What hands secrets on, in scripts and in Ansible's tasks.
_HANDS_ON = pattern(
    rb"\bhelm3?[ \t\\][^\n]*\b(?:install|upgrade)\b|\bkubectl[ \t][^\n]*\bcreate[ \t]+secret\b|"
    rb"\bk3sup[ \t]+(?:install|join)\b|kubernetes\.core\.(?:helm|k8s)[ \t]*:",
    words=(b"helm", b"kubectl", b"k3sup", b"kubernetes.core."),
)
_SHELL = pattern(rb"#!\s*/(?:usr/)?(?:local/)?bin/(?:env\s+(?:-\S+\s+)*)?(?:ba|da|k|z|a)?sh\b")
_SHELLS_ENDINGS = (".sh", ".bash")
_LIST = pattern(rb"(?:[ \t]*(?:#[^\n]*+|---[^\n]*+)?\r?\n)*[ \t]*-[ \t]+[\w\"'.]+[ \t]*:")
_YAML = (".yaml", ".yml")

# Where one logs in as root, and what an installer of clusters is given.
_LOGIN = rb"ansible_(?:become_|ssh_|sudo_|su_)?pass(?:word)?"
_OF_AN_INSTALLER = rb"(?:\w{0,20}_)?(?:k3s|rke2|kubeadm)_(?:\w{1,30}_)?(?:token|secret|password|certificate_key)"
_VARIABLE = pattern(rb"(?im)^[ \t]*(?:-[ \t]+)?[\"']?(?:" + _LOGIN + rb"|" + _OF_AN_INSTALLER + rb")[\"']?[ \t]*:[ \t]")
# The role of k3s' own makers calls it so, beside these.
_OF_K3S = pattern(rb"(?m)^[ \t]*(?:k3s_version|k3s_cluster|rke2_version)[ \t]*:")
_TOKEN = pattern(rb"(?m)^[ \t]*token[ \t]*:[ \t]")
_OF_A_CLUSTER = pattern(rb"(?i)\bk3s|\brke2|kube|k8s|microk8s|\bgpus?\b|nvidia|slurm")
_AN_OBJECT = pattern(rb"(?m)^(?:apiVersion|kind)[ \t]*:")
_GROUP = pattern(rb"(?m)^\[[\w.-]+(?::(?:vars|children))?\][ \t]*\r?$")
_OF_A_HOST = pattern(rb"(?im)(?:^|[ \t])(?:" + _LOGIN + rb"|" + _OF_AN_INSTALLER + rb")[ \t]*=")
_INVENTORIES = (".ini", ".cfg", ".inventory", "")

AN_INVENTORY = "an inventory"
VARIABLES = "variables of Ansible"
TASKS = "tasks of Ansible"
A_SCRIPT = "a script"
_HANDED = "hand it over when the script is run (a variable, a file of mode 600), and change it, for it has been seen"
_IN_A_VAULT = (
    "keep it encrypted (ansible-vault encrypt_string), or fetch it when the playbook runs (lookup); "
    "then change it, for it has been seen"
)
# What is run as it stands.
RUN = (A_SCRIPT, TASKS)
REMEDIES = {A_SCRIPT: _HANDED, **dict.fromkeys((AN_INVENTORY, VARIABLES, TASKS), _IN_A_VAULT)}


def told_openly(data: bytes, name: str) -> str:
    """What it is, for a reader, where a secret stands in it in plain words; empty where none does."""
    called = _kind_by_name(data, name)
    return called if called and any(secrets_in(any_text(data))) else ""


def _kind_by_name(data: bytes, name: str) -> str:
    suffix = PurePath(name).suffix
    if _SHELL.match(data) or suffix in _SHELLS_ENDINGS:
        return A_SCRIPT if _HANDS_ON.search(data) else ""
    if suffix in _YAML:
        return _called_in_yaml(data)
    is_inventory = suffix in _INVENTORIES and _OF_A_HOST.search(data) and _GROUP.search(data)
    return AN_INVENTORY if is_inventory and _OF_A_CLUSTER.search(data) else ""


def _called_in_yaml(data: bytes) -> str:
    if _LIST.match(data):
        return TASKS if _HANDS_ON.search(data) else ""
    if _AN_OBJECT.search(data) or not _OF_A_CLUSTER.search(data):
        return ""
    is_one = _VARIABLE.search(data) or (_OF_K3S.search(data) and _TOKEN.search(data))
    return VARIABLES if is_one else ""
