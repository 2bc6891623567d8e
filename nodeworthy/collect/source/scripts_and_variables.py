"""What holds nothing of ours and hands a cluster its secrets all the same: scripts, tasks, inventories and variables of
Ansible, makefiles, Dockerfiles, compose files, files of variables, what Prometheus scrapes with.

By their names alone secrets are found in many a file that has nothing to do with a cluster; so each kind is known by
what it does, or by words that only such files have.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path, PurePath

from nodeworthy.collect.source.comments import comments
from nodeworthy.collect.source.files import STDIN, Source, any_text
from nodeworthy.collect.source.git_index import is_left_out
from nodeworthy.collect.source.parsing import FileContents
from nodeworthy.facts.secrets.plain_text import (
    A_MAKEFILE,
    IN_COMPOSE,
    PlainText,
    is_for_tests,
    secrets_by_form,
    secrets_in,
)
from nodeworthy.patterns import pattern
from nodeworthy.scene import Fact
from nodeworthy.verdict import Place

# What hands secrets on, in scripts and in Ansible's tasks.
_HANDS_ON = pattern(
    rb"\bhelm3?[ \t\\][^\n]*\b(?:install|upgrade)\b|\bkubectl[ \t][^\n]*\bcreate[ \t]+secret\b|"
    rb"\bk3sup[ \t]+(?:install|join)\b|kubernetes\.core\.(?:helm|k8s)[ \t]*:",
    words=(b"helm", b"kubectl", b"k3sup", b"kubernetes.core."),
    in_a_line=True,
)
_SHELL = pattern(rb"#!\s*/(?:usr/)?(?:local/)?bin/(?:env\s+(?:-\S+\s+)*)?(?:ba|da|k|z|a)?sh\b")
_SHELLS_ENDINGS = (".sh", ".bash")
_LIST = pattern(rb"(?:[ \t]*(?:#[^\n]*+|---[^\n]*+)?\r?\n)*[ \t]*-[ \t]+[\w\"'.]+[ \t]*:")
_YAML = (".yaml", ".yml")

# Where one logs in as root, and what an installer of clusters is given.
_LOGIN = rb"ansible_(?:become_|ssh_|sudo_|su_)?pass(?:word)?"
_OF_AN_INSTALLER = (
    rb"(?:\w{0,20}_)?(?:(?:k3s|rke2|kubeadm)_(?:\w{1,30}_)?(?:token|secret|password|certificate_key)|bootstrap_token)"
)
_WORDS = (b"ansible_", b"k3s_", b"rke2_", b"kubeadm_", b"bootstrap_token")
_VARIABLE = pattern(
    rb"(?im)^[ \t]*(?:-[ \t]+)?[\"']?(?:" + _LOGIN + rb"|" + _OF_AN_INSTALLER + rb")[\"']?[ \t]*:[ \t]",
    words=_WORDS,
    in_a_line=True,
)
# The role of k3s' own makers calls it so, beside these.
_OF_K3S = pattern(
    rb"(?m)^[ \t]*(?:k3s_version|k3s_cluster|rke2_version)[ \t]*:",
    words=(b"k3s_version", b"k3s_cluster", b"rke2_version"),
    in_a_line=True,
)
_TOKEN = pattern(rb"(?m)^[ \t]*token[ \t]*:[ \t]", words=(b"token",), in_a_line=True)
# kubeadm's own, whatever it is called.
_OF_KUBEADM = pattern(
    rb"(?m)^[ \t]*\w{0,40}token[ \t]*:[ \t]*[\"']?[a-z0-9]{6}\.[a-z0-9]{16}\b", words=(b"token",), in_a_line=True
)
_OF_A_CLUSTER = pattern(
    rb"(?i)\bk3s|\brke2|kube|k8s|microk8s|\bgpus?\b|nvidia|slurm",
    words=(b"k3s", b"rke2", b"kube", b"k8s", b"gpu", b"nvidia", b"slurm"),
    in_a_line=True,
)
# An inventory in YAML.
_HOSTS = pattern(rb"(?m)^[ \t]*hosts[ \t]*:[ \t]*\r?$", words=(b"hosts",))
_AN_OBJECT = pattern(rb"(?m)^(?:apiVersion|kind)[ \t]*:", words=(b"apiVersion", b"kind"), in_a_line=True)
_GROUP = pattern(rb"(?m)^\[[\w.-]+(?::(?:vars|children))?\][ \t]*\r?$")
_OF_A_HOST = pattern(
    rb"(?im)(?:^|[ \t])(?:" + _LOGIN + rb"|" + _OF_AN_INSTALLER + rb")[ \t]*=", words=_WORDS, in_a_line=True
)
# Variables of Ansible's in a file without an ending.
_OF_ALL = ("all", "main", "k8s_cluster", "masters", "workers", "nodes")
_INVENTORIES = (".ini", ".cfg", ".inventory", "")

# What a cluster's programs are served by, and what only runs models.
_RUNS_MODELS = pattern(rb"(?i)vllm|ollama|jupyter|triton|mlflow|kubeflow|litellm|\bray\b|cuda")
_DOCKERFILE = pattern(r"(?i)(?:.*[._-])?(?:dockerfile|containerfile)(?:[._-].*)?")
_BUILDS_ON = pattern(rb"(?mi)^[ \t]*FROM[ \t]+\S")
# `.env`, `prod.env`, `.env.production`; `.env.example` is to be copied and filled in.
_DOTENV = pattern(r"(?:.*\.env|\.env\.\w{1,30})")
_TO_BE_COPIED = pattern(r"(?i)example|sample|dist|template|tmpl|default|test|schema")
_VAGRANTFILE = "Vagrantfile"
_MAKEFILES = ("Makefile", "makefile", "GNUmakefile")
_COMPOSE = pattern(rb"(?m)^services[ \t]*:", words=(b"services",), in_a_line=True)
_IMAGES = pattern(rb"(?m)^[ \t]+(?:image|build)[ \t]*:")
_SCRAPES = pattern(rb"(?m)^scrape_configs[ \t]*:", words=(b"scrape_configs",))
_ROUTES = pattern(rb"(?m)^receivers[ \t]*:", words=(b"receivers",))
_DATASOURCES = pattern(rb"(?m)^datasources[ \t]*:", words=(b"datasources",), in_a_line=True)
# What is read by programs and by machines; what is written for people shows such things.
_IS_TEXT = pattern(r"(?i)\.(?:ya?ml|sh|bash|conf|cfg|ini|toml|mk)$|^(?:.*[._-])?(?:docker|container)file$|^makefile$")
_UNIT = pattern(rb"(?m)^\[Service\]", words=(b"[Service]",))
_UNITS = (".service",)

# By which a description of an interface begins, with examples of what it takes.
_OF_AN_INTERFACE = pattern(rb"(?m)^(?:openapi|swagger):", words=(b"openapi:", b"swagger:"))
_AN_INVENTORY = "an inventory"
_VARIABLES = "variables of Ansible"
_TASKS = "tasks of Ansible"
_A_SCRIPT = "a script"
_A_DOCKERFILE = "a Dockerfile"
_A_VAGRANTFILE = "a Vagrantfile"
_A_DOTENV = "a file of variables"
_A_COMPOSE_FILE = "a compose file"
_OF_PROMETHEUS = "a configuration of Prometheus"
_OF_GRAFANA = "a datasource of Grafana's"
_ANY_FILE = "this file"
_OF_ALERTMANAGER = "a configuration of Alertmanager"
_A_UNIT = "a unit of systemd"
_HANDED = "hand it over when the script is run (a variable, a file of mode 600), and change it, for it has been seen"
_IN_A_VAULT = (
    "keep it encrypted (ansible-vault encrypt_string), or fetch it when the playbook runs (lookup); "
    "then change it, for it has been seen"
)
_MOUNTED = (
    "hand it over when the image is built (RUN --mount=type=secret) or when it runs (a variable, a file); "
    "then change it, for it has been seen"
)
_NOT_COMMITTED = (
    "take the file out of the repository (git rm --cached, .gitignore); then change it, for it has been seen"
)
_FROM_A_FILE = "keep it in a file of mode 600 and name that here (credentials_file, password_file); then change it"
_FROM_THE_ENVIRONMENT = "keep it in a file of mode 600 and name that here (EnvironmentFile=); then change it"
# What is run as it stands.
_RUN = (_A_SCRIPT, _TASKS)
# What starts services on a machine of one's own as well.
_FOR_ONESELF = (_A_COMPOSE_FILE, _A_DOTENV)
_REMEDIES = {
    **dict.fromkeys((_A_SCRIPT, A_MAKEFILE, _A_VAGRANTFILE), _HANDED),
    **dict.fromkeys((_AN_INVENTORY, _VARIABLES, _TASKS), _IN_A_VAULT),
    **dict.fromkeys((_OF_PROMETHEUS, _OF_ALERTMANAGER, _OF_GRAFANA), _FROM_A_FILE),
    _A_DOCKERFILE: _MOUNTED,
    _A_DOTENV: _NOT_COMMITTED,
    _A_COMPOSE_FILE: IN_COMPOSE,
    _A_UNIT: _FROM_THE_ENVIRONMENT,
    _ANY_FILE: _HANDED,
}
_OF_YAML = (_VARIABLES, _TASKS, _A_COMPOSE_FILE, _OF_PROMETHEUS, _OF_ALERTMANAGER, _OF_GRAFANA)


def secrets_told_openly(source: Source, data: bytes, rules: frozenset[str]) -> FileContents | None:
    """A file that is read for the secrets that it hands on, and for nothing else. None where it is no such file."""
    called = _kind_with_secrets(data, Path(source.lies)) if _OF_AN_INTERFACE.search(data) is None else ""
    if not called:
        return None
    whole = PlainText(
        *(Place(source.shown), any_text(data), called, _REMEDIES[called]),
        is_applied=called in _RUN,
        is_for_oneself=called in _FOR_ONESELF,
        is_of_others=called == _ANY_FILE,
        is_of_tests=is_for_tests(source.lies_within),
    )
    told = comments(whole.text, whole.place, rules, is_yaml=called in _OF_YAML)
    return FileContents([whole], suppressions=list(told))


def secrets_beside(source: Source, data: bytes, rules: frozenset[str]) -> Sequence[Fact]:
    """The secrets of a file that is read for other things as well."""
    openly = secrets_told_openly(source, data, rules)
    return openly.facts if openly is not None else ()


def _kind_with_secrets(data: bytes, path: Path) -> str:
    """What it is, for a reader, where a secret stands in it in plain words; empty where none does. One's own file that
    git does not keep is nobody's to read."""
    called = _kind(data, path.name)
    if not called:
        is_one = _IS_TEXT.search(path.name) is not None and any(secrets_by_form(any_text(data)))
        return _ANY_FILE if is_one else ""
    if not any(secrets_in(any_text(data))):
        return ""
    return "" if called == _A_DOTENV and is_left_out(path) else called


def _kind(data: bytes, name: str) -> str:
    suffix = PurePath(name).suffix
    if _SHELL.match(data) or suffix in _SHELLS_ENDINGS:
        return _A_SCRIPT if _is_of_a_cluster(data) else ""
    if name.startswith(_VAGRANTFILE):
        return _A_VAGRANTFILE if _OF_A_CLUSTER.search(data) else ""
    if suffix in _YAML or name == STDIN:
        return _called_in_yaml(data)
    if _DOTENV.fullmatch(name):
        return _A_DOTENV if _TO_BE_COPIED.search(name) is None else ""
    if _DOCKERFILE.fullmatch(name):
        runs = _OF_A_CLUSTER.search(data) or _RUNS_MODELS.search(data)
        return _A_DOCKERFILE if runs and _BUILDS_ON.search(data) else ""
    if name in _MAKEFILES or suffix == ".mk":
        return A_MAKEFILE if _is_of_a_cluster(data) else ""
    if suffix in _UNITS:
        return _A_UNIT if _UNIT.search(data) and _OF_A_CLUSTER.search(data) else ""
    if name in _OF_ALL:
        return _called_in_yaml(data) if _GROUP.search(data) is None else ""
    return _AN_INVENTORY if suffix in _INVENTORIES and _OF_A_HOST.search(data) and _GROUP.search(data) else ""


def _is_of_a_cluster(data: bytes) -> bool:
    return _HANDS_ON.search(data) is not None or _OF_A_CLUSTER.search(data) is not None


def _called_in_yaml(data: bytes) -> str:
    if _LIST.match(data):
        return _TASKS if _is_of_a_cluster(data) else ""
    if _DATASOURCES.search(data):
        return _OF_GRAFANA
    if _AN_OBJECT.search(data):
        return ""
    if _SCRAPES.search(data) or _ROUTES.search(data):
        return _OF_PROMETHEUS if _SCRAPES.search(data) else _OF_ALERTMANAGER
    if _COMPOSE.search(data) and _IMAGES.search(data):
        return _A_COMPOSE_FILE if _OF_A_CLUSTER.search(data) or _RUNS_MODELS.search(data) else ""
    is_one = _VARIABLE.search(data) or _OF_KUBEADM.search(data) or (_OF_K3S.search(data) and _TOKEN.search(data))
    return _VARIABLES if is_one and (_OF_A_CLUSTER.search(data) or _HOSTS.search(data)) else ""
