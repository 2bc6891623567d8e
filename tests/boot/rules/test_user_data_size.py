"""EC2 takes 16 KiB before base64."""

from __future__ import annotations

import gzip

import pytest

from nodeworthy.boot.userdata import LIMIT
from nodeworthy.rules.user_data_size import RULE
from tests.boot.rules.userdata import NODE_CONFIG, SHELL, judged, mime, node_config, read, shell, told

CLOSE = LIMIT * 3 // 4


def of_size(size: int) -> str:
    """A script of EC2."""
    text = shell("/etc/eks/bootstrap.sh gpu")
    return text + "#" * (size - len(text) - 1) + "\n"


@pytest.mark.parametrize(
    ("size", "verdict"), [(100, "pass"), (LIMIT, "pass"), (LIMIT + 1, "fail"), (3 * LIMIT, "fail")]
)
def test_the_limit_is_exact(size: int, verdict: str) -> None:
    assert told(RULE, read(of_size(size)))[0] == verdict


def test_it_says_by_how_much_and_what_helps() -> None:
    (found,) = judged(RULE, read(of_size(LIMIT + 1234))).findings
    assert found.message == "user data is 1,234 bytes longer than EC2 takes"
    assert found.is_ == "17,618 bytes"
    assert "gzip" in (found.remedy or "")


def test_the_largest_parts_come_first() -> None:
    text = mime((NODE_CONFIG, node_config()), (SHELL, of_size(LIMIT)), (SHELL, of_size(200)))
    (found,) = judged(RULE, read(text)).findings
    assert [each.says.split(" has ")[0] for each in found.related] == [
        "part 2 (text/x-shellscript)",
        "part 1 (application/node.eks.aws)",
        "part 3 (text/x-shellscript)",
    ]
    assert "gzip" not in (found.remedy or ""), "whether nodeadm unpacks it depends on its release"


def test_what_is_packed_counts_as_it_is_packed() -> None:
    assert told(RULE, read(gzip.compress(of_size(4 * LIMIT).encode()), "user-data.gz")) == ["pass"]


def test_characters_are_counted_in_bytes() -> None:
    text = shell("/etc/eks/bootstrap.sh gpu") + "# " + "ä" * (LIMIT // 2) + "\n"
    assert told(RULE, read(text))[0] == "fail"


@pytest.mark.parametrize(
    ("written", "verdict"), [(200, "skip"), (CLOSE - 200, "skip"), (CLOSE + 200, "unknown"), (LIMIT + 200, "fail")]
)
def test_a_template_is_known_when_it_is_filled_in(written: int, verdict: str) -> None:
    text = of_size(written) + "CLUSTER=${cluster_name}\n"
    assert told(RULE, read(text, "node.tftpl", template=True))[0] == verdict


def test_what_a_template_fills_in_does_not_count() -> None:
    text = of_size(LIMIT - 100) + "A=${" + "a" * 300 + "}\n"
    assert told(RULE, read(text, "node.tftpl", template=True))[0] == "unknown"


@pytest.mark.parametrize(("loop", "verdict"), [("if a", "skip"), ("for x in y", "skip")])
def test_what_a_directive_may_leave_out_does_not_count(loop: str, verdict: str) -> None:
    text = f"{of_size(400)}%{{ {loop} }}\n{of_size(LIMIT)}%{{ end{loop.split(maxsplit=1)[0]} }}\n"
    assert told(RULE, read(text, "node.tftpl", template=True))[0] == verdict


def test_of_two_branches_the_shorter_one_counts() -> None:
    text = f"{of_size(400)}%{{ if a ~}}\n{of_size(LIMIT)}%{{ else ~}}\n{of_size(LIMIT + 50)}%{{ endif ~}}\n"
    assert told(RULE, read(text, "node.tftpl", template=True))[0] == "fail"


def test_hostile_directives_end() -> None:
    text = of_size(400) + "%{ if a }" * 5000 + "%{ else }" * 5000 + "%{" * 5000
    assert told(RULE, read(text, "node.tftpl", template=True))[0] in ("skip", "unknown", "fail")


@pytest.mark.parametrize(
    ("sign", "verdict"),
    [
        ("curl http://169.254.169.254/opc/v2/instance/", "pass"),
        ("curl http://metadata.google.internal/computeMetadata/v1/", "pass"),
        ("echo of no cloud", "unknown"),
    ],
)
def test_other_clouds_have_other_limits(sign: str, verdict: str) -> None:
    text = shell(sign) + "#" * 20000 + "\n"
    assert told(RULE, read(text))[0] == verdict
    assert told(RULE, read(shell("curl http://169.254.169.254/opc/") + "#" * 24000))[0] == "fail"
