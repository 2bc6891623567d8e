"""What a ClusterPolicy leaves out that its schema requires: the API server takes none without."""

from __future__ import annotations

import posixpath

from nodeworthy.documents.settled import why_incomplete
from nodeworthy.facts.operator.values import OperatorValues
from nodeworthy.known.releases import required_of_a_cluster_policy
from nodeworthy.verdict import Known

ORIGIN = "ClusterPolicy"


def is_written_whole(values: OperatorValues) -> bool:
    """Whether it is an object that somebody hands to a cluster: not one that is there, nor a patch of it."""
    if values.origin != ORIGIN or values.place.object is not None or not values.tree.is_mapping:
        return False
    return values.elsewhere is None and "patch" not in posixpath.basename(values.place.path or "")


def left_out_fields(values: OperatorValues) -> list[str]:
    if why_incomplete(values.tree) is not None:
        return []
    release = values.release.state
    version = str(release.value) if isinstance(release, Known) and release.value is not None else None
    parts = {name: values.tree.get(name) for name in required_of_a_cluster_policy(version)}
    return [name for name, part in parts.items() if part.is_absent or part.is_null]
