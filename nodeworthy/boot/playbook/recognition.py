"""Recognises a playbook, or a role's list of tasks, by how it begins and by the modules that it names."""

from __future__ import annotations

from nodeworthy.patterns import pattern

# The first entry of a list, behind comments and `---`, with a key that plays or tasks have.
_BEGINS = pattern(
    r"(?:[ \t]*(?:#[^\n]*+|---[^\n]*+)?\r?\n)*[ \t]*-[ \t]+(?:[\"']?)(?:name|hosts|block|when|become|tags|gather_facts|"
    r"vars|import_playbook|(?:ansible\.\w+\.)?[a-z_][a-z0-9_]{1,39})(?:[\"']?)[ \t]*:(?=\s)"
)
_MODULES = pattern(
    r"(?m)^[ \t]*(?:-[ \t]+)?(?:ansible\.(?:builtin|posix|legacy)\.|community\.general\.)?"
    r"(?:apt|yum|dnf|dnf5|package|zypper|shell|command|raw|service|systemd|systemd_service|copy|template|lineinfile|"
    r"replace|blockinfile|apt_repository|yum_repository|modprobe|mount|get_url|ufw|firewalld|snap)[ \t]*:"
)
# Other lists of mappings have some of these keys, and are read as something else.
_OF_KUBERNETES = pattern(r"(?m)^(?:- )?apiVersion[ \t]*:")


def is_playbook(text: str) -> bool:
    return _BEGINS.match(text) is not None and _MODULES.search(text) is not None and _OF_KUBERNETES.search(text) is None
