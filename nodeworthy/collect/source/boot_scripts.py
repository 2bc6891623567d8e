"""Recognises boot scripts among files, by what stands in them."""

from __future__ import annotations

import codecs
import re
from pathlib import PurePath

from nodeworthy.collect.source.files import STDIN, any_text
from nodeworthy.patterns import pattern
from nodeworthy.verdict import Place

# A file that Slurm reads, where it reads it.
_OF_SLURM = pattern(
    rb"(?:slurm[\w./-]{0,80}|\w\})/(?:slurm|gres|cgroup)\.conf", words=(b"slurm.conf", b"gres.conf", b"cgroup.conf")
)

# What only the making of a node has to do with. A script that asks how kubelet is, or prints the GPUs, makes none.
_MARKS_OF_A_LINE = pattern(
    rb"/etc/eks/bootstrap|nodeadm|get\.k3s\.io|get\.rke2\.io|k8s join-cluster|microk8s join|"
    rb"\bINSTALL_(?:K3S|RKE2)_[A-Z_]{2,20}=|"
    rb"--print-join-command[\"' \t]{0,4}(?:>|\|[ \t]*tee\b)|"
    rb"k8s bootstrap|"
    rb"/etc/modprobe\.d|NVreg_|nvidia-driver|nvidia-open|cuda-drivers|NVIDIA-Linux|nvidia-fabricmanager|"
    rb"\bcuda_[\w.${}]{1,80}(?:\.|_linux-)run\b|"
    rb"(?:enable|disable|mask|start)\b[^\n]*\b(?:kubelet|containerd|nvidia-persistenced|rke2-agent|k3s-agent)|"
    rb"bridge-nf-call-iptables|"
    rb"(?:apt\.|yum\.)kubernetes\.io|cloud\.google\.com/yum/repos/kubernetes|"
    rb"hosts\.toml|insecure-registries|containerd config default|containerd/config|amazon-efs-utils|cloud-boothook",
    words=(
        *(b"/etc/eks/bootstrap", b"nodeadm", b"k3s", b"rke2", b"k8s", b"modprobe", b"NVreg_", b"nvidia"),
        *(b"NVIDIA-Linux", b"cuda", b"kubelet", b"containerd", b"bridge-nf-call-iptables"),
        *(b"hosts.toml", b"insecure-registries", b"amazon-efs-utils", b"cloud-boothook", b"--print-join-command"),
        *(b"kubernetes.io", b"yum/repos/kubernetes", b"INSTALL_"),
    ),
    in_a_line=True,
)
# The same of commands that may go on in the next line.
_MARKS_OF_COMMANDS = pattern(
    rb"kubeadm\s+(?:join|init)|snap\s+install\s+(?:-\S+\s+)*(?:k8s|microk8s)\b|"
    rb"modprobe\s+nvidia|ubuntu-drivers\s+(?:auto)?install|"
    rb"(?:apt-get|apt|dnf|yum|zypper)\s[^\n]{0,120}\binstall\s[^\n]{0,200}?(?<![\w-])cuda(?:-[\d$]|[\s=]|$)|"
    rb"modprobe\s+(?:-\S+\s+)*br_netfilter|"
    rb"\binstall\b(?:[^\n\\;&|]|\\\r?\n){0,120}?\bkube(?:let|adm)\b",
    words=(b"kubeadm", b"k8s", b"modprobe", b"ubuntu-drivers", b"cuda", b"kubelet"),
)
_FIREWALL = pattern(rb"^\s*(?:sudo\s+)?ufw\s+(?:--force\s+)?(?:enable|default)\b", re.MULTILINE, words=(b"ufw",))
# The same, wherever it stands in a line, and what tells that the machine is a node of Kubernetes.
_ANY_FIREWALL = pattern(
    rb"\bufw\s+(?:--force\s+)?(?:enable|disable|default)\b|\b(?:disable|stop)\s[^\n]{0,40}\b(?:ufw|firewalld)\b",
    words=(b"ufw", b"firewalld"),
)
_OF_KUBERNETES = pattern(
    rb"(?i)\bk3s|\brke2|kube|microk8s|\b6443\b|\b10250\b",
    words=(b"k3s", b"rke2", b"kube", b"microk8s", b"6443", b"10250"),
    in_a_line=True,
)
# A list of YAML, and what tasks of Ansible say that make a node.
_LIST = pattern(rb"(?:[ \t]*(?:#[^\n]*+|---[^\n]*+)?\r?\n)*[ \t]*-[ \t]+[\w\"'.]+[ \t]*:")
_OF_TASKS = pattern(
    rb"(?i)kubelet|kubeadm|containerd|nvidia|\bcuda|\bk3s\b|\brke2\b|microk8s|swapoff|\bufw\b|firewalld|nodeadm|"
    rb"fabricmanager|docker/daemon|(?:apt|yum)\.kubernetes\.io|cloud\.google\.com/yum/repos/kubernetes|pkgs\.k8s\.io|"
    rb"\bfstype[\"']?[ \t]*[:=][ \t]*[\"']?(?:nfs4?|cifs|lustre|efs|ceph|glusterfs|beegfs|wekafs)\b",
    words=(
        *(b"kube", b"containerd", b"nvidia", b"cuda", b"k3s", b"rke2", b"k8s", b"swapoff", b"ufw", b"firewalld"),
        *(b"nodeadm", b"fabricmanager", b"docker/daemon", b"fstype"),
    ),
    in_a_line=True,
)
# Ansible's modules that ask something of a cluster.
_ASKS_A_CLUSTER = pattern(
    rb"(?m)^[ \t]*(?:-[ \t]+)?(?:[\w.]+\.)?(?:k8s|kubernetes|helm)[ \t]*:", words=(b"k8s", b"kubernetes", b"helm")
)
_INCLUDES = pattern(
    rb"(?m)^[ \t]*(?:-[ \t]+)?(?:ansible\.(?:builtin|legacy)\.)?(?:include|include_tasks|import_tasks)[ \t]*:",
    words=(b"include", b"import_tasks"),
    in_a_line=True,
)
# What configures a machine for good.
_CONFIGURES = pattern(
    rb"(?m)(?:^|[;&|({]|\b(?:then|do|else)\b)[ \t]*(?:sudo[ \t]+(?:-\S+[ \t]+)*)?(?:"
    rb"ufw|ip6?tables|nft|mkfs(?:\.\w+)?|growpart|hostnamectl|nodeadm|kubeadm|dracut|update-initramfs|"
    rb"systemctl[ \t]+(?:-\S+[ \t]+)*(?:enable|disable|mask|daemon-reload)|"
    rb"(?:apt-get|apt|dnf|yum|zypper|snap)[ \t](?:[^\n]*[ \t])?install[ \t]"
    rb"[^\n]*(?:docker|containerd|kube|nvidia|k3s|nfs|efs|fabric|amazon-|chrony)\w*"
    rb")\b|/etc/(?:fstab|docker/daemon|systemd/system|sysctl\.d|default/grub|default/ufw|udev/rules\.d|rancher|kubernetes)",
    words=(
        *(b"ufw", b"tables", b"nft", b"mkfs", b"growpart", b"hostnamectl", b"nodeadm", b"kubeadm", b"dracut"),
        *(b"update-initramfs", b"systemctl", b"install", b"/etc/"),
    ),
    in_a_line=True,
)
# What runs helm to install something.
_RUNS_HELM = pattern(rb"\bhelm3?[ \t\\]", words=(b"helm",), in_a_line=True)
_INSTALLS = pattern(rb"\b(?:install|upgrade)\b", words=(b"install", b"upgrade"))
_OF_CHARTS = (b"gpu", b"nvidia", b"hami", b"dcgm", b"prometheus")
# What asks a cloud for nodes: by flags, or by manifests of Karpenter's and eksctl's that are written on the way.
_ASKS_FOR_NODES = pattern(
    rb"\beksctl[ \t]+(?:-\S+[ \t]+)*create\b|\bcontainer[ \t][^\n;|&]{0,200}?\b(?:node-pools|clusters)[ \t]+create\b|"
    rb"\baz[ \t]+aks[ \t]+(?:create|nodepool[ \t]+add)\b|karpenter\.(?:sh|k8s\.aws)/v|\bk3sup[ \t]+(?:install|join)\b|"
    rb"\bkops[ \t]+create[ \t]+cluster\b",
    words=(
        *(b"eksctl", b"node-pools", b"clusters ", b"clusters\t", b"aks ", b"aks\t", b"karpenter.", b"k3sup"),
        *(b"kops ", b"kops\t"),
    ),
    in_a_line=True,
)
# What is no script itself, and of whose commands one is made (`as_shell_script`).
_HOLD_COMMANDS = pattern(r"(?:GNUm|[Mm])akefile|.*\.(?:mk|just|ya?ml)|(?i:\.?justfile)", re.DOTALL)
# What sends commands to another machine.
_SENDS = pattern(rb"\bssh(?:[ \t]|-action\b)", words=(b"ssh",), in_a_line=True)
_SAYS_SO = pattern(r"(?i)(?:^|[-_.])(?:user[-_]?data|cloud[-_]?init|boot(?:strap|hook)?)(?=$|[-_.\d])")
# The steps of an image, not of a machine.
_BUILDS_AN_IMAGE = pattern(rb"(?:[ \t]*(?:#[^\n]*+|ARG[ \t][^\n]*+)?\r?\n)*FROM[ \t]+\S")
# Texts of a chart that have a name each: which of them a machine is given, another file says.
_DEFINES = pattern(rb"(?m)^\{\{-?[ \t]*define[ \t]+\"", words=(b"define",), in_a_line=True)
# Nothing else is called so; many a thing boots.
# `validate-cloudinit.sh` is somebody's tool for it, and started by hand.
_IS_CALLED_SO = pattern(
    r"(?i)(?:^|(?<!validate)(?<!verify)(?<!check)(?<!lint)(?<!generate)(?<!render)(?<!upload)[-_.])"
    r"(?:user[-_]?data|cloud[-_]?init)(?=$|[-_.\d])"
)
# It hands on to what its container is told to run.
_OF_A_CONTAINER = pattern(rb'(?m)^[ \t]*exec[ \t][^\n]*"?\$\{?[@*]')
NO_BOOT_SCRIPT = (
    "this script makes no node: it installs no driver, joins no cluster and configures no machine; "
    "user data that does none of this is known by its name (user-data.sh)"
)
# Who calls it by its shell's name does not see that a slash is missing.
_SHELL = pattern(rb"#!\s*(/?usr/|/)?(local/)?bin/(env\s+(-\S+\s+)*)?(ba|da|k|z|a)?sh\b")
_TEMPLATES = {".tpl", ".tftpl", ".tmpl"}
SHELLS = (".sh", ".bash")
_SCRIPT_NAMES = {*SHELLS, ".userdata", ".boothook", *_TEMPLATES}
# C says `#include`, too, and goes on with a file's name.
_HEADS = pattern(
    rb"#cloud-config|#cloud-boothook|## template: jinja|#part-handler|#include(?:-once)?[ \t]*(?:\r?\n|https?://)"
)
# As cloud-config that stands alone is called; a part of MIME needs no first line.
_OF_YAML = (".yaml", ".yml", ".cfg", "")
# The rest of a NodeClass as a template has it: what stands below the key is user data, and the text is none.
_HOLDS_ONE = pattern(rb"(?m)^(?:  )?userData:[ \t]*[|>]", words=(b"userData",))
_MIME = pattern(rb"(?im)^(mime-version|content-type)\s*:")
# A program, a page or another object may hold one; it is user data where it is the document itself.
_NODE_CONFIG = pattern(
    rb"(?:[ \t]*(?:#[^\n]*+|---[^\n]*+|%\{[^\n]*+)?\r?\n)*(?:--\S+\s+(?i:content-type)\s*:|"
    rb"[{\s\"']*(?:apiVersion[\"']?\s*:\s*[\"']?node\.eks\.aws/|kind[\"']?\s*:\s*[\"']?NodeConfig\b))"
)
_OF_A_MAIL = pattern(
    rb"(?im)^(?:from|to|subject|received|message-id|date):|multipart/(?:alternative|related|form-data)"
)
# Bottlerocket's, behind comments.
_SETTINGS = pattern(rb"(?:[ \t]*(?:#[^\n]*+)?\r?\n)*[ \t]*(?:\[+\s*settings\b|settings\.\w)")
# Other programs have a table of settings as well.
_OF_KUBERNETES_SETTINGS = pattern(rb"(?m)settings\.\w|^[ \t]*kubernetes\b")
_GZIP = b"\x1f\x8b"
_BASE64 = pattern(rb"[A-Za-z0-9+/\r\n]{40,}={0,2}\s*\Z")
_BASE64_HEADS = (b"IyEv", b"I2Nsb3Vk", b"TUlNRS", b"Q29udGVudC1U", b"H4sI", b"YXBpVmVyc2lvbjogbm9kZS5la3M")
# A manifest that holds some is no user data itself, whatever it is called.
_OBJECT = pattern(rb"(?:[ \t]*(?:#[^\r\n]*|---[^\r\n]*)?\r?\n)*(?:apiVersion|kind)[ \t]*:")
_KIND = pattern(rb"(?m)^kind[ \t]*:[ \t]*[\"']?([A-Z]\w{0,80})")
_OF_TERRAFORM = {".tf", ".tofu"}
_HCL = pattern(
    rb"(?:[ \t]*(?:(?:#|//)[^\r\n]*)?\r?\n)*(?:(?:resource|data)[ \t]+\"[^\"\r\n]+\"[ \t]+\"[^\"\r\n]+\"|"
    rb"(?:module|variable|output|provider)[ \t]+\"[^\"\r\n]+\"|terraform|locals)[ \t]*\{"
)
# What Windows reads.
_WINDOWS = pattern(rb"(?i)(?:[ \t]*(?:%\{[^\r\n]*)?\r?\n)*<(?:powershell|script|persist)>")
# Programs that write user data, or hand it over, and pages that tell of it.
_PROGRAMS = {
    *(".tf", ".tofu", ".hcl", ".tfvars", ".go", ".ts", ".js", ".rb"),
    *(".md", ".mdx", ".rst", ".adoc", ".py", ".nix", ".json", ".html", ".svg", ".drawio"),
}
# Jobs are another kind of script.
_OTHERS = (b"#SBATCH", b"#PBS")
# How far a file is looked into for what it begins with.
_HEAD = 4096


def is_boot_script(data: bytes, name: str) -> bool:
    """Whether these bytes may be a boot script. What of it makes no node, whoever reads it finds out."""
    if not data.strip():
        return name == STDIN or _IS_CALLED_SO.search(PurePath(name).stem) is not None
    data = _in_utf8(data)
    head = data[:_HEAD].lstrip(b"\xef\xbb\xbf")
    stripped = head.lstrip()
    if _HEADS.match(stripped) or _is_mime(stripped) or _says_so_too_late(head, name):
        return True
    if b"node.eks.aws/" in data and (_NODE_CONFIG.match(stripped) or _is_called_like_one(name, data)):
        return True
    if _OBJECT.match(stripped) or _WINDOWS.match(stripped):
        return False
    if _SETTINGS.match(stripped) and _OF_KUBERNETES_SETTINGS.search(data):
        return True
    if any(mark in head for mark in _OTHERS):
        return False
    if stripped.startswith(b"#!"):
        is_one = _makes_a_node(data) or _IS_CALLED_SO.search(PurePath(name).stem) or _is_torn(data)
        return bool(_SHELL.match(stripped) and is_one) or (_may_be_meant(stripped, name) and _is_meant(name, data))
    if is_tasks_of_a_node(data):
        return True
    if data.startswith(_GZIP) or (stripped.startswith(_BASE64_HEADS) and _BASE64.fullmatch(data.strip())):
        return _packs_user_data(data, name)
    return _is_named_like_one(name, data)


def holder_of_user_data(data: bytes, name: str) -> str | None:
    """What a file is that names or holds user data, and what to give in its place; None for user data."""
    if PurePath(name).suffix in _OF_TERRAFORM or _HCL.match(data):
        return "is Terraform, and no user data: give the file that its user_data names, a script or a template"
    found = _KIND.search(data) if _OBJECT.match(data) and not _NODE_CONFIG.match(data) else None
    if found is None:
        return None
    kind = found[1].decode("ascii", "replace")
    told = f"is Kubernetes' {kind}, and no user data: give what it holds"
    return f"{told}, as in yq -r .spec.userData {name} | nodeworthy boot -"


def is_meant_as_one(name: str) -> bool:
    """Whether its name says that it is a node's, whatever it does. Many a thing boots."""
    path = PurePath(name)
    return path.suffix in (".userdata", ".boothook") or _IS_CALLED_SO.search(path.stem) is not None


def may_write_for_slurm(data: bytes) -> bool:
    return _OF_SLURM.search(data) is not None


def is_firewall_script(data: bytes) -> bool:
    """A script that sets up ufw, which is a node's where the fleet beside it says that its nodes have one."""
    return _SHELL.match(data) is not None and _FIREWALL.search(data) is not None


def is_nodes_firewall(data: bytes) -> bool:
    """A script that sets up the firewall of a node of Kubernetes, or takes it away, here or on another machine."""
    return bool(_SHELL.match(data) and _ANY_FIREWALL.search(data) and _OF_KUBERNETES.search(data))


def may_install_charts(data: bytes) -> bool:
    """Whether helm may install something of ours here; what it installs, whoever reads it finds out."""
    is_ours = any(mark in data for mark in _OF_CHARTS)
    return is_ours and _RUNS_HELM.search(data) is not None and _INSTALLS.search(data) is not None


def may_send_scripts(data: bytes) -> bool:
    """Whether another machine may be made a node from here; whether it is, whoever reads it finds out."""
    return _SENDS.search(data) is not None and _makes_a_node(data)


def may_give_objects(data: bytes) -> bool:
    """Whether a command may give objects to kubectl that stand here themselves."""
    is_told = b"kubectl" in data or b"oc apply" in data
    return is_told and b"apiVersion" in data and b"<<" in data and (b" -f" in data or b"--filename" in data)


def may_ask_for_nodes(data: bytes) -> bool:
    """Whether a cloud may be asked for nodes here; for which, whoever reads it finds out."""
    return _ASKS_FOR_NODES.search(data) is not None


def _makes_a_node(data: bytes) -> bool:
    return _MARKS_OF_A_LINE.search(data) is not None or _MARKS_OF_COMMANDS.search(data) is not None


def _says_so_too_late(head: bytes, name: str) -> bool:
    if b"\n#cloud-config" not in head or PurePath(name).suffix not in _OF_YAML:
        return False
    from nodeworthy.boot.unpack.kinds import says_it_too_late

    return says_it_too_late(any_text(head))


def _is_mime(head: bytes) -> bool:
    first = head.split(b"\n\n", 1)[0].split(b"\r\n\r\n", 1)[0]
    return b"multipart/" in first.lower() and _MIME.search(first) is not None and not _OF_A_MAIL.search(first)


def _is_named_like_one(name: str, data: bytes) -> bool:
    if _BUILDS_AN_IMAGE.match(data):
        return False
    return _is_called_like_one(name, data) and (_makes_a_node(data) or _is_meant(name, data))


def _may_be_meant(head: bytes, name: str) -> bool:
    """A program in another language may be called after what it writes; one that is user data is called so and no
    more."""
    return _SHELL.match(head) is not None or _IS_CALLED_SO.match(PurePath(name).stem) is not None


def is_tasks_of_a_node(data: bytes) -> bool:
    """Ansible's, where they have to do with what makes a node."""
    if not _LIST.match(data) or not _OF_TASKS.search(data):
        return False
    from nodeworthy.boot.playbook.recognition import is_playbook

    return is_playbook(any_text(data))


def includes_tasks(data: bytes) -> bool:
    """A list of Ansible's in which other lists stand by their names."""
    return _LIST.match(data) is not None and _INCLUDES.search(data) is not None


def asks_a_cluster(data: bytes) -> bool:
    """Tasks of Ansible's that define objects, or install charts."""
    return _LIST.match(data) is not None and _ASKS_A_CLUSTER.search(data) is not None


def is_list(data: bytes) -> bool:
    return _LIST.match(data) is not None


def is_script(data: bytes, name: str) -> bool:
    return data.lstrip().startswith(b"#!") or PurePath(name).suffix in SHELLS


def may_be_commands(data: bytes, name: str) -> bool:
    """Whether these bytes may be commands for a node, a cluster or a cloud, in whatever form."""
    if is_script(data, name) or is_boot_script(data, name) or is_nodes_firewall(data):
        return True
    if includes_tasks(data):
        return True
    if not may_hold_commands(name):
        return False
    return may_install_charts(data) or may_give_objects(data) or may_ask_for_nodes(data) or may_send_scripts(data)


def may_hold_commands(name: str) -> bool:
    """Whether a file of this name may have commands within what it is: a makefile, a justfile, a pipeline. A page that
    shows some has none, and may be one line of megabytes."""
    return _HOLD_COMMANDS.fullmatch(name) is not None


def _is_meant(name: str, data: bytes) -> bool:
    """Whether its name, or what it does to a machine, makes it a boot script. An entrypoint of a container does none of
    that to a machine."""
    path = PurePath(name)
    # A chart's templates have one of these endings too, and begin otherwise.
    is_template = path.suffix in _TEMPLATES and data.lstrip().startswith(b"#!")
    if is_template or is_meant_as_one(name) or _SAYS_SO.search(path.stem):
        return True
    return _CONFIGURES.search(data) is not None and _OF_A_CONTAINER.search(data) is None


def _is_called_like_one(name: str, data: bytes) -> bool:
    path = PurePath(name)
    if path.suffix in _PROGRAMS or _DEFINES.search(data) or _HOLDS_ONE.search(data):
        return False
    return path.suffix in _SCRIPT_NAMES or path.name.startswith(("user-data", "userdata", "user_data"))


def _in_utf8(data: bytes) -> bytes:
    """A script that was saved as UTF-16 is still one, and nothing runs it."""
    if not data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return data
    return data.decode("utf-16", "replace").encode()


def _is_torn(data: bytes) -> bool:
    """Text with a NUL in it, of which nobody can say what it was to be; an archive that unpacks itself is no text."""
    if b"\x00" not in data:
        return False
    try:
        return bool(data.decode("utf-8"))
    except UnicodeDecodeError:
        return False


def _packs_user_data(data: bytes, name: str) -> bool:
    """What can't be unpacked is user data where somebody says so, or its name does."""
    from nodeworthy.boot.unpack import unpack
    from nodeworthy.boot.userdata import PartKind

    read = unpack(data, Place(path=name), name=name)
    if _IS_CALLED_SO.search(PurePath(name).stem):
        return bool(read.unread) or any(part.kind is not PartKind.OTHER for part in read.parts)
    if read.unread or read.has(PartKind.OTHER):
        return False
    if all(part.kind is PartKind.OTHER_LANGUAGE for part in read.parts):
        return False  # a program, packed for whatever unpacks it
    scripts = [part.text for part in read.parts if part.kind is PartKind.SHELL]
    return len(scripts) < len(read.parts) or any(_is_shell_of_a_node(each.encode()) for each in scripts)


def _is_shell_of_a_node(data: bytes) -> bool:
    return _SHELL.match(data) is not None and _makes_a_node(data)
