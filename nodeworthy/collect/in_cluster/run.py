"""All nodes, some at a time; whatever ends it, nothing of it is left in the cluster."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor, as_completed

from nodeworthy.collect.in_cluster.cluster import Cluster
from nodeworthy.collect.in_cluster.job import Terms, name_of
from nodeworthy.collect.in_cluster.looking import Looking
from nodeworthy.collect.node.asked import Asked
from nodeworthy.collect.node.recording import Recording
from nodeworthy.collect.terminated import terminated_like_interrupted
from nodeworthy.documents.plain import text_at
from nodeworthy.errors import CouldNotLook

# Told of each node when it has been read: how many of how many, its host, and why it was not reached.
Progress = Callable[[int, int, Recording], None]
SWEEPS = 3
SWEEP_SECONDS = 2.0


def ask_all(
    cluster: Cluster,
    terms: Terms,
    nodes: Mapping[str, str],
    *,
    workers: int,
    progress: Progress,
    tell: Callable[[str], None],
) -> list[Asked]:
    """Of each host and its node, in their order."""
    looking = Looking(cluster, terms, time.monotonic() + terms.total_seconds)
    with terminated_like_interrupted():
        try:
            return _asked(looking, nodes, workers, progress)
        finally:
            _sweep(cluster, terms, tell)


def _asked(looking: Looking, nodes: Mapping[str, str], workers: int, progress: Progress) -> list[Asked]:
    with ThreadPoolExecutor(max_workers=max(1, min(workers, len(nodes) or 1))) as executor:
        futures = {
            executor.submit(looking.look, host, node, name_of(looking.terms.run, number, node)): host
            for number, (host, node) in enumerate(nodes.items())
        }
        try:
            for done, each in enumerate(as_completed(futures), start=1):
                progress(done, len(futures), each.result())
        except BaseException:
            looking.stop.set()
            executor.shutdown(wait=False, cancel_futures=True)
            raise
    return [Asked(host, future.result()) for future, host in futures.items()]


def _sweep(cluster: Cluster, terms: Terms, tell: Callable[[str], None]) -> None:
    """What a worker could not remove, or had made without hearing so."""
    for last in (*[False] * (SWEEPS - 1), True):
        try:
            left = [each for each in cluster.jobs(terms.selector) if not text_at(each, "metadata", "deletionTimestamp")]
            for each in left:
                cluster.remove(text_at(each, "metadata", "name"), text_at(each, "metadata", "uid"))
            return
        except CouldNotLook as problem:
            if last:
                by_hand = f"kubectl delete jobs -n {cluster.namespace} -l {terms.selector}"
                tell(f"Jobs of this run may be left, which end by themselves ({problem}): {by_hand}")
            else:
                time.sleep(SWEEP_SECONDS)
