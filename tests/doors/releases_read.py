"""Doors by which a fault is not told yet, or told otherwise: what `test_releases.py` takes as it is."""

from __future__ import annotations

from typing import Final

from tests.doors.releases_seeds import SEEDS

_ALL: Final = tuple(each.name for each in SEEDS)
SILENT: Final[dict[str, tuple[str, ...]]] = {
    "values file": ("setting-that-nobody-reads", "release-with-the-socket-fault"),
    "values file in JSON": (
        "setting-that-nobody-reads",
        "release-with-the-socket-fault",
        "no-volume",
        "shares-of-one-and-in-quotes",
    ),
    "umbrella chart, by the dependency's name": ("setting-that-nobody-reads",),
    "umbrella chart, by an alias": ("setting-that-nobody-reads",),
    "Flux HelmRelease, valuesFrom a Secret (stringData)": ("shares-of-one-and-in-quotes",),
    "Flux HelmRelease, values in a patch of the cluster's Kustomization": (
        "setting-that-nobody-reads",
        "release-with-the-socket-fault",
        "no-volume",
    ),
    "Argo CD Application, umbrella chart in the repository (path, valueFiles)": ("setting-that-nobody-reads",),
    "Helmfile, values in a gotmpl file": ("shares-of-one-and-in-quotes",),
    "Terraform helm_release, values by file()": ("both-means-of-sharing", "shares-of-one-and-in-quotes"),
    "Terraform eks-blueprints-addon module (one chart)": _ALL,
    "CloudFormation AWSQS::Kubernetes::Helm, ValueYaml": _ALL,
    "Ansible shell, helm upgrade -f a file that a task copies": ("setting-that-nobody-reads", "no-volume"),
    "helm in a script, -f behind $SCRIPT_DIR": ("setting-that-nobody-reads", "release-with-the-socket-fault"),
    "helm in a script, --set and --set-string": ("both-means-of-sharing", "shares-of-one-and-in-quotes"),
    "helm in a script, --set-json": ("shares-of-one-and-in-quotes",),
    "helm in a script, -f <(cat <<EOF)": _ALL,
    "helm in a Makefile, --set": ("both-means-of-sharing", "shares-of-one-and-in-quotes"),
    "helm in a workflow of GitHub's, --set": ("shares-of-one-and-in-quotes",),
    "Skaffold, deploy.helm.releases, setValues' files": ("setting-that-nobody-reads", "release-with-the-socket-fault"),
    "Skaffold, deploy.helm.releases, overrides": _ALL,
    "DevSpace, deployments.helm.values": (
        "setting-that-nobody-reads",
        "release-with-the-socket-fault",
        "both-means-of-sharing",
        "shares-of-one-and-in-quotes",
    ),
    "Garden, a helm module": (
        "setting-that-nobody-reads",
        "release-with-the-socket-fault",
        "both-means-of-sharing",
        "shares-of-one-and-in-quotes",
    ),
    "Zarf, charts' valuesFiles": ("setting-that-nobody-reads", "release-with-the-socket-fault"),
    "Carvel App, values of a Secret": _ALL,
    "a parent's charts, by their names": (
        "setting-that-nobody-reads",
        "release-with-the-socket-fault",
        "both-means-of-sharing",
        "shares-of-one-and-in-quotes",
    ),
}
