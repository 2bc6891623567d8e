"""Archives of packages that are gone, as lists and variables name them; and what names one and asks for nothing."""

from __future__ import annotations

import pytest

from nodeworthy.documents.yaml import read
from nodeworthy.facts.boot.named_archives import archives_in_list, archives_in_variables
from nodeworthy.verdict import Place

APT = "deb https://apt.kubernetes.io/ kubernetes-xenial main"
DNF = "[kubernetes]\nname=Kubernetes\nbaseurl=https://packages.cloud.google.com/yum/repos/kubernetes-el7-x86_64\n"


def in_list(text: str, path: str = "kubernetes.list") -> list[tuple[str, int | None]]:
    return [(each.named, each.place.line) for each in archives_in_list(text, Place(path))]


def in_variables(text: str, path: str = "group_vars/all.yaml") -> list[tuple[str, int | None]]:
    document = read(text, Place(path))
    assert document is not None
    return [(each.named, each.place.line) for each in archives_in_variables(document, text)]


@pytest.mark.parametrize(
    ("text", "named"),
    [
        (APT, [("apt.kubernetes.io", 1)]),
        (f"# of 2022\n{APT}\n{APT}", [("apt.kubernetes.io", 2)]),
        (DNF, [("packages.cloud.google.com/yum/repos/kubernetes-", 3)]),
        (f"{DNF}enabled=1\n", [("packages.cloud.google.com/yum/repos/kubernetes-", 3)]),
        (f"{DNF}enabled=0\n", []),
        (f"{DNF}# enabled=0\n", [("packages.cloud.google.com/yum/repos/kubernetes-", 3)]),
        (f"# {APT}", []),
        ("see https://apt.kubernetes.io/", []),
        (f"{APT}\ndeb https://pkgs.k8s.io/core:/stable:/v1.34/deb/ /", []),
        (f"{APT}\n# deb https://pkgs.k8s.io/core:/stable:/v1.34/deb/ /", [("apt.kubernetes.io", 1)]),
        ("deb https://pkgs.k8s.io/core:/stable:/v1.34/deb/ /", []),
    ],
)
def test_what_a_list_names(text: str, named: list[tuple[str, int]]) -> None:
    assert in_list(text) == named


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("kube_apt: deb https://apt.kubernetes.io/ kubernetes-xenial main", [("apt.kubernetes.io", 1)]),
        ("a: 1\nkube: [{apt: https://apt.kubernetes.io/}, {apt: https://apt.kubernetes.io/}]",
         [("apt.kubernetes.io", 2)]),
        # The address alone is another's as well: of whom it is, its variable says.
        ("k8s_apt_repo: https://packages.cloud.google.com/apt", [("packages.cloud.google.com/apt", 1)]),
        ("gcloud_apt_repo: https://packages.cloud.google.com/apt", []),
        ("kubectl_repo: https://apt.kubernetes.io/", []),
        ("k8s_gpg_key: https://packages.cloud.google.com/apt", []),
        ("run: |\n  echo deb https://apt.kubernetes.io/\n  apt-get update", []),
        ("kind: ConfigMap\nkube_apt: https://apt.kubernetes.io/", []),
        ("[https://apt.kubernetes.io/]", []),
        ("kube_apt: https://apt.kubernetes.io/\nmirror: https://pkgs.k8s.io/", []),
        ("kube_apt: https://apt.kubernetes.io/\n# mirror: https://pkgs.k8s.io/", [("apt.kubernetes.io", 1)]),
        ("a: {b: {c: {d: {e: {f: https://apt.kubernetes.io/}}}}}", [("apt.kubernetes.io", 1)]),
        ("a: {b: [{c: [{d: https://apt.kubernetes.io/}]}]}", [("apt.kubernetes.io", 1)]),
        ("a: {b: {c: {d: {e: {f: {g: https://apt.kubernetes.io/}}}}}}", []),
    ],
)  # fmt: skip
def test_what_a_variable_names(text: str, named: list[tuple[str, int]]) -> None:
    assert in_variables(text) == named


@pytest.mark.parametrize(("written", "named"), [(4995, 1), (4996, 0)])
def test_what_is_long_is_no_table_of_variables(written: int, named: int) -> None:
    table = "".join(f"- {at}\n" for at in range(written))
    assert len(in_variables(f"many:\n{table}z:\n- kube: https://apt.kubernetes.io/\n")) == named


def test_who_asks_a_cluster_installs_no_kubelet() -> None:
    assert in_list(APT, "workstation/kubernetes.list") == []
    assert in_variables("kube_apt: https://apt.kubernetes.io/", "group_vars/bastion.yaml") == []
