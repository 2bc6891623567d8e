"""Which failures of critical steps nobody hears of."""

from __future__ import annotations

import time

import pytest

from nodeworthy.facts.boot.critical_steps import _names_one
from nodeworthy.rules.failure_is_loud import RULE
from tests.boot.rules.scripts import messages, said_of

JOIN = "/etc/eks/bootstrap.sh gpu-dev"
DRIVER = "dnf install -y nvidia-driver"


@pytest.mark.parametrize(
    ("text", "how"),
    [
        (f"set -e\n{JOIN} || true\necho", "`|| true` swallows it"),
        (f"set -e\n{DRIVER} || :\necho", "`|| :` swallows it"),
        (f"set -e\n{JOIN} | tee /var/log/join\necho", "the pipe swallows it"),
        (f"set -e\n{JOIN} &\necho", "runs in the background"),
        (f"set -e\n{DRIVER} && echo done\necho", "nobody looks"),
        (f"set -e\nset +e\n{DRIVER}\necho", "nobody looks"),
        (f"set -e\nfor i in 1 2; do\n  {DRIVER} && break\n  sleep 5\ndone\necho", "nobody looks"),
        (f"set -e\nf() {{\n  {DRIVER}\n}}\nf || true\necho", "`|| true` swallows it"),
        (f"{DRIVER}\necho", "nothing in it says `set -e`"),
        ("set -e\ncurl -sfL https://get.k3s.io | K3S_URL=https://a:6443 sh -", "the pipe swallows it"),
        ("set -e\nkubeadm join --config a || exit 0\necho", "nobody looks"),
        ("set -e\nsystemctl start kubelet || true\necho", "`|| true` swallows it"),
        ("kubeadm init --config a\necho", "nothing in it says `set -e`"),
        (f"trap : ERR\n{DRIVER}\necho", "nothing in it says `set -e`"),
        (f"set -e\n! {DRIVER}\necho", "nobody looks"),
        (f'set -e\nf() {{ local out=$({DRIVER}); echo "$out"; }}\nf\necho', "nobody looks"),
        (f'set -e\necho "$({DRIVER})"\necho', "nobody looks"),
        (f"set -e\nf() {{\n  {DRIVER}\n  echo done\n}}\nf || exit 1\necho", "the function goes on: in `f || exit 1`"),
        (
            f"set -e\nf() {{\n  {DRIVER}\n  echo done\n}}\nif ! f; then exit 1; fi\necho",
            "the function goes on: in `if ! f;",
        ),
        (f"set -e\n{DRIVER} &\nwait\necho", "runs in the background"),
        (f"set -e\n{DRIVER} &\nwait $! || true\necho", "runs in the background"),
        (f"{DRIVER} &\nwait $!\necho", "runs in the background"),
    ],
)
def test_silent(text: str, how: str) -> None:
    (message,) = messages(RULE, text)
    assert how in message


@pytest.mark.parametrize(
    "text",
    [
        f"set -euo pipefail\n{DRIVER} | tee /var/log/driver\n{JOIN}\necho",
        f"#!/bin/bash -xe\n{DRIVER}\necho",
        f"yum install -y jq\n{JOIN}",
        f"trap 'logger failed' ERR\n{DRIVER}\n{JOIN}\necho",
        f"{DRIVER} || exit 1\n{JOIN} || {{ echo failed; exit 1; }}\necho",
        f"{JOIN} || logger -t boot 'join failed'\necho",
        f"if ! {JOIN}; then\n  echo failed >&2\n  exit 1\nfi\necho",
        f"{JOIN}\n\n# did it\nif [ $? -ne 0 ]; then exit 1; fi\necho",
        f"{JOIN}\nrc=$?\n[ $rc = 0 ] || exit $rc\necho",
        f"until {JOIN}; do sleep 5; done\necho",
        f"while ! {JOIN}; do sleep 5; done\necho",
        f"for i in 1 2 3; do\n  {DRIVER} && break\n  [ $i = 3 ] && exit 1\n  sleep 5\ndone\necho",
        f"set -e\nexec > >(tee /var/log/boot) 2>&1\n{DRIVER}\n{JOIN}",
        f"set -e\n{JOIN}\nnvidia-smi || true",
        f"set -e\nok=\nfor i in 1 2 3; do if {DRIVER}; then ok=1; break; fi; sleep 5; done\n"
        '[ -n "$ok" ] || { echo failed >&2; exit 1; }\necho',
        f"set -e\n{DRIVER} &\npid=$!\nwait $pid\necho",
        f'{DRIVER} &\npids+=($!)\nfor pid in "${{pids[@]}}"; do\n  wait "$pid" || exit 1\ndone\necho',
        f"set -e\nf() {{\n  echo begins\n  {DRIVER}\n}}\nf || exit 1\necho",
        f"set -e\nf() {{\n  {DRIVER} || return 1\n  echo done\n}}\nf || exit 1\necho",
        f'set -e\nretry() {{\n  for i in 1 2 3; do\n    "$@" && return 0\n    sleep 5\n  done\n  return 1\n}}\n'
        f"retry {DRIVER} || exit 1\necho",
        f'set -e\nrun() {{\n  local rc=0\n  "$@" || rc=$?\n  echo "$rc"\n  return $rc\n}}\nrun {DRIVER} || exit 1\necho',
        f"set -e\nout=$({DRIVER})\necho",
        f'set -e\n{DRIVER} 2>&1 | tee /var/log/d.log\n[ "${{PIPESTATUS[0]}}" -eq 0 ] || exit 1\necho',
        f"cat > /opt/i.sh <<'E'\nset -e\nf() {{\n  {DRIVER}\n  echo done\n}}\nf\nE\nbash /opt/i.sh || exit 1\necho",
    ],
)
def test_loud(text: str) -> None:
    assert messages(RULE, text) == []
    assert said_of(RULE, text).verdict == "pass"


OF_TWO_FILES = """#cloud-config
write_files:
- content: |
    #!/bin/bash
    {}
    kubeadm join --config a
    echo done
  path: /opt/join.sh
- content: |
    #!/bin/bash
    {}
    tar xf b
  path: /opt/unpack.sh
runcmd:
- [bash, /opt/join.sh]
- [bash, /opt/unpack.sh]
"""


@pytest.mark.parametrize(
    ("own", "other", "how"), [("set -e", "true", "this script ends"), ("true", "set -e", "the script goes on")]
)
def test_each_file_of_a_cloud_config_says_it_for_its_own(own: str, other: str, how: str) -> None:
    (message,) = messages(RULE, OF_TWO_FILES.format(own, other))
    assert message.startswith(f"6: where joining the cluster fails, {how}")


K3S = "curl -sfL https://get.k3s.io | sh -"
RETRY = """run() {
  local -r what=$1
  for ((i = 0; i < 5; i++)); do
    if eval "$what"; then
      return 0
    fi
    sleep 5
  done
  return 1
}
"""


@pytest.mark.parametrize(
    "text",
    [
        f"set -e\n{K3S}\nkubectl get node -o wide\necho",
        f"set -e\n{K3S}\nTOKEN=$(sudo cat /var/lib/rancher/k3s/server/node-token)\necho",
        f"set -e\n{K3S}\nif [ -f /etc/rancher/k3s/k3s.yaml ]; then\n  echo there\nelse\n  echo no\n  exit 1\nfi\necho",
        f"set -e\n{K3S}\nhelm install \\\n  gpu nvidia/gpu-operator\necho",
        f"set -e\n{DRIVER} || true\nnvidia-smi\necho",
        f"{K3S}\n[ -x /usr/local/bin/k3s ] || {{\n  echo 'no k3s' >&2\n  exit 1\n}}\necho",
        f"{K3S}\ncommand -v k3s >/dev/null || exit 1\necho",
        f"{K3S}\nuntil kubectl get nodes; do sleep 2; done\necho",
        f"{K3S}\nif ! systemctl is-active --quiet k3s; then echo 'k3s failed'; fi\necho",
        f"{K3S}\nsystemctl daemon-reload\nsystemctl restart k3s",
        f"{DRIVER}\necho\nnvidia-smi",
        f'set -euxo pipefail\n{RETRY}run "{DRIVER}"\necho',
        "#cloud-config\nruncmd:\n- [sh, -c, 'NODE_ROLE=server sh /opt/prepare.sh']\n"
        f"- {DRIVER}\n- [sh, -c, 'until [ -e /dev/nvidia0 ]; do sleep 2; done']\n- echo\n",
    ],
)
def test_looked_at_later(text: str) -> None:
    assert messages(RULE, text) == []


@pytest.mark.parametrize(
    "text",
    [
        # What another one is told to do, this script does not do.
        f"set -e\n{K3S}\ncat > /root/help <<E\nkubectl get nodes\nE\necho",
        f"set -e\n{K3S}\necho 'kubectl get nodes'\necho",
        f"set -e\n{K3S}\nkubectl get nodes || true\necho",
        f"set -e\n{K3S}\nkubectl get nodes | head -3\necho",
        "set -e\nkubeadm join --config a || true\nkubectl config view\necho",
        f"set -e\n{K3S}\nif [ $VERBOSE = 1 ]; then\n  kubectl get nodes\nfi\necho",
        f"{K3S}\nkubectl get nodes\necho",
        f"{DRIVER}\nnvidia-smi && nvidia-smi -pm 1\necho",
        # kubelet's unit starts on a node that has not joined, too.
        "set -e\nkubeadm join --config a || true\nsystemctl restart kubelet\necho",
        f"set -e\nkubectl get nodes\n{K3S}\necho",
    ],
)
def test_not_looked_at_later(text: str) -> None:
    assert messages(RULE, text)


def test_what_a_template_adds_behind_the_last_command_may_be_nothing() -> None:
    joins = "/etc/eks/bootstrap.sh '${name}' --use-max-pods false"
    assert messages(RULE, f"%{{ if join }}\n{joins}\n\n${{after_the_join}}\n%{{ endif }}\n") == []
    assert messages(RULE, f"{joins}\n${{after_the_join}}\ntouch /var/log/done\n")


def test_what_is_only_enabled_is_not_started() -> None:
    (found,) = messages(RULE, "apt-get install -y kubelet\nsystemctl enable kubelet\necho")
    assert "where enabling kubelet fails" in found
    (found,) = messages(RULE, "apt-get install -y kubelet\nsystemctl enable --now kubelet\necho")
    assert "where starting kubelet fails" in found


def test_oracles_join_is_one() -> None:
    (found,) = messages(
        RULE, "bash /etc/oke/oke-install.sh --apiserver-endpoint $A --kubelet-ca-cert $B\ntouch /var/log/done"
    )
    assert found.startswith("2: where joining the cluster fails, the script goes on")
    metadata = "http://169.254.169.254/opc/v2/instance/metadata/oke_init_script"
    fetched = f"curl -L {metadata} | base64 --decode >/var/run/oke-init.sh\nbash /var/run/oke-init.sh"
    (found,) = messages(RULE, f"{fetched}\ntouch /var/log/done")
    assert found.startswith("3: where joining the cluster fails")
    assert messages(RULE, f"set -e\n{fetched}\ntouch /var/log/done") == []


def test_sudo_or_nothing_is_sudo() -> None:
    sudo = '[ "$(whoami)" != root ] && SUDO=sudo || SUDO=""'
    (found,) = messages(
        RULE, f"{sudo}\nrpm -q dkms || ($SUDO yum -y install dkms && $SUDO yum -y install cuda-drivers)\necho"
    )
    assert found.startswith("3: where the driver's installation fails")


def test_without_set_e_one_finding_names_every_step() -> None:
    (found,) = said_of(RULE, f"{DRIVER}\n{JOIN}\nsystemctl enable --now kubelet\necho").findings
    assert found.where.line == 2
    assert [each.place.line for each in found.related] == [3, 4]
    assert found.remedy == "behind line 1: set -euo pipefail"


def test_the_entries_of_runcmd_are_one_script() -> None:
    (found,) = said_of(RULE, f"#cloud-config\nruncmd:\n- {DRIVER}\n- [echo]\n").findings
    assert found.where.line == 3
    assert "- set -e" in (found.remedy or "")


def test_nothing_critical() -> None:
    assert said_of(RULE, "dnf install -y jq || true").verdict == "skip"


def test_a_region_that_was_not_understood() -> None:
    assert said_of(RULE, "$TOOL install nvidia-driver\ntrue\n").verdict == "unknown"
    # What the shell can't read, shell-parses tells; of another language's program nobody says that it is critical.
    assert said_of(RULE, 'if true; then\n  kubeadm join || {\n    echo "failed\nfi\n').verdict == "skip"
    assert said_of(RULE, "python3 - <<'EOF'\nimport nvidia_ml_py3\nEOF\n").verdict == "skip"
    assert said_of(RULE, f'set -e\n{JOIN}\nif true; then\n  echo || {{\n    echo "failed\nfi\n').verdict == "pass"


def test_a_download_and_what_runs_it_are_told_once() -> None:
    (found,) = messages(RULE, f"{K3S}\necho")
    assert "nothing in it says `set -e`" in found
    (found,) = messages(RULE, "curl -sfL https://get.k3s.io | \\\n  sh -\necho")
    assert "nothing in it says `set -e`" in found


@pytest.mark.parametrize("unit", ["://a", "nvidia", "://nvidia", "install", "install/nvidi"])
def test_a_line_of_one_word_takes_no_time(unit: str) -> None:
    begins = time.process_time()
    _names_one(unit * (200_000 // len(unit)))
    assert time.process_time() - begins < 2


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("curl https://example.com/nvidia/setup.sh", True),
        ("./nvidia-container-install.sh", True),
        ("my-install_of.nvidia", True),
        ("nvidia is no driver", False),
        ("install it for nvidia", False),
        ("cat setup.sh https://example.com/nvidia", False),
    ],
)
def test_an_installer_is_known_by_one_word(line: str, names: bool) -> None:
    assert _names_one(line) is names
