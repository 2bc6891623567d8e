"""The image that nodes run is there, is not deprecated, and is not months behind the one that AWS recommends.

A group can't start the next machine from an image that is gone. One that is deprecated is found by nobody who does not
know its id. One of EKS' own that is more than sixty days older than the recommended one lacks two months of mended
kernels, drivers and runtimes.
"""

from __future__ import annotations

from datetime import timedelta

from nodeworthy.facts.aws.ends import ImageAge
from nodeworthy.facts.aws.settling import moment
from nodeworthy.rule import Rule
from nodeworthy.verdict import Findings, Severity, fail, need

RULE = Rule(
    "image-maintained",
    severity=Severity.WARNING,
    title="The image that nodes run is maintained",
    remedy="name the newer image in the launch template, and replace the nodes one by one",
)

OLD = timedelta(days=60)


@RULE.check
def it_is_there_and_not_deprecated(image: ImageAge) -> Findings:
    said = need(image.tree)
    if said is None:
        yield fail(
            image,
            f"the image {image.id} that {image.nodes.title} runs is there no more",
            is_="AWS describes no such image",
            should="an image that is there",
            related=image.nodes.declared,
            cause="the next machine can't be started from it",
        )
        return
    deprecated = moment(said.get("DeprecationTime"))
    if deprecated is not None and deprecated <= image.seen_at:
        yield fail(
            said.get("DeprecationTime"),
            f"the image {image.id} that {image.nodes.title} runs is deprecated",
            is_=f"since {deprecated:%Y-%m-%d}",
            should="an image that is maintained",
            related=image.nodes.declared,
            cause="nobody mends it any more",
        )


@RULE.check
def it_is_not_months_behind(image: ImageAge) -> Findings:
    if need(image.tree) is None or image.released is None or image.recommended is None:
        return
    newest = need(image.recommended)
    if newest - image.released > OLD:
        yield fail(
            image,
            f"{image.nodes.title} runs an image of EKS that is {(newest - image.released).days} days older than the "
            "recommended one",
            is_=f"of {image.released}",
            should=f"of {newest}",
            related=image.nodes.declared,
            cause="what was mended since then in the kernel, the driver and the runtime is not on its nodes",
        )
