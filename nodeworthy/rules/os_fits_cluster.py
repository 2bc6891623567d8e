"""There is an image of a pool's operating system for the cluster's version of Kubernetes.

Images for EKS are made for each version of Kubernetes, and for some operating systems no longer: Amazon Linux 2 has
none from 1.33 on, Ubuntu 20.04 none from 1.30 on, and a new release has none for old versions. A pool that asks for
one that does not exist gets no node when the cluster is upgraded, and the launch says only that a parameter of SSM was
not found.
"""

from __future__ import annotations

from nodeworthy.facts.fleet.pool_system import PoolSystem
from nodeworthy.known.node_images import image_of
from nodeworthy.rule import Rule
from nodeworthy.verdict import Findings, Related, Severity, fail, need

RULE = Rule(
    "os-fits-cluster",
    severity=Severity.WARNING,
    incident="D",
    title="There is an image of the pool's operating system for the cluster's version",
    remedy="use an operating system that has images for this version",
)


@RULE.check
def there_is_an_image(system: PoolSystem) -> Findings:
    image = image_of(need(system.os))
    if image is None:
        return
    version = need(system.kubernetes)
    if image.exists_for(version) is not False:
        return
    yield fail(
        system.os,
        f"there is no EKS image of {image.os} for Kubernetes {version}",
        should=image.instead,
        on=system.title,
        related=[Related(system.kubernetes.place, f"the cluster is of version {version}")],
        cause=f"its images are made for {image.until} only ({image.source})",
        remedy=f"set os: {image.instead}, or keep the cluster at one of these versions",
    )
