"""A cluster that runs: what AWS itself says of its version."""

from __future__ import annotations

from datetime import timedelta

from nodeworthy.facts.aws.ends import ClusterRelease
from nodeworthy.facts.aws.settling import moment
from nodeworthy.rules.cluster_supported import RULE
from nodeworthy.verdict import Findings, fail, need, unknown

SOON = timedelta(days=60)
_EXTENDED = "EKS takes the price of extended support from then on, and upgrades the cluster by itself when that ends"
_UPGRADED = "its upgrade policy is STANDARD: EKS upgrades the cluster by itself then, at an hour of its own choice"


@RULE.check
def its_version_is_supported(release: ClusterRelease) -> Findings:
    said, version = need(release.tree), need(release.version)
    if said is None:
        yield unknown(release, f"until when Kubernetes {version} is supported is not known: EKS does not list it")
        return
    ends = moment(said.get("endOfStandardSupportDate"))
    if ends is None or ends - release.seen_at > SOON:
        return
    yield fail(
        release.version,
        f"standard support of Kubernetes {version}, which {release.name} runs, " + _how_long(ends - release.seen_at),
        is_=f"until {ends:%Y-%m-%d}",
        should="a version that is supported for longer than two months",
        cause=_UPGRADED if release.no_extension else _EXTENDED,
    )


def _how_long(left: timedelta) -> str:
    if left <= timedelta():
        return "has ended"
    return f"ends in {left.days} days" if left.days > 1 else "ends within two days"


@RULE.check
def nothing_bars_the_next_one(release: ClusterRelease) -> Findings:
    for each in need(release.insights):
        if each.get("insightStatus", "status").text == "ERROR":
            yield fail(
                each,
                f"EKS says of {release.name}: {each.get('name').text}",
                is_=each.get("insightStatus", "reason").text or "ERROR",
                should="PASSING",
                cause=each.get("description").text,
                remedy=f"aws eks describe-insight --cluster-name {release.name} --id {each.get('id').text}",
            )
