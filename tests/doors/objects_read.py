"""Doors by which a fault is not told yet, or told otherwise: what `test_objects.py` takes as it is."""

from __future__ import annotations

from typing import Final

from tests.doors.objects_seeds import SEEDS

_ALL: Final = tuple(each.name for each in SEEDS)
SILENT: Final[dict[str, tuple[str, ...]]] = {
    "a manifest in JSON": ("quota-that-counts-nothing", "claim-of-a-version-that-is-gone"),
    'echo "…" | kubectl apply -f -': _ALL,
    'kubectl apply -f - <<< "$VARIABLE"': _ALL,
    "a Makefile, a define given to kubectl": _ALL,
    "Ansible shell, kubectl apply <<EOF": ("alert-on-no-metric",),
    "Terraform kubernetes_manifest, yamldecode(file())": ("both-means-of-sharing",),
    "Terraform local-exec, kubectl apply <<EOF": _ALL,
    "Pulumi in YAML, ConfigGroup of a text": _ALL,
    "Pulumi in TypeScript, the object's own class": (
        "socket-as-url",
        "alert-on-no-metric",
        "claim-of-a-version-that-is-gone",
    ),
    "Pulumi in Python, CustomResource": ("both-means-of-sharing",),
    "Kustomize, a patch of the object": (
        "socket-as-url",
        "quota-that-counts-nothing",
        "claim-of-a-version-that-is-gone",
    ),
    "Kyverno ClusterPolicy, generate": (
        "half-a-gpu",
        "request-without-limit",
        "scheduler-policy",
        "both-means-of-sharing",
        "socket-as-url",
        "quota-that-counts-nothing",
        "claim-of-a-version-that-is-gone",
    ),
}
