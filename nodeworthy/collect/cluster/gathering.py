"""The command that makes what `diagnose --from` reads, for a cluster that only somebody else reaches."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from shlex import quote

from nodeworthy.collect.cluster.kinds import ASKED_FOR, ObjectKind

FOLDER = "nodeworthy-dump"


def gathering(namespace: str | None, context: str | None) -> str:
    """One line of shell. A kind that this cluster does not have, or that is refused, leaves no file: it is then told as
    not seen."""
    where = f"-n {quote(namespace)}" if namespace else "-A"
    kubectl = f"kubectl --context {quote(context)}" if context else "kubectl"
    kinds = [each for each in ASKED_FOR if each.namespaced or not namespace]
    plain = " ".join(each.full_name for each in kinds if not each.labelled)
    get = f'{kubectl} get "$kind" {where} -o json > "{FOLDER}/$kind.json" || rm -f "{FOLDER}/$kind.json"'
    steps = [f"mkdir -p {FOLDER}", f"for kind in {plain}; do {get}; done", *_labelled(kubectl, where, kinds)]
    told = f"nodeworthy diagnose --from {FOLDER}"
    return (
        "# Reads and changes nothing; secrets are not asked for. What pods have in their env is in it: keep it as you\n"
        f"# keep them (`nodeworthy diagnose --record {FOLDER}` leaves that out). Then: {told}\n"
        f"{'; '.join(steps)}\n"
    )


def _labelled(kubectl: str, where: str, kinds: Iterable[ObjectKind]) -> Iterator[str]:
    for each in kinds:
        if each.labelled:
            file = f"{FOLDER}/{each.full_name}.json"
            yield f"{kubectl} get {each.full_name} {where} -l {quote(each.labelled)} -o json > {file} || rm -f {file}"
