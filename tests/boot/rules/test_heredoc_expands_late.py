"""What an unquoted heredoc takes out of the script or the unit that it writes."""

from __future__ import annotations

import pytest

from nodeworthy.rules.heredoc_expands_late import RULE
from tests.boot.rules.scripts import messages, said_of


def script(
    *body: str, before: str = "", path: str = "/usr/local/bin/tool", to: str = "cat > {}", end: str = "EOF"
) -> str:
    lines = "\n".join(body)
    return f"{before}\n{to.format(path)} <<{end}\n{lines}\n{end.strip(chr(39))}\necho\n"


@pytest.mark.parametrize(
    ("body", "lost"),
    [
        ("#!/bin/sh\necho $1", "`$1`"),
        ('#!/bin/sh\nexec tool "$@"', "`$@`"),
        ("#!/bin/sh\ntool\nexit $?", "`$?`"),
        ("#!/bin/sh\ntool ${1:-all}", "`${1:-all}`"),
        ("#!/bin/sh\nN=3\necho $N", "`$N`"),
        ("#!/bin/sh\nfor f in a b; do echo $f; done", "`$f`"),
        ("#!/bin/sh\nwhile read -r line; do echo $line; done < /etc/hosts", "`$line`"),
        ("#!/bin/sh\nN=$(tool | wc -l)\ntest -n ok", "`$(tool | wc -l)`"),
        ("#!/bin/sh\necho ${NOBODY}", "`${NOBODY}`"),
    ],
)
def test_lost(body: str, lost: str) -> None:
    (message,) = messages(RULE, script(body))
    assert lost in message
    assert "expanded while /usr/local/bin/tool is written" in message


@pytest.mark.parametrize(
    "text",
    [
        script("#!/bin/sh", "echo $1 $(date) $N", end="'EOF'"),
        script("#!/bin/sh", r"echo \$1 \$(date) \$N"),
        script("#!/bin/sh", "echo $REGION", before="REGION=us-east-2"),
        script("#!/bin/sh", "REGION=$REGION", "echo $REGION", before="REGION=us-east-2"),
        script("#!/bin/sh", "echo $HOME $(hostname)", r"echo \$1"),
        script("#!/bin/sh", "echo ${LEVEL:-info}"),
        script("#!/bin/sh", "echo ${_LEVEL:-info}"),
        script("#!/bin/sh", "echo $ID for $(hostname)", before="ID=$(cat /etc/machine-id)"),
    ],
)
def test_kept_or_meant(text: str) -> None:
    assert messages(RULE, text) == []


@pytest.mark.parametrize("path", ["/etc/config.ini", "/etc/nginx/nginx.conf", "/etc/eks/node.yaml"])
def test_a_config_is_no_script(path: str) -> None:
    assert said_of(RULE, script("name $NOBODY", path=path)).verdict == "skip"


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/opt/run.sh", "echo $1"),
        ("/etc/profile.d/cuda.sh", "export PATH=/opt/bin:$PATH"),
        ("/var/lib/cloud/scripts/per-boot/01-gpu", "echo $1"),
        ("/opt/agent/start", "#!/usr/bin/env bash\necho $1"),
        ("/etc/systemd/system/a.service", "ExecReload=/bin/kill -HUP $MAINPID"),
    ],
)
def test_what_is_a_script(path: str, body: str) -> None:
    assert said_of(RULE, script(body, path=path)).verdict == "fail"


def test_a_file_that_is_run_later() -> None:
    assert said_of(RULE, script("echo $1", path="/opt/start") + "bash /opt/start a\n").verdict == "fail"


def test_in_a_function_its_own_arguments_are_meant() -> None:
    text = "write() {\ncat > /etc/systemd/system/$1.service <<EOF\n[Service]\nExecStart=/opt/$1 $2\nEOF\n}\nwrite a b\n"
    assert messages(RULE, text) == []


@pytest.mark.parametrize("to", ["tee {} > /dev/null", "sudo tee {}", "install -m 0755 /dev/stdin {}"])
def test_through_other_programs(to: str) -> None:
    assert said_of(RULE, script("#!/bin/sh", "echo $1", to=to)).verdict == "fail"


def test_both_ends_and_the_edit() -> None:
    (found,) = said_of(RULE, script("#!/bin/sh", "echo $1", "echo $2")).findings
    assert found.where.line == 4
    assert [each.place.line for each in found.related] == [2]
    assert found.remedy == "quote the delimiter on line 2: <<'EOF'"
    mixed = script("#!/bin/sh", "echo $REGION $1", before="REGION=a")
    (found,) = said_of(RULE, mixed).findings
    assert found.remedy == r"escape what belongs to the inner script: \$1"


def test_what_a_sourced_file_may_have_set() -> None:
    before = "source /etc/node/environment"
    assert said_of(RULE, script("#!/bin/sh", "echo $POOL", before=before)).verdict == "unknown"
    assert said_of(RULE, script("#!/bin/sh", "POOL=a", "echo $POOL", before=before)).verdict == "fail"
