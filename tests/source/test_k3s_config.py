"""The config.yaml of k3s and RKE2: which files are one, and what is read of one that is no YAML."""

from __future__ import annotations

import pytest

from nodeworthy.collect.source.file_marks import config_title
from nodeworthy.collect.source.k3s_config import fault, own_lines
from nodeworthy.verdict import Place

TOKEN = "token: 1d5c9be0f7\n"
FILES = {
    ("config.yaml", f"server: https://first.example:6443\n{TOKEN}"): "k3s' config",
    ("config.yaml", f"server: 'https://first.example:9345'\nagent-{TOKEN}"): "RKE2's config",
    ("rke2/agent.yaml.j2", f"{TOKEN}node-label: [a=b]\n"): "RKE2's config",
    ("config.yaml", "token-file: /run/token\ncluster-init: true\n"): "k3s' config",
    ("config.yaml", f"{TOKEN}disable-kube-proxy: true\n"): "k3s' config",
    ("config.yaml", TOKEN): None,
    # An application's own settings.
    ("config.yaml", f"{TOKEN}disable: true\n"): None,
    ("config.yaml", f"{TOKEN}server: https://first.example\n"): None,
    # A kubeconfig, an object, a script.
    ("config.yaml", f"clusters:\n- cluster:\n    server: https://first.example:6443\n  {TOKEN}"): None,
    ("config.yaml", f"kind: Secret\nserver: https://first.example:6443\n{TOKEN}"): None,
    ("join.sh", f"server: https://first.example:6443\n{TOKEN}"): None,
}


@pytest.mark.parametrize(("path", "text"), FILES)
def test_which_files_are_one(path: str, text: str) -> None:
    assert config_title(text.encode(), path) == FILES[path, text]


def test_of_one_that_is_no_yaml_its_own_lines_count() -> None:
    text = f"notes\nserver: https://first.example:6443\n{TOKEN}  helm install x --set password=y\n"
    found = fault(text.encode(), text, Place("config.yaml"))
    assert found is not None
    assert found[0].line == 2
    assert own_lines(text) == f"\nserver: https://first.example:6443\n{TOKEN}\n"


def test_a_template_is_no_broken_one() -> None:
    text = "token: {{ token }}\nserver: {{ server }}:6443\n"
    assert fault(text.encode(), text, Place("config.yaml.j2")) is None
