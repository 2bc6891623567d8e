"""What is mended, and that nothing else in the file is touched."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.fix.folder import CONFIG, K3S, SOCKET, STOCK, STOCK_CONFIG, fix, laid
from tests.run import run

OPERATOR = "driver: {enabled: false}\n"
PATHS = f"""\
# the operator, as platform keeps it
toolkit:
    enabled: true      # four blanks, on purpose
    env:
    # the socket of kubelet's containerd
    - name: CONTAINERD_SOCKET
      value: {STOCK}   # stock
    - {{name: CONTAINERD_CONFIG, value: '{CONFIG}'}}

driver: {{ enabled: false }}
"""
ARGO = f"""\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata:
  name: gpu-operator
spec:
  source:
    chart: gpu-operator
    targetRevision: v25.3.0
    helm:
      values: |
        # values of the operator
        driver: {{enabled: false}}
        toolkit:
          env:
            - name: CONTAINERD_CONFIG
              value: "{STOCK_CONFIG}"
            - name: CONTAINERD_SOCKET
              value: {STOCK}
  destination: {{namespace: gpu-operator}}
"""


def missing(env: str) -> str:
    return f"toolkit:\n  enabled: true\n{env}driver: {{enabled: false}}\n"


ENTRIES = f"    - name: CONTAINERD_SOCKET\n      value: {SOCKET}\n"

MENDED = {
    "a path, with its comments, quotes and indents": (
        PATHS,
        PATHS.replace(f"{STOCK}   # stock", f"{SOCKET}   # stock"),
    ),
    "Windows line ends": (
        PATHS.replace("\n", "\r\n"),
        PATHS.replace(f"{STOCK}   # stock", f"{SOCKET}   # stock").replace("\n", "\r\n"),
    ),
    "a byte order mark": (
        "\ufeff" + PATHS,
        "\ufeff" + PATHS.replace(f"{STOCK}   # stock", f"{SOCKET}   # stock"),
    ),
    "a document in a string": (
        ARGO,
        ARGO.replace(STOCK_CONFIG, CONFIG).replace(STOCK, SOCKET),
    ),
    "an empty list": (missing("  env: []  # none yet\n"), missing(f"  env:  # none yet\n{ENTRIES}")),
    "no value at all": (missing("  env:\n"), missing(f"  env:\n{ENTRIES}")),
    "no list": (missing(""), missing(f"  env:\n{ENTRIES}")),
    "a list with others": (
        missing("  env:\n  -   name: LOG\n      value: debug  # kept\n"),
        missing(
            "  env:\n  -   name: LOG\n      value: debug  # kept\n"
            f"  -   name: CONTAINERD_SOCKET\n      value: {SOCKET}\n"
        ),
    ),
    "a list in one line": (
        missing("  env: [{name: LOG, value: debug}]\n"),
        missing(f"  env: [{{name: LOG, value: debug}}, {{name: CONTAINERD_SOCKET, value: {SOCKET}}}]\n"),
    ),
    "no newline at the end": (f"{OPERATOR}toolkit:\n  env: []", f"{OPERATOR}toolkit:\n  env:\n{ENTRIES}".rstrip("\n")),
}


@pytest.mark.parametrize(("before", "after"), MENDED.values(), ids=MENDED.keys())
def test_paths_of_containerd(tmp_path: Path, before: str, after: str) -> None:
    laid(tmp_path, {"values.yaml": before, "Pulumi.dev.yaml": K3S})
    ran = fix(tmp_path)
    assert (tmp_path / "values.yaml").read_bytes() == after.encode()
    assert ran.code == 0, ran.err
    assert (tmp_path / "Pulumi.dev.yaml").read_text() == K3S


@pytest.mark.parametrize("before", [before for before, _ in MENDED.values()], ids=MENDED.keys())
def test_a_second_time_there_is_nothing_to_do(tmp_path: Path, before: str) -> None:
    laid(tmp_path, {"values.yaml": before, "Pulumi.dev.yaml": K3S})
    fix(tmp_path)
    mended = (tmp_path / "values.yaml").stat()
    ran = fix(tmp_path)
    assert ran.code == 0
    assert "nothing to mend" in ran.err
    assert (tmp_path / "values.yaml").stat().st_ino == mended.st_ino


ONPREM = """\
config:
  nodeworthy:fleet:
    cluster: {name: textgen}
    operator:
      values: {toolkit: {env: []}}
    pools:
      onprem: {gpu: h200, distribution: k8s-snap, containerdBaseDir: /srv/k8s, provision: false}
"""


def test_both_paths_are_put_there_together(tmp_path: Path) -> None:
    laid(tmp_path, {"Pulumi.dev.yaml": ONPREM})
    ran = fix(tmp_path, "Pulumi.dev.yaml", "--rule", "containerd-paths")
    assert ran.code == 0, ran.err
    told = (tmp_path / "Pulumi.dev.yaml").read_text()
    assert told.count("/srv/k8s/") == 2
    assert {line.strip() for line in ONPREM.splitlines()} - {line.strip() for line in told.splitlines()} == {
        "values: {toolkit: {env: []}}"
    }


@pytest.mark.parametrize("entries", ["[]", '[{"name": "LOG", "value": "x"}]', '[\n{"name": "LOG", "value": "x"}\n]'])
def test_json_stays_json(tmp_path: Path, entries: str) -> None:
    text = f'{{\n  "driver": {{"enabled": false}},\n  "toolkit": {{\n    "env": {entries}\n  }}\n}}\n'
    laid(tmp_path, {"values.json": text, "Pulumi.dev.yaml": K3S})
    ran = fix(tmp_path, "values.json", "--rule", "containerd-paths")
    assert ran.code == 0, ran.err
    env = json.loads((tmp_path / "values.json").read_text())["toolkit"]["env"]
    assert env[-1] == {"name": "CONTAINERD_SOCKET", "value": SOCKET}
    assert len(env) == len(json.loads(text)["toolkit"]["env"]) + 1


def env(*entries: str) -> str:
    return f"{OPERATOR}toolkit:\n  env:\n{''.join(entries)}"


FIRST = f"    - name: CONTAINERD_SOCKET\n      value: {SOCKET}\n"
WELLFORMED = {
    "a boolean": (
        env("    - name: CONTAINERD_SET_AS_DEFAULT\n      value: true # why\n"),
        env('    - name: CONTAINERD_SET_AS_DEFAULT\n      value: "true" # why\n'),
    ),
    "a number as it was written": (
        env("    - {name: LEVEL, value: 0x1F}\n"),
        env('    - {name: LEVEL, value: "0x1F"}\n'),
    ),
    "a URL": (env(FIRST.replace(" /", " unix:///")), env(FIRST)),
    "white space": (env(FIRST.replace(SOCKET, f'" {SOCKET}"')), env(FIRST.replace(SOCKET, f'"{SOCKET}"'))),
    "another name": (env(FIRST.replace("CONTAINERD_", "RUNTIME_")), env(FIRST)),
    "twice the same": (
        env(FIRST, FIRST.replace(SOCKET, f"'{SOCKET}'"), "    - {name: A, value: b}\n"),
        env(FIRST, "    - {name: A, value: b}\n"),
    ),
    "twice the same, at the end": (env(FIRST, FIRST).rstrip("\n"), env(FIRST).rstrip("\n")),
    "twice the same, in one line": (
        f"{OPERATOR}toolkit: {{env: [{{name: A, value: b}}, {{name: A, value: b}}, {{name: C, value: d}}]}}\n",
        f"{OPERATOR}toolkit: {{env: [{{name: A, value: b}}, {{name: C, value: d}}]}}\n",
    ),
}


@pytest.mark.parametrize(("before", "after"), WELLFORMED.values(), ids=WELLFORMED.keys())
def test_the_form_of_the_list(tmp_path: Path, before: str, after: str) -> None:
    laid(tmp_path, {"values.yaml": before})
    ran = fix(tmp_path, "values.yaml", "--rule", "toolkit-env-wellformed")
    assert (tmp_path / "values.yaml").read_text() == after
    assert ran.code == 0, ran.err


RKE2 = "#!/bin/sh\nset -eu\ncurl -sfL https://get.rke2.io | INSTALL_RKE2_TYPE=agent sh -\n"
SCRIPTS = {
    "started and never enabled": (
        f"{RKE2}sudo systemctl start rke2-agent.service  \necho done\n",
        f"{RKE2}sudo systemctl start rke2-agent.service  \nsudo systemctl enable rke2-agent\necho done\n",
    ),
    "under a condition": (
        f"{RKE2}if true; then\n\tsystemctl start rke2-agent\nfi\n",
        f"{RKE2}if true; then\n\tsystemctl start rke2-agent\n\tsystemctl enable rke2-agent\nfi\n",
    ),
    "an item of cloud-config": (
        "#cloud-config\nruncmd:\n  - curl -sfL https://get.rke2.io | sh -\n  - systemctl start rke2-server.service\n",
        "#cloud-config\nruncmd:\n  - curl -sfL https://get.rke2.io | sh -\n  - systemctl start rke2-server.service\n"
        "  - systemctl enable rke2-server\n",
    ),
    "Windows line ends, and then what they hid": (
        f"{RKE2}systemctl start rke2-agent\n".replace("\n", "\r\n"),
        f"{RKE2}systemctl start rke2-agent\nsystemctl enable rke2-agent\n",
    ),
}


@pytest.mark.parametrize(("before", "after"), SCRIPTS.values(), ids=SCRIPTS.keys())
def test_a_unit_that_is_not_enabled(tmp_path: Path, before: str, after: str) -> None:
    laid(tmp_path, {"user-data.sh": before})
    ran = fix(tmp_path, "user-data.sh", "--rule", "kubelet-survives-reboot", "--rule", "user-data-format")
    assert (tmp_path / "user-data.sh").read_bytes().decode() == after
    assert ran.code == 0, ran.err


def test_what_is_left_is_reported_and_decides_the_exit_code(tmp_path: Path) -> None:
    twice = FIRST.replace(SOCKET, "/run/other.sock")
    laid(tmp_path, {"values.yaml": env(FIRST, twice, "    - {name: A, value: yes}\n")})
    ran = fix(tmp_path, "values.yaml", "--rule", "toolkit-env-wellformed")
    assert ran.code == 1
    assert "1 of 2 findings can be mended, in 1 file" in ran.err
    assert "1 of 1 file written" in ran.err
    assert "stands twice in toolkit.env" in ran.out.partition("+++")[2].partition("values.yaml:")[2]
    assert (tmp_path / "values.yaml").read_text() == env(FIRST, twice, '    - {name: A, value: "yes"}\n')


def test_a_suppressed_finding_is_left_alone(tmp_path: Path) -> None:
    text = env("    - name: A\n      value: true # nodeworthy: ignore toolkit-env-wellformed the chart quotes it\n")
    laid(tmp_path, {"values.yaml": text})
    assert fix(tmp_path, "values.yaml", "--rule", "toolkit-env-wellformed").code == 0
    assert (tmp_path / "values.yaml").read_text() == text


def test_a_dry_run_shows_what_a_patch_would_do(tmp_path: Path) -> None:
    laid(tmp_path, {"values.yaml": env("    - {name: A, value: on}\n")})
    ran = run("check", "values.yaml", "--rule", "toolkit-env-wellformed", "--fix", "--dry-run", cwd=tmp_path)
    assert ran.code == 1
    assert ran.out.splitlines()[:2] == ["--- a/values.yaml", "+++ b/values.yaml"]
    assert '-    - {name: A, value: on}\n+    - {name: A, value: "on"}\n' in ran.out
    assert (tmp_path / "values.yaml").read_text() == env("    - {name: A, value: on}\n")


def test_a_clean_folder_stays_clean(tmp_path: Path) -> None:
    laid(tmp_path, {"values.yaml": env(FIRST)})
    ran = run("check", ".", "--fix", "--dry-run", "--rule", "toolkit-env-wellformed", cwd=tmp_path)
    assert (ran.code, ran.out) == (0, "")
    assert "nothing to mend" in ran.err


def test_a_hook_mends_what_was_changed(tmp_path: Path) -> None:
    laid(tmp_path, {"values.yaml": env("    - {name: A, value: on}\n"), "README.md": "on\n"})
    ran = run("check", "--rule", "toolkit-env-wellformed", "--fix", "--yes", "--changed", "values.yaml", cwd=tmp_path)
    assert ran.code == 0, ran.err
    assert '"on"' in (tmp_path / "values.yaml").read_text()
    ran = run("check", "--fix", "--yes", "--changed", "README.md", cwd=tmp_path)
    assert ran.code == 0
    assert "none of 1 changed files is of a kind that it knows" in ran.err


OWN = '''\
"""The toolkit is pinned."""

from __future__ import annotations

from nodeworthy.edit import replacing
from nodeworthy.facts.operator.values import OperatorValues
from nodeworthy.rule import Rule
from nodeworthy.verdict import Findings, Severity, fail, need

RULE = Rule("toolkit-pinned", severity=Severity.ERROR, title="The toolkit is pinned", remedy="pin it")


@RULE.check
def it_is(values: OperatorValues) -> Findings:
    version = values.tree.get("toolkit", "version").located()
    if need(version) == "latest":
        yield fail(version, "the toolkit moves", edit=replacing(version, "v1.19.0", "Pin the toolkit"))
'''


def test_a_rule_of_ones_own_says_what_mends_it(tmp_path: Path) -> None:
    laid(tmp_path, {"rules/toolkit_pinned.py": OWN, "values.yaml": f"{OPERATOR}toolkit: {{version: latest}}  # ours\n"})
    ran = fix(tmp_path, "values.yaml", "--rules", "rules", "--rule", "toolkit-pinned")
    assert ran.code == 0, ran.err
    assert (tmp_path / "values.yaml").read_text() == f'{OPERATOR}toolkit: {{version: "v1.19.0"}}  # ours\n'
