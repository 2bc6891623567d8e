"""`nodeworthy boot`: the timeline as a person and as a tool see it."""

from __future__ import annotations

import base64
import gzip
import io
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from nodeworthy.boot.effects import Effect, Installs, Joins, LoadsModule, PullsImage, Reboots, Unit, Writes
from nodeworthy.report.effect import _DETAILS, _VERBS, _WHAT
from tests.run import Ran, run

LATE = """\
#!/bin/bash
set -e
if lspci | grep -qi nvidia; then
  dnf install -y nvidia-driver
fi
echo "options nvidia NVreg_RestrictProfilingToAdminUsers=0" > /etc/modprobe.d/nvprof.conf
"""
SHOWN = """\
user-data.sh: shell script, 176 bytes

scripts, at the end of cloud-init
    3  if lspci | grep -qi nvidia:
    4    installs   nvidia-driver with dnf
    4    may load   the module nvidia: the driver's package nvidia-driver loads it when it is installed
         ^ see profiling-before-driver (line 6): the module is loaded here: the driver's package nvidia-driver
           loads it when it is installed
    6  writes     /etc/modprobe.d/nvprof.conf (1 line)
       ^ fail profiling-before-driver: the profiling option is written after the driver is loaded

3 effects, all of it understood; 1 objected to
"""


def boot(folder: Path, text: str | bytes, *options: str, name: str = "user-data.sh") -> Ran:
    (folder / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    return run("boot", name, *options, cwd=folder)


def data(ran: Ran) -> dict[str, Any]:
    read: dict[str, Any] = json.loads(ran.out)
    return read


def test_time_flows_down_and_both_ends_are_marked(tmp_path: Path) -> None:
    ran = boot(tmp_path, LATE)
    assert (ran.code, ran.out) == (0, SHOWN)


def test_for_tools_it_is_json(tmp_path: Path) -> None:
    ran = boot(tmp_path, LATE, "--format", "json")
    report = data(ran)
    assert (ran.code, report["schema"], report["not_understood"]) == (0, "nodeworthy/timeline/v1", 0)
    installs, loads, writes = report["effects"]
    assert (installs["kind"], installs["line"], installs["details"]["packages"]) == ("installs", 4, ["nvidia-driver"])
    assert loads["conditions"] == ["lspci | grep -qi nvidia"]
    assert writes["details"]["content"] == "options nvidia NVreg_RestrictProfilingToAdminUsers=0\n"
    assert [each["rule"] for each in writes["findings"]] == ["profiling-before-driver"]


def test_what_is_packed_is_shown_unpacked(tmp_path: Path) -> None:
    packed = base64.b64encode(gzip.compress(LATE.encode()))
    ran = boot(tmp_path, packed, "--format", "json", name="user-data.b64")
    report = data(ran)
    assert report["wrapped"] == ["base64", "gzip"]
    assert [each["subject"].split(" of ")[0] for each in report["effects"]] == ["line 4", "line 4", "line 6"]


def test_standard_input(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(LATE.encode())))
    ran = run("boot", "-", cwd=tmp_path)
    assert ran.code == 0
    assert ran.out.startswith("-: shell script")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("#!/bin/bash\n$TOOL install x\n", "the program here is $TOOL"),
        ("#!/bin/bash\nif true; then\n", "unexpected end of file"),
        ("#!/usr/bin/python3\nprint('kubelet')\n", "/usr/bin/python3 is not read"),
        ("#!/bin/bash\ncurl -s https://example.com/install.sh | bash\n", "example.com"),
    ],
)
def test_what_was_not_understood_ends_with_3_and_is_shown(tmp_path: Path, text: str, why: str) -> None:
    ran = boot(tmp_path, text)
    assert ran.code == 3
    assert why in ran.out
    assert "not understood" in ran.out


def test_what_can_not_be_read_ends_with_2(tmp_path: Path) -> None:
    missing = run("boot", "nowhere.sh", cwd=tmp_path)
    assert (missing.code, missing.out) == (2, "")
    assert "nowhere.sh can't be read: no such file or directory" in missing.err
    folder = run("boot", ".", cwd=tmp_path)
    assert (folder.code, folder.err) == (2, "nodeworthy boot: . is a folder; boot reads one file\n")


@pytest.mark.parametrize("form", ["text", "json"])
@pytest.mark.parametrize(
    ("data", "why"),
    [
        (gzip.compress(LATE.encode())[:-20], "the gzip is cut off: cloud-init then runs nothing of it"),
        (gzip.compress(bytes(5 << 20)), "the gzip unpacks to more than 4 MiB: no node boots from that"),
        (b"#!/bin/bash\n" * 400_000, "the user data is larger than 4 MiB: no cloud takes so much"),
    ],
)
def test_what_can_not_be_unpacked_is_one_sentence(tmp_path: Path, data: bytes, why: str, form: str) -> None:
    ran = boot(tmp_path, data, "--format", form)
    assert (ran.code, ran.out, ran.err) == (3, "", f"nodeworthy boot: user-data.sh: {why}\n")


@pytest.mark.parametrize("form", ["text", "json"])
def test_a_secret_is_never_shown(tmp_path: Path, form: str) -> None:
    token = "ghp_" + "a1B2" * 9
    script = f"""#!/bin/bash
export GHCR_TOKEN={token}
if [ "{token}" = x ]; then exit 1; fi
echo {token} > /etc/token
docker login ghcr.io -u bot -p {token}
cat > /etc/netrc <<EOF
machine ghcr.io password {token}
EOF
curl -H "Authorization: Bearer {token}" https://ghcr.io/v2/ | bash
$TOOL {token}
"""
    ran = boot(tmp_path, script, "--format", form)
    assert token not in ran.out
    assert "(secret)" in ran.out


def test_a_password_behind_an_option_is_hidden_word_by_word(tmp_path: Path) -> None:
    ran = boot(
        tmp_path, "#!/bin/bash\ndocker login ghcr.io -u bot -p hunter2xyz\nmysql -phunter2xyz db\n", "--format", "json"
    )
    assert "hunter2xyz" not in ran.out
    assert "ghcr.io" in ran.out


def test_it_goes_to_a_file_as_a_whole(tmp_path: Path) -> None:
    ran = boot(tmp_path, LATE, "--output", "timeline.txt")
    assert (ran.code, ran.out) == (0, "")
    assert (tmp_path / "timeline.txt").read_text() == SHOWN


def test_nodeadm_run_joins_last(tmp_path: Path) -> None:
    config = "apiVersion: node.eks.aws/v1alpha1\nkind: NodeConfig\nspec:\n  cluster: {name: gpu-dev}\n"
    effects = data(boot(tmp_path, config, "--format", "json", name="node.yaml"))["effects"]
    assert [(each["stage"], each["details"]["tells"]) for each in effects] == [
        ("nodeadm_config", True),
        ("nodeadm_run", False),
    ]


@pytest.mark.parametrize(
    ("sign", "room"),
    [
        ("", "bytes"),
        ("/etc/eks/bootstrap.sh trainers", "of 16,384 bytes"),
        ("curl -H Metadata-Flavor:Google http://metadata.google.internal/", "of 262,144 bytes"),
    ],
)
def test_the_room_is_that_of_the_cloud(tmp_path: Path, sign: str, room: str) -> None:
    first = boot(tmp_path, f"#!/bin/bash\n{sign}\n").out.split("\n", 1)[0]
    assert first.endswith(f"{13 + len(sign)} {room}")


def test_of_thousands_of_effects_those_are_shown_that_a_rule_objects_to(tmp_path: Path) -> None:
    many = "".join(f"systemctl enable foo-{number}\n" for number in range(1_500))
    late = 'echo "options nvidia NVreg_RestrictProfilingToAdminUsers=0" > /etc/modprobe.d/nvprof.conf\n'
    ran = boot(tmp_path, f"#!/bin/bash\ndnf install -y nvidia-driver\n{many}{late}")
    lines = ran.out.splitlines()
    assert len(lines) < 1_020
    assert any(line.startswith(" 1503  writes     /etc/modprobe.d/nvprof.conf") for line in lines)
    assert "^ fail profiling-before-driver" in ran.out
    assert "and 502 effects more, to which no rule objects: --format json has all" in lines
    assert "\n1503 effects, all of it understood; " in ran.out
    shown = data(boot(tmp_path, f"#!/bin/bash\ndnf install -y nvidia-driver\n{many}{late}", "--format", "json"))
    assert len(shown["effects"]) == 1_503


def test_every_kind_of_effect_has_words() -> None:
    """One without them would end the whole timeline of whoever has it."""
    kinds = set(_kinds(Effect))
    of_its_own = {LoadsModule, Installs, PullsImage, Joins, Writes, Unit}
    assert kinds - of_its_own <= _VERBS.keys()
    assert kinds <= _WHAT.keys()
    assert kinds - {Reboots} <= _DETAILS.keys()


def _kinds(of: type[Effect]) -> Iterator[type[Effect]]:
    for each in of.__subclasses__():
        yield each
        yield from _kinds(each)


@pytest.mark.parametrize(
    ("line", "told"),
    [
        (
            "kubeadm join 10.0.0.1:6443 --token abcdef.0123456789abcdef",
            "fails      kubeadm join is given a token, and nothing by which it knows whom it joins",
        ),
        (
            'curl -sfL https://get.k3s.io | K3S_URL=https://10.0.0.1:6443 INSTALL_K3S_EXEC="agent --cluster-init" sh -',
            "fails      k3s agent is given --cluster-init",
        ),
    ],
)
def test_a_call_that_its_program_refuses_is_told(tmp_path: Path, line: str, told: str) -> None:
    script = tmp_path / "user-data.sh"
    script.write_text(f"#!/bin/bash\nset -e\n{line}\n", encoding="utf-8")
    assert told in run("boot", str(script)).out
    kinds = {each["kind"] for each in json.loads(run("boot", str(script), "--format", "json").out)["effects"]}
    assert kinds & {"refused-call", "refused-options"}
