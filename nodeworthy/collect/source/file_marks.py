"""The marks by which a file is recognised: a node's own file, ufw's, k3s' configuration, a Slurm job. Most files have
none and cost a glance; the reader of the others is imported only then."""

from __future__ import annotations

import re
from pathlib import PurePath
from typing import TYPE_CHECKING

from nodeworthy.collect.source.files import Source
from nodeworthy.patterns import pattern

if TYPE_CHECKING:
    from nodeworthy.facts.firewall.ufw_files import UfwFile
    from nodeworthy.facts.node.files import NodeFile
    from nodeworthy.facts.slurm.job import SlurmJob

# Files of a node

# One of these stands in every such file about which there is something to say.
_OF_A_NODE = (
    b"io.containerd.",
    b"plugins.cri",
    b"\nimports",
    b"\ndisabled_plugins",
    b"[host",
    b"[mirror",
    b"\nserver",
    b"\nmirrors:",
    b"\nconfigs:",
    b'-registries"',
    b'-mirrors"',
    b'-opts"',
    b'-driver"',
    b'"default-runtime"',
    b"nvidia-container-runtime",
    b"nvidia-container-toolkit",
    b"NVreg_",
    b"\noptions ",
    b"\nblacklist ",
)
# Nobody's node is configured in more.
_LARGEST = 512 * 1024
# What begins so is a script, an archive or a document of some other kind.
_NO_NODES_FILE = (b"#!", b"#cloud-config", b"\x1f\x8b", b"<", b"package ", b"import ", b"from ", b'"""')


def node_file(data: bytes, shown: str, lies: str = "") -> NodeFile | None:
    """The file as one of a node's own, or None. `lies` is its absolute path, by which it is grouped with others."""
    if data.startswith(_NO_NODES_FILE) or len(data) > _LARGEST:
        return None
    # A mark that begins its line may begin the file.
    lines = b"\n" + data
    if not any(mark in lines for mark in _OF_A_NODE):
        return None
    from nodeworthy.collect.source import node_file_reading

    return node_file_reading.node_file(data, shown, lies or shown)


# ufw's own files

# One of these stands in every file of ufw's, and in few others.
_OF_UFW = (b"ufw-", b"### tuple ###", b"_POLICY=", b"ENABLED=")


def ufw_file(data: bytes, shown: str, lies: str) -> UfwFile | None:
    if not any(mark in data for mark in _OF_UFW):
        return None
    from nodeworthy.collect.source import ufw_reading

    return ufw_reading.ufw_file(data, shown, lies)


# What k3s and RKE2 read as config.yaml, also where YAML can't read it

_ENDINGS = (".yaml", ".yml", ".j2", ".tftpl", ".tmpl", ".tpl", "")
_TOKEN = pattern(rb"(?m)^(?:agent-)?token(?:-file)?[ \t]*:[ \t]*\S", words=(b"token",), in_a_line=True)
# Where the first server answers; a kubeconfig has it further in.
_SERVER = pattern(rb"(?m)^server[ \t]*:[ \t]*[\"']?https?://[^\s\"']{1,300}:(?:6443|9345)\b")
_OTHER_KEY = pattern(
    rb"(?m)^(?:cluster-init|(?:cluster|service)-cidr|cluster-dns|tls-san|write-kubeconfig-mode|node-(?:label|taint|ip|external-ip)|cni|flannel-\w+|"
    rb"kube(?:let|-\w+)-arg|disable-(?:kube-proxy|cloud-controller|network-policy|helm-controller|etcd|apiserver)|"
    rb"etcd-(?:snapshot|s3|expose|arg)[\w-]*|embedded-registry)[ \t]*:"
)
# What a server's config alone says; where it lies then says whose it is.
_RANGE = pattern(rb"(?m)^(?:cluster|service)-cidr[ \t]*:")
# An object of Kubernetes, which other rules know.
_OBJECT = pattern(rb"(?m)^(?:apiVersion|kind)[ \t]*:", words=(b"apiVersion", b"kind"), in_a_line=True)


def config_title(data: bytes, path: str) -> str | None:
    """What a reader calls this config. None where it is none."""
    if PurePath(path).suffix not in _ENDINGS or _OBJECT.search(data) is not None:
        return None
    if _TOKEN.search(data) is None and not _is_a_servers(data, path):
        return None
    if _SERVER.search(data) is None and _OTHER_KEY.search(data) is None:
        return None
    return "RKE2's config" if b"rke2" in data or b":9345" in data or "rke2" in path else "k3s' config"


def _is_a_servers(data: bytes, path: str) -> bool:
    """One that names no token: a server that begins a cluster makes its own."""
    if not any(name in path for name in ("k3s", "rke2")):
        return False
    is_named = PurePath(path).name.startswith("config")
    return _RANGE.search(data) is not None or (is_named and len({*_OTHER_KEY.findall(data)}) > 1)


# Jobs of Slurm's

JOB_LINE = pattern(rb"^#SBATCH", re.MULTILINE)
_WRAPS = pattern(rb"\bsbatch\b[^\n]*(?:\\\n[^\n]*)*--wrap")
# Files that are jobs even where their first line does not say who runs them.
_JOB_NAMES = {
    ".sh",
    ".bash",
    ".slurm",
    ".sbatch",
    ".slrm",
    ".sbat",
    ".job",
    ".batch",
    ".submit",
    ".sub",
    ".tpl",
    ".tmpl",
    ".j2",
}
# They show jobs, and are none.
_PAGES = {".md", ".rst", ".html", ".adoc", ".tex", ".ipynb", ".patch", ".diff"}
# What only asks, and runs nothing, is put before jobs.
_RUNS = pattern(rb"(?m)^[ \t]*[^#\s]")


def slurm_jobs(source: Source, data: bytes) -> list[SlurmJob]:
    """The jobs that a script is, or that it submits; none where it is no such script."""
    if b"#SBATCH" not in data and b"--wrap" not in data:
        return []
    head = data[:4096].lstrip(b"\xef\xbb\xbf").lstrip()
    suffix = PurePath(source.path.name).suffix
    if not (head.startswith(b"#!") or suffix in _JOB_NAMES or _begins_as_one(head, data, suffix)):
        return []
    if JOB_LINE.search(data) is None and _WRAPS.search(data) is None:
        return []
    from nodeworthy.collect.source import slurm_reading

    return slurm_reading.jobs_in(source, data)


def _begins_as_one(head: bytes, data: bytes, suffix: str) -> bool:
    """Whether it is a Slurm job, whatever its ending: its first lines ask Slurm for something, and others run
    something."""
    return head.startswith(b"#SBATCH") and suffix not in _PAGES and _RUNS.search(data) is not None


# What Slurm reads itself

# One of these stands in slurm.conf, in slurmdbd.conf, in gres.conf, and begins a line in few other files.
_OF_SLURM = pattern(
    rb"(?im)^[ \t]*(?:"
    rb"(?P<gres>(?:NodeName=\S+[ \t]+)?(?:AutoDetect=\S+[ \t]+)?Name=gpu\b|AutoDetect=(?:nvml|nvidia|rsmi|oneapi)\b)|"
    rb"(?P<slurm>(?:SlurmctldHost|ControlMachine|SlurmctldPort|SlurmUser|GresTypes|PartitionName)[ \t]*=|"
    rb"NodeName=\S+[ \t][^\n]*(?:Gres|CPUs|Sockets|RealMemory|CoresPerSocket)=)|(?P<dbd>(?:DbdHost|DbdAddr)[ \t]*=)|"
    rb"(?P<cgroup>(?:CgroupAutomount|CgroupPlugin|Constrain(?:Cores?|Devices?|RAMSpace|SwapSpace))[ \t]*=))"
)
_CONF_NAMES = (".conf", ".j2", ".tpl", ".tftpl", ".tmpl", ".in", ".example", ".template")


def slurm_configuration(source: Source, data: bytes) -> str | None:
    """Which of Slurm's files it is; None where it is none of them."""
    if not source.path.name.lower().endswith(_CONF_NAMES) or data.startswith(_NO_NODES_FILE) or len(data) > _LARGEST:
        return None
    found = {each.lastgroup for each in _OF_SLURM.finditer(data)}
    names = {"dbd": "slurmdbd.conf", "slurm": "slurm.conf", "gres": "gres.conf", "cgroup": "cgroup.conf"}
    return next((title for kind, title in names.items() if kind in found), None)


# Slips of scripts, images and lists of tasks

# What names an archive that nobody answers for any more (known/gone_sources.toml), and the files that may ask it.
MAY_BE_GONE = pattern(
    rb"centos\.org|centos:(?:centos)?[78]|7fa2af80|cloud\.weave\.works|kubernetes-charts|bintray\.com|"
    rb"nvidia-container-toolkit\.list|fedoraproject\.org/pub/epel|cuda-repo-",
    words=(
        b"centos",
        b"7fa2af80",
        b"cloud.weave.works",
        b"kubernetes-charts",
        b"bintray.com",
        b"cuda-repo-",
        b"toolkit.list",
        b"pub/epel",
    ),
    in_a_line=True,
)
MAY_OPEN_A_KEY = pattern(
    rb"\bchmod\b[^\n]*(?:munge\.key|slurmdbd\.conf|jwt_hs256|id_(?:rsa|ecdsa|ed25519)|admin\.conf|(?:k3s|rke2)\.yaml|-token)"
    rb"|kubeconfig-mode\b|KUBECONFIG_MODE=",
    words=(b"chmod", b"kubeconfig-mode", b"KUBECONFIG_MODE"),
    in_a_line=True,
)
MAY_LAY_A_KEY = pattern(
    rb"/etc/munge\b|create-munge-key|mungekey", words=(b"/etc/munge", b"create-munge-key", b"mungekey"), in_a_line=True
)
_ASKS_FOR_PACKAGES = pattern(
    r"(?i)\.(?:sh|bash|service|ya?ml|tf|hcl|tpl|tftpl|tmpl|j2|ks|cfg|repo|sbatch|slurm|userdata)$|dockerfile|containerfile|"
    r"vagrantfile|makefile|user-?data"
)
MAY_FORK = pattern(
    rb"ExecStart[ \t]*=[^\n]*(?:slurmctld|slurmd|munged|nvidia-persistenced)", words=(b"ExecStart",), in_a_line=True
)
# What runs beside a node, and makes none: a prolog, a check of its health, what submits jobs.
_BESIDE_A_NODE = pattern(
    rb"\b(?:SLURM_JOB|SLURM_NODE|scontrol|sbatch|squeue|sinfo|nvidia-smi|dcgmi|kubectl)",
    words=(b"SLURM_", b"scontrol", b"sbatch", b"squeue", b"sinfo", b"nvidia-smi", b"dcgmi", b"kubectl"),
)


def may_slip(name: str, data: bytes) -> bool:
    if _ASKS_FOR_PACKAGES.search(name) is None:
        return False
    return any(each.search(data) is not None for each in (MAY_BE_GONE, MAY_OPEN_A_KEY, MAY_LAY_A_KEY, MAY_FORK))


def may_run_beside_a_node(data: bytes) -> bool:
    return data.startswith(b"#!") and _BESIDE_A_NODE.search(data) is not None
