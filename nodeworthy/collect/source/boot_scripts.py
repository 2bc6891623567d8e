"""Recognises boot scripts among files, by what stands in them."""

from __future__ import annotations

import codecs
import re
from pathlib import PurePath

from nodeworthy.verdict import Place

# What only the making of a node has to do with. A script that asks how kubelet is, or prints the GPUs, makes none.
_MARKS = re.compile(
    rb"/etc/eks/bootstrap|nodeadm|kubeadm\s+(?:join|init)|get\.k3s\.io|get\.rke2\.io|k8s join-cluster|microk8s join|"
    rb"k8s bootstrap|snap\s+install\s+(?:-\S+\s+)*(?:k8s|microk8s)\b|"
    rb"/etc/modprobe\.d|modprobe\s+nvidia|NVreg_|nvidia-driver|nvidia-open|cuda-drivers|NVIDIA-Linux|nvidia-fabricmanager|"
    rb"(?:enable|disable|mask|start)\b[^\n]*\b(?:kubelet|containerd|nvidia-persistenced|rke2-agent|k3s-agent)|"
    rb"hosts\.toml|insecure-registries|containerd config default|containerd/config|amazon-efs-utils|cloud-boothook"
)
_FIREWALL = re.compile(rb"^\s*(?:sudo\s+)?ufw\s+(?:--force\s+)?(?:enable|default)\b", re.MULTILINE)
_SHELL = re.compile(rb"#!\s*(/usr)?(/local)?/bin/(env\s+(-\S+\s+)*)?(ba|da|k|z|a)?sh\b")
_SCRIPT_NAMES = {".sh", ".bash", ".tpl", ".tftpl", ".tmpl", ".userdata", ".boothook"}
_HEADS = (b"#cloud-config", b"#cloud-boothook", b"## template: jinja", b"#include", b"#part-handler")
_MIME = re.compile(rb"(?im)^(mime-version|content-type)\s*:")
# Bottlerocket's, behind comments.
_SETTINGS = re.compile(rb"(?:[ \t]*(?:#[^\n]*)?\r?\n)*[ \t]*(?:\[+\s*settings\b|settings\.\w)")
_GZIP = b"\x1f\x8b"
_BASE64 = re.compile(rb"[A-Za-z0-9+/\r\n]{40,}={0,2}\s*\Z")
_BASE64_HEADS = (b"IyEv", b"I2Nsb3Vk", b"TUlNRS", b"Q29udGVudC1U", b"H4sI", b"YXBpVmVyc2lvbjogbm9kZS5la3M")
# Jobs are another kind of script.
_OTHERS = (b"#SBATCH", b"#PBS")
# How far a file is looked into for what it begins with.
_HEAD = 4096


def is_boot_script(data: bytes, name: str, *, named: bool) -> bool:
    """Whether these bytes are user data. Who names a shell script means it; one found in a folder must look like it."""
    if not data.strip():
        return named and (_is_called_like_one(name) or not PurePath(name).suffix)
    data = _in_utf8(data)
    head = data[:_HEAD].lstrip(b"\xef\xbb\xbf")
    stripped = head.lstrip()
    if stripped.startswith(_HEADS) or _is_mime(stripped):
        return True
    if b"node.eks.aws/" in data and b"NodeConfig" in data:
        return True
    if _SETTINGS.match(stripped) and b"kubernetes" in data:
        return True
    if any(mark in head for mark in _OTHERS):
        return False
    if stripped.startswith(b"#!"):
        return named or (_SHELL.match(stripped) is not None and (_MARKS.search(data) is not None or _is_torn(data)))
    if data.startswith(_GZIP) or (stripped.startswith(_BASE64_HEADS) and _BASE64.fullmatch(data.strip())):
        return _packs_user_data(data, name, named=named)
    return _is_named_like_one(name, data, named=named)


def is_firewall_script(data: bytes) -> bool:
    """A script that sets up ufw, which is a node's where the fleet beside it says that its nodes have one."""
    return _SHELL.match(data) is not None and _FIREWALL.search(data) is not None


def _is_mime(head: bytes) -> bool:
    first = head.split(b"\n\n", 1)[0].split(b"\r\n\r\n", 1)[0]
    return b"multipart/" in first.lower() and _MIME.search(first) is not None


def _is_named_like_one(name: str, data: bytes, *, named: bool) -> bool:
    return _is_called_like_one(name) and (named or _MARKS.search(data) is not None)


def _is_called_like_one(name: str) -> bool:
    path = PurePath(name)
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


def _packs_user_data(data: bytes, name: str, *, named: bool) -> bool:
    """What can't be unpacked is user data where somebody says so."""
    from nodeworthy.boot.unpack import unpack
    from nodeworthy.boot.userdata import PartKind

    read = unpack(data, Place(path=name), name=name)
    return bool(named and read.unread) or any(part.kind is not PartKind.OTHER for part in read.parts)
