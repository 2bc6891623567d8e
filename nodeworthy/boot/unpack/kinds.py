"""What a text is, by how it begins: as cloud-init recognises it, and what only others read."""

from __future__ import annotations

import re
from enum import StrEnum
from pathlib import PurePosixPath

from nodeworthy.patterns import pattern


class Type(StrEnum):
    """The content types that somebody on a node reads."""

    SHELL = "text/x-shellscript"
    PER_BOOT = "text/x-shellscript-per-boot"
    PER_INSTANCE = "text/x-shellscript-per-instance"
    PER_ONCE = "text/x-shellscript-per-once"
    BOOTHOOK = "text/cloud-boothook"
    CLOUD_CONFIG = "text/cloud-config"
    ARCHIVE = "text/cloud-config-archive"
    JSONP = "text/cloud-config-jsonp"
    JINJA = "text/jinja2"
    INCLUDE = "text/x-include-url"
    INCLUDE_ONCE = "text/x-include-once-url"
    PART_HANDLER = "text/part-handler"
    NODE_CONFIG = "application/node.eks.aws"
    # No content type: the whole user data is it.
    BOTTLEROCKET = "Bottlerocket's settings"


# The longest first, as cloud-init tries them; in any case, behind any white space.
_BEGINNINGS = (
    ("#cloud-config-archive", Type.ARCHIVE),
    ("#cloud-config-jsonp", Type.JSONP),
    ("## template: jinja", Type.JINJA),
    ("#cloud-boothook", Type.BOOTHOOK),
    ("#cloud-config", Type.CLOUD_CONFIG),
    ("#part-handler", Type.PART_HANDLER),
    ("#include-once", Type.INCLUDE_ONCE),
    ("#include", Type.INCLUDE),
    ("#!", Type.SHELL),
)
SHELLS = {"sh", "bash", "dash", "ash", "ksh", "zsh"}
# Content types of which cloud-init looks at the content all the same.
LOOKED_INTO = {"text/plain", "text/x-not-multipart", "text/x-shellscript"}
PACKED = {
    "application/gzip",
    "application/gzip-compressed",
    "application/gzipped",
    "application/x-compress",
    "application/x-compressed",
    "application/x-gunzip",
    "application/x-gzip",
    "application/x-gzip-compressed",
}

_NODE_CONFIG = pattern(
    r"""^["']?(?:apiVersion["']?\s*:\s*["']?node\.eks\.aws/|kind["']?\s*:\s*["']?NodeConfig\b)""", re.MULTILINE
)
_NODE_CONFIG_JSON = pattern(r'\A\s*\{[^{}]{0,200}?"apiVersion"\s*:\s*"node\.eks\.aws/')
_SETTINGS = pattern(r"\[\[?\s*settings\s*[.\]]|settings\.[\w.\"-]+\s*=")
# A key of TOML before the first table: no shell has blanks there.
_KEY_OF_TOML = pattern(r"[\w-]{1,100}[ \t]+=[ \t]")
_TABLE_OF_SETTINGS = pattern(r"(?m)^[ \t]*\[settings[.\]]", words=("[settings",))
# What may stand before the first line that says something: comments, blank lines, YAML's `---`, a template's directive.
_SKIPPED = pattern(r"(?:[ \t]*(?:#[^\n]*+|---[^\n]*+|(?:%\{|\{[%{#])[^\n]*+)?\r?\n)*")
_TOO_LATE = pattern(r"(?:[ \t]*(?:#(?!cloud-config\b)[^\n]*+)?\r?\n)++#cloud-config[ \t]*\r?\n")
# A line of its own, and blank lines and comments behind it.
_FILLED_IN = pattern(r"\s{0,64}(?:\$\{[^{}\n]{1,200}\}[ \t]*\r?\n)++(?:[ \t]*(?:#[^\n]*+)?\r?\n)*+")
_YAML_BEGINS = pattern(r"""[\["'{]|[\w.-]+\s*:""")
_CLOUD_KEYS = (
    "bootcmd|runcmd|write_files|packages|package_update|package_upgrade|users|ssh_authorized_keys|mounts|apt|yum_repos"
    "|cloud_config_modules|power_state|swap|ntp|hostname|merge_how"
)
_CLOUD_CONFIG = pattern(rf"^(?:{_CLOUD_KEYS})\s*:", re.MULTILINE)
_COMMANDS = (
    "set|export|echo|if|for|while|cat|mkdir|yum|dnf|apt|apt-get|systemctl|curl|wget|sudo|exec|modprobe|nodeadm|aws"
    "|/etc/eks/bootstrap.sh|source|function|sysctl|tee|sed|sleep|install|mount|cp|chmod|rm|kubeadm|nvidia-smi|trap|printf"
    "|ufw|iptables|firewall-cmd|swapoff|hostnamectl|kubectl|helm|docker|snap|zypper|eksctl|gcloud|az|kops"
)
_LOOKS_LIKE_SHELL = pattern(rf"^[ \t]*(?:(?:{_COMMANDS})(?=[ \t;\"'])|[A-Za-z_]\w*=|\w+\s*\(\)\s*\{{)", re.MULTILINE)


def begins_as(text: str) -> Type | None:
    """What cloud-init takes this for."""
    start = text.lstrip()[:32].lower()
    return next((kind for beginning, kind in _BEGINNINGS if start.startswith(beginning)), None)


def kind_of_template(text: str) -> Type | None:
    """What a template is whose first lines somebody else gives it (`${common}`): its header is among them."""
    first = _FILLED_IN.match(text)
    is_one = first is not None and _YAML_BEGINS.match(text[first.end() :]) and _CLOUD_CONFIG.search(text)
    return Type.CLOUD_CONFIG if is_one else None


def says_it_too_late(text: str) -> bool:
    """`#cloud-config` behind a comment: that is no first line."""
    return "\n#cloud-config" in text and _TOO_LATE.match(text) is not None


def looks_like(text: str) -> Type | None:
    """What this was meant to be, though cloud-init does not recognise it."""
    first = _SKIPPED.match(text)
    start = text[first.end() if first else 0 :]
    if _YAML_BEGINS.match(start):
        if ("node.eks.aws/" in text or "NodeConfig" in text) and (
            _NODE_CONFIG.search(text) or _NODE_CONFIG_JSON.match(text)
        ):
            return Type.NODE_CONFIG
        if _CLOUD_CONFIG.search(text):
            return Type.CLOUD_CONFIG
    if _SETTINGS.match(start) or (_KEY_OF_TOML.match(start) and _TABLE_OF_SETTINGS.search(text)):
        return Type.BOTTLEROCKET
    return Type.SHELL if _LOOKS_LIKE_SHELL.search(text) else None


# What other systems than cloud-init's read: Fedora CoreOS, Flatcar and RHEL CoreOS; Talos.
_IGNITION = pattern(r"\"ignition\"\s{0,8}:", words=('"ignition"',))
_TALOS = pattern(r"(?m)^version:[ \t]{1,8}[\"']?v1alpha1\b", words=("v1alpha1",))
_OF_TALOS = pattern(r"(?m)^(?:machine|cluster):[ \t]*$", words=("machine:", "cluster:"))


def read_by_others(text: str) -> str:
    """Whose it is and who reads it, where that is not cloud-init; empty where it is nobody's that is known here."""
    if text.lstrip().startswith("{") and _IGNITION.search(text) is not None:
        return "Ignition's config, which Fedora CoreOS, Flatcar and RHEL CoreOS read"
    is_talos = _TALOS.search(text) is not None and _OF_TALOS.search(text) is not None
    return "a machine config of Talos', which Talos reads" if is_talos else ""


def interpreter(first_line: str) -> str:
    """The program that `#!/usr/bin/env -S bash -e` starts: bash."""
    words = first_line.strip().removeprefix("#!").split()
    names = [PurePosixPath(word).name for word in words]
    if names[:1] == ["env"]:
        names = [name for name in names[1:] if not name.startswith("-") and "=" not in name]
    return names[0] if names else ""
