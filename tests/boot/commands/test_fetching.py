"""Downloads: from where, to where."""

from __future__ import annotations

import pytest

from nodeworthy.boot.effects import Fetches, Writes
from tests.boot.commands.calls import printed, ran


def fetched(line: str) -> list[tuple[str, str | None]]:
    return [
        (each.url.shown(), each.to.shown() if each.to else None)
        for each in ran(line, folder="/root").effects
        if isinstance(each, Fetches)
    ]


URL = "https://example.com/x/y.tgz"


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (f"curl -fsSL {URL}", [(URL, None)]),
        (f"curl -fsSL {URL} -o /tmp/y", [(URL, "/tmp/y")]),
        (f"curl -fsSLo /tmp/y {URL}", [(URL, "/tmp/y")]),
        (f"curl --output /tmp/y --retry 5 {URL}", [(URL, "/tmp/y")]),
        (f"curl --output=/tmp/y {URL}", [(URL, "/tmp/y")]),
        (f"curl -O {URL}", [(URL, "/root/y.tgz")]),
        (f"curl -sSLO --output-dir /opt {URL}", [(URL, "/opt/y.tgz")]),
        (f"curl -o ${{FILE}} {URL}", [(URL, "${FILE}")]),
        ("curl -o /tmp/y https://${HOST}/y", [("https://${HOST}/y", "/tmp/y")]),
        ("curl -O https://example.com/${FILE}", [("https://example.com/${FILE}", "${FILE}")]),
        (f"curl -o - {URL}", [(URL, None)]),
        (f"curl -o /dev/null {URL}", []),
        (f"curl -I {URL}", []),
        (f"curl -H 'A: b' -X POST -d x=1 {URL}", [(URL, None)]),
        ("curl -s http://169.254.169.254/latest/meta-data/", []),
        ("curl -X PUT http://169.254.169.254/latest/api/token -H 'X: 60'", []),
        ("curl -k https://localhost:6443/healthz", []),
        ("curl --version", []),
        (f"wget {URL}", [(URL, "/root/y.tgz")]),
        (f"wget -q {URL} -O /tmp/y", [(URL, "/tmp/y")]),
        (f"wget -qO- {URL}", [(URL, None)]),
        (f"wget -P /opt {URL}", [(URL, "/opt/y.tgz")]),
        (f"wget --spider {URL}", []),
        ("aws s3 cp s3://b/k/y.tgz /tmp/", [("s3://b/k/y.tgz", "/tmp/y.tgz")]),
        ("aws s3 cp s3://b/k/y.tgz . --region us-east-1", [("s3://b/k/y.tgz", "/root/y.tgz")]),
        ("aws --region us-east-1 s3 cp s3://${BUCKET}/y /opt/z", [("s3://${BUCKET}/y", "/opt/z")]),
        ("aws s3 cp s3://b/k -", [("s3://b/k", None)]),
        ("aws s3 cp /tmp/log s3://b/log", []),
        ("aws s3 sync s3://b/k /opt/k", [("s3://b/k", "/opt/k")]),
        ("aws s3 cp --recursive s3://b/k /opt/k", [("s3://b/k", "/opt/k")]),
        ("gsutil cp gs://b/k /opt/k", [("gs://b/k", "/opt/k")]),
        ("gcloud storage cp gs://b/k /opt/", [("gs://b/k", "/opt/k")]),
        ("git clone --depth 1 -b main https://example.com/a/b.git", [("https://example.com/a/b.git", "/root/b")]),
        ("git clone https://example.com/a/b.git /opt/b", [("https://example.com/a/b.git", "/opt/b")]),
        ("git pull", []),
    ],
)
def test_from_where_to_where(line: str, expected: list[tuple[str, str | None]]) -> None:
    assert fetched(line) == expected


def test_a_download_to_a_file_writes_it() -> None:
    fetches, writes = ran(f"curl -o /tmp/y {URL}").effects
    assert isinstance(fetches, Fetches)
    assert isinstance(writes, Writes)
    assert (writes.path.known, writes.content, writes.whole) == ("/tmp/y", None, None)


def test_what_goes_to_a_file_is_not_printed() -> None:
    assert printed(ran(f"curl -o /tmp/y {URL}")) == ""
    assert printed(ran(f"curl {URL}")) == f"$(curl {URL})\n"
    assert printed(ran("aws ecr get-login-password")) == "$(aws ecr get-login-password)\n"


def test_several_urls_take_their_files_in_order() -> None:
    assert fetched("curl -o /a -o /b https://x/1 https://x/2") == [("https://x/1", "/a"), ("https://x/2", "/b")]


@pytest.mark.parametrize("line", ["aws sts get-caller-identity", "aws ec2 describe-instances", "aws s3 ls s3://b"])
def test_what_only_asks(line: str) -> None:
    assert ran(line).effects == ()


def test_what_changes_the_cloud_runs() -> None:
    assert len(ran("aws ec2 modify-instance-attribute --no-source-dest-check").effects) == 1
