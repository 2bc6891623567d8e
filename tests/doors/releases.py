"""The doors through which people bring a chart's values: each writes one release as its tool's users do. Most are texts
(`releases/*.doors`); here stand those that write the values in a form of their own."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from textwrap import dedent
from typing import Any, Final

from tests.doors.releases_seeds import Seed
from tests.doors.texts import doors_in, filled
from tests.doors.written import as_sets, in_hcl, in_python, in_typescript, in_yaml, word

Files = dict[str, str]
Door = Callable[[Seed, dict[str, Any]], Files]
_DOORS: dict[str, Door] = {}


def _door(name: str) -> Callable[[Door], Door]:
    def named(write: Door) -> Door:
        _DOORS[name] = write
        return write

    return named


def _filled(text: str, **given: str) -> str:
    return filled(dedent(text).lstrip("\n"), given)


def _of(seed: Seed, **more: str) -> dict[str, str]:
    return {"chart": seed.chart, "version": seed.version, "repo": seed.repository, **more}


# Files of values


_FLUX = """
    apiVersion: helm.toolkit.fluxcd.io/v2
    kind: HelmRelease
    metadata:
      name: <chart>
      namespace: gpu
    spec:
      interval: 30m
      chart:
        spec:
          chart: <chart>
          version: <version>
          sourceRef:
            kind: HelmRepository
            name: charts
      values:
        <values>
"""


@_door("values file in JSON")
def _loose_json(_: Seed, values: dict[str, Any]) -> Files:
    return {"values.json": json.dumps(values, indent=2) + "\n"}


_CHART = """
    apiVersion: v2
    name: platform
    version: 0.1.0
    dependencies:
      - name: <chart>
        version: <version>
        repository: <repo>
"""


@_door("umbrella chart, by an alias")
def _umbrella_alias(seed: Seed, values: dict[str, Any]) -> Files:
    chart = _filled(_CHART, **_of(seed)) + "    alias: accelerators\n"
    return {"Chart.yaml": chart, "values.yaml": in_yaml({"accelerators": values}) + "\n"}


# GitOps


@_door("Flux HelmRelease, values in a patch of the cluster's Kustomization")
def _flux_patched(seed: Seed, values: dict[str, Any]) -> Files:
    base = _filled(_FLUX, **_of(seed, values="{}")).replace("      values:\n    {}\n", "")
    patch = in_yaml({"spec": {"values": values}})
    return {
        "base/release.yaml": base.rsplit("  values:", 1)[0],
        "base/kustomization.yaml": "resources:\n  - release.yaml\n",
        "prod/kustomization.yaml": _filled(_FLUX_PATCH, **_of(seed, patch=patch)),
    }


_FLUX_PATCH = """
    apiVersion: kustomize.config.k8s.io/v1beta1
    kind: Kustomization
    resources:
      - ../base
    patches:
      - target:
          kind: HelmRelease
          name: <chart>
        patch: |
          apiVersion: helm.toolkit.fluxcd.io/v2
          kind: HelmRelease
          metadata:
            name: <chart>
          <patch>
"""


@_door("Argo CD Application, helm.parameters")
def _argo_parameters(seed: Seed, values: dict[str, Any]) -> Files:
    given = [
        {"name": name, "value": word(each), **({"forceString": True} if isinstance(each, str) else {})}
        for name, each in as_sets(values)
    ]
    text = _ARGO + "          parameters:\n            <values>\n"
    return {"app.yaml": _filled(text, **_of(seed, values=in_yaml(given)))}


_ARGO = """
    apiVersion: argoproj.io/v1alpha1
    kind: Application
    metadata:
      name: <chart>
      namespace: argocd
    spec:
      project: default
      destination:
        server: https://kubernetes.default.svc
        namespace: gpu
      source:
        repoURL: <repo>
        chart: <chart>
        targetRevision: <version>
        helm:
"""


# Tools around helm


@_door("Helmfile, set")
def _helmfile_set(seed: Seed, values: dict[str, Any]) -> Files:
    given = [{"name": name, "value": each} for name, each in as_sets(values)]
    text = _HELMFILE.replace("        values:\n", "        set:\n") + "          <values>\n"
    return {"helmfile.yaml": _filled(text, **_of(seed, values=in_yaml(given)))}


_HELMFILE = """
    repositories:
      - name: charts
        url: <repo>

    releases:
      - name: <chart>
        namespace: gpu
        chart: charts/<chart>
        version: <version>
        values:
"""


@_door("k3s HelmChart, set")
def _k3s_set(seed: Seed, values: dict[str, Any]) -> Files:
    text = _K3S.replace("valuesContent: |-", "set:")
    given = {name: word(each) for name, each in as_sets(values)}
    return {"chart.yaml": _filled(text, **_of(seed, values=in_yaml(given)))}


_K3S = """
    apiVersion: helm.cattle.io/v1
    kind: HelmChart
    metadata:
      name: <chart>
      namespace: kube-system
    spec:
      repo: <repo>
      chart: <chart>
      version: <version>
      targetNamespace: gpu
      createNamespace: true
      valuesContent: |-
        <values>
"""


# Terraform


def _terraform(seed: Seed, body: str, kind: str = "helm_release") -> str:
    return _filled(_HELM_RELEASE, **_of(seed, body=body.rstrip("\n"), kind=kind))


_HELM_RELEASE = """
    resource "<kind>" "gpu" {
      name             = "<chart>"
      repository       = "<repo>"
      chart            = "<chart>"
      version          = "<version>"
      namespace        = "gpu"
      create_namespace = true

      <body>
    }
"""


@_door("Terraform helm_release, set blocks")
def _tf_sets(seed: Seed, values: dict[str, Any]) -> Files:
    blocks = (f"set {{\n  name  = {json.dumps(name)}\n  value = {_quoted(each)}\n}}" for name, each in as_sets(values))
    return {"main.tf": _terraform(seed, "\n".join(blocks))}


@_door("Terraform helm_release, set as a list")
def _tf_set_list(seed: Seed, values: dict[str, Any]) -> Files:
    entries = ",\n".join(
        f"  {{ name = {json.dumps(name)}, value = {_quoted(each)} }}" for name, each in as_sets(values)
    )
    return {"main.tf": _terraform(seed, f"set = [\n{entries}\n]")}


def _quoted(value: Any) -> str:
    return json.dumps(word(value))


@_door("Terraform kubernetes_manifest of an Argo CD Application")
def _tf_manifest(seed: Seed, values: dict[str, Any]) -> Files:
    app = {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Application",
        "metadata": {"name": seed.chart, "namespace": "argocd"},
        "spec": {
            "project": "default",
            "destination": {"server": "https://kubernetes.default.svc", "namespace": "gpu"},
            "source": {
                "repoURL": seed.repository,
                "chart": seed.chart,
                "targetRevision": seed.version,
                "helm": {"valuesObject": values},
            },
        },
    }
    return {"main.tf": f'resource "kubernetes_manifest" "gpu" {{\n  manifest = {in_hcl(app, 1)}\n}}\n'}


# Programs


def _pulumi_ts(kind: str) -> Door:
    def write(seed: Seed, values: dict[str, Any]) -> Files:
        options = in_typescript(
            {
                "chart": seed.chart,
                "version": seed.version,
                "namespace": "gpu",
                "repositoryOpts": {"repo": seed.repository},
                "values": values,
            }
        )
        text = f'import * as k8s from "@pulumi/kubernetes";\n\nconst gpu = new k8s.helm.{kind}("gpu", {options});\n'
        return {"index.ts": text, "Pulumi.yaml": "name: gpu\nruntime: nodejs\n"}

    return write


for _kind in ("v3.Release", "v3.Chart", "v4.Chart"):
    _DOORS[f"Pulumi in TypeScript, helm.{_kind}"] = _pulumi_ts(_kind)


@_door("CDK in TypeScript, addHelmChart")
def _cdk(seed: Seed, values: dict[str, Any]) -> Files:
    options = {
        "chart": seed.chart,
        "repository": seed.repository,
        "version": seed.version,
        "namespace": "gpu",
        "values": values,
    }
    return {"lib/stack.ts": _filled(_CDK, options=in_typescript(options, 2))}


@_door("CDK in TypeScript, new eks.HelmChart")
def _cdk_new(seed: Seed, values: dict[str, Any]) -> Files:
    options = {"chart": seed.chart, "repository": seed.repository, "version": seed.version, "values": values}
    inner = in_typescript(options, 2).replace("{\n", "{\n            cluster,\n", 1)
    text = _filled(_CDK, options=inner).replace("cluster.addHelmChart('Gpu', ", "new eks.HelmChart(this, 'Gpu', ")
    return {"lib/stack.ts": text}


_CDK = """
    import * as cdk from 'aws-cdk-lib';
    import * as eks from 'aws-cdk-lib/aws-eks';

    export class GpuStack extends cdk.Stack {
      constructor(scope: cdk.App, id: string) {
        super(scope, id);
        const cluster = new eks.Cluster(this, 'Cluster', { version: eks.KubernetesVersion.V1_31 });
        cluster.addHelmChart('Gpu', <options>);
      }
    }
"""


@_door("CDK's output, Custom::AWSCDK-EKS-HelmChart")
def _cdk_out(seed: Seed, values: dict[str, Any]) -> Files:
    template = {
        "Resources": {
            "Gpu": {
                "Type": "Custom::AWSCDK-EKS-HelmChart",
                "Properties": {
                    "ServiceToken": {"Fn::GetAtt": ["Provider", "Arn"]},
                    "ClusterName": {"Ref": "Cluster"},
                    "Release": seed.chart,
                    "Chart": seed.chart,
                    "Version": seed.version,
                    "Values": json.dumps(values),
                    "Namespace": "gpu",
                    "Repository": seed.repository,
                },
            }
        }
    }
    return {"cdk.out/GpuStack.template.json": json.dumps(template, indent=1) + "\n"}


# Ansible


@_door("Ansible kubernetes.core.helm, set_values")
def _ansible_set(seed: Seed, values: dict[str, Any]) -> Files:
    given = [
        {"value": f"{name}={word(each)}", **({"value_type": "string"} if isinstance(each, str) else {})}
        for name, each in as_sets(values)
    ]
    text = _ANSIBLE + _ANSIBLE_VALUES.replace("values:", "set_values:")
    return {"gpu.yml": _filled(text, **_of(seed, values=in_yaml(given)))}


_ANSIBLE = """
    - name: Charts of the cluster
      hosts: controllers
      tasks:
        - name: Add the repository
          kubernetes.core.helm_repository:
            name: charts
            repo_url: <repo>

        - name: Install <chart>
          kubernetes.core.helm:
            name: <chart>
            chart_ref: charts/<chart>
            chart_version: <version>
            release_namespace: gpu
            create_namespace: true
"""
_ANSIBLE_VALUES = "            values:\n              <values>\n"


# Commands of helm


@_door("helm in a script, --set and --set-string")
def _helm_set(seed: Seed, values: dict[str, Any]) -> Files:
    text = _filled(_HELM + "      <sets>\n", **_of(seed, sets=_sets(values)))
    return {"install.sh": text}


@_door("helm in a script, --set-json")
def _helm_set_json(seed: Seed, values: dict[str, Any]) -> Files:
    sets = " \\\n".join(f"--set-json '{name}={json.dumps(each)}'" for name, each in values.items())
    return {"install.sh": _filled(_HELM + "      <sets>\n", **_of(seed, sets=sets))}


def _sets(values: dict[str, Any]) -> str:
    return " \\\n".join(
        f"--set{'-string' if isinstance(each, str) else ''} '{name}={word(each)}'" for name, each in as_sets(values)
    )


_HELM = """
    #!/usr/bin/env bash
    set -euo pipefail

    helm repo add charts <repo>
    helm repo update
    helm upgrade --install <chart> charts/<chart> \\
      --namespace gpu --create-namespace \\
      --version <version> \\
"""


def _one_command(seed: Seed, more: str) -> str:
    return f"helm upgrade --install {seed.chart} charts/{seed.chart} --namespace gpu --version {seed.version} {more}"


def _command_sets(values: dict[str, Any]) -> str:
    return _sets(values).replace(" \\\n", " ")


@_door("helm in a Makefile, --set")
def _make_set(seed: Seed, values: dict[str, Any]) -> Files:
    return {"Makefile": f".PHONY: gpu\ngpu:\n\t{_one_command(seed, _command_sets(values))}\n"}


@_door("helm in a Taskfile, -f")
def _task(seed: Seed, values: dict[str, Any]) -> Files:
    body = {"version": "3", "tasks": {"gpu": {"desc": "GPUs", "cmds": [_one_command(seed, "-f gpu-values.yaml")]}}}
    return {"Taskfile.yml": in_yaml(body) + "\n", "gpu-values.yaml": in_yaml(values) + "\n"}


@_door("helm in a workflow of GitHub's, --set")
def _workflow_set(seed: Seed, values: dict[str, Any]) -> Files:
    text = _filled(_WORKFLOW, **_of(seed, command=_one_command(seed, _command_sets(values))))
    return {".github/workflows/deploy.yml": text}


@_door("helm in GitLab's pipeline, -f")
def _gitlab(seed: Seed, values: dict[str, Any]) -> Files:
    body = {
        "stages": ["deploy"],
        "deploy": {
            "stage": "deploy",
            "image": "alpine/helm:3.18.4",
            "script": [f"helm repo add charts {seed.repository}", _one_command(seed, "-f gpu-values.yaml")],
        },
    }
    return {".gitlab-ci.yml": in_yaml(body) + "\n", "gpu-values.yaml": in_yaml(values) + "\n"}


_WORKFLOW = """
    name: deploy
    on:
      push:
        branches: [main]
    jobs:
      gpu:
        runs-on: ubuntu-24.04
        steps:
          - uses: actions/checkout@v4
          - name: Install <chart>
            run: |
              helm repo add charts <repo>
              <command>
"""


# Tools of developers


@_door("a parent's charts, by their names")
def _spectro(seed: Seed, values: dict[str, Any]) -> Files:
    """Spectro Cloud's packs have a chart's values under its name."""
    body = {"charts": {seed.chart: values}}
    return {"values.yaml": in_yaml(body) + "\n"}


def _by_text(files: Mapping[str, str], seed: Seed, values: dict[str, Any]) -> Files:
    marks = _of(seed, **{"values": in_yaml(values), "values of the chart": in_yaml({seed.chart: values})})
    for language, write in _LANGUAGES.items():
        marks |= {f"values in {language}, {deep} deep": write(values, deep) for deep in range(1, 5)}
    return {path: filled(text, marks) for path, text in files.items()}


_LANGUAGES: Final = {"HCL": in_hcl, "Python": in_python, "TypeScript": in_typescript}
_TEXTS = {name: partial(_by_text, files) for name, files in doors_in(Path(__file__).with_name("releases")).items()}

DOORS: Final[Mapping[str, Door]] = {**_TEXTS, **_DOORS}
PLAIN: Final = "plain: Flux HelmRelease, values"
