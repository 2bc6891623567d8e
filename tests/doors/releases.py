"""The doors through which people bring a chart's values: each writes one release as its tool's users do."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from textwrap import dedent, indent
from typing import Any, Final

from tests.doors.releases_seeds import Seed
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
    """A text with what stands in angle brackets filled in, a text of several lines as deep as its mark stands."""
    lines = []
    for line in dedent(text).lstrip("\n").splitlines():
        name = line.strip().removeprefix("<").removesuffix(">")
        if line.strip() == f"<{name}>" and name in given:
            lines.append(indent(given[name], line[: len(line) - len(line.lstrip())]))
            continue
        written = line
        for each, value in given.items():
            written = written.replace(f"<{each}>", value)
        lines.append(written)
    return "\n".join(lines) + "\n"


def _of(seed: Seed, **more: str) -> dict[str, str]:
    return {"chart": seed.chart, "version": seed.version, "repo": seed.repository, **more}


# Files of values


@_door("plain: Flux HelmRelease, values")
def _flux(seed: Seed, values: dict[str, Any]) -> Files:
    return {"release.yaml": _filled(_FLUX, **_of(seed, values=in_yaml(values)))}


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


@_door("values file")
def _loose(_: Seed, values: dict[str, Any]) -> Files:
    return {"values.yaml": in_yaml(values) + "\n"}


@_door("values file in JSON")
def _loose_json(_: Seed, values: dict[str, Any]) -> Files:
    return {"values.json": json.dumps(values, indent=2) + "\n"}


@_door("umbrella chart, by the dependency's name")
def _umbrella(seed: Seed, values: dict[str, Any]) -> Files:
    return {
        "Chart.yaml": _filled(_CHART, **_of(seed)),
        "values.yaml": in_yaml({seed.chart: values}) + "\n",
    }


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


@_door("Flux HelmRelease, valuesFrom a ConfigMap of the same file")
def _flux_config_map(seed: Seed, values: dict[str, Any]) -> Files:
    text = _filled(_FLUX_FROM + _FLUX_MAP, **_of(seed, values=in_yaml(values)))
    return {"release.yaml": text}


@_door("Flux HelmRelease, valuesFrom a ConfigMap in a file beside it")
def _flux_config_map_beside(seed: Seed, values: dict[str, Any]) -> Files:
    return {
        "release.yaml": _filled(_FLUX_FROM, **_of(seed)),
        "values.yaml": _filled(_FLUX_MAP, **_of(seed, values=in_yaml(values))),
    }


@_door("Flux HelmRelease, valuesFrom a configMapGenerator")
def _flux_generator(seed: Seed, values: dict[str, Any]) -> Files:
    return {
        "release.yaml": _filled(_FLUX_FROM, **_of(seed)),
        "kustomization.yaml": _filled(_GENERATOR, **_of(seed)),
        "helm-values.yaml": in_yaml(values) + "\n",
    }


@_door("Flux HelmRelease, valuesFrom a Secret (stringData)")
def _flux_secret(seed: Seed, values: dict[str, Any]) -> Files:
    text = _filled(_FLUX_FROM + _FLUX_MAP, **_of(seed, values=in_yaml(values)))
    return {"release.yaml": text.replace("kind: ConfigMap", "kind: Secret").replace("\ndata:", "\nstringData:")}


_FLUX_FROM = """
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
      valuesFrom:
        - kind: ConfigMap
          name: <chart>-values
"""
_FLUX_MAP = """
    ---
    apiVersion: v1
    kind: ConfigMap
    metadata:
      name: <chart>-values
      namespace: gpu
    data:
      values.yaml: |
        <values>
"""
_GENERATOR = """
    apiVersion: kustomize.config.k8s.io/v1beta1
    kind: Kustomization
    namespace: gpu
    resources:
      - release.yaml
    configMapGenerator:
      - name: <chart>-values
        files:
          - values.yaml=helm-values.yaml
    generatorOptions:
      disableNameSuffixHash: true
"""


@_door("Flux HelmRelease, chartRef to an OCIRepository")
def _flux_oci(seed: Seed, values: dict[str, Any]) -> Files:
    return {"release.yaml": _filled(_FLUX_OCI, **_of(seed, values=in_yaml(values)))}


_FLUX_OCI = """
    apiVersion: source.toolkit.fluxcd.io/v1
    kind: OCIRepository
    metadata:
      name: accelerators
      namespace: gpu
    spec:
      interval: 30m
      url: oci://registry.example.com/charts/<chart>
      ref:
        tag: <version>
    ---
    apiVersion: helm.toolkit.fluxcd.io/v2
    kind: HelmRelease
    metadata:
      name: accelerators
      namespace: gpu
    spec:
      interval: 30m
      chartRef:
        kind: OCIRepository
        name: accelerators
      values:
        <values>
"""


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


@_door("Argo CD Application, helm.values")
def _argo_values(seed: Seed, values: dict[str, Any]) -> Files:
    return {"app.yaml": _filled(_ARGO + _ARGO_VALUES, **_of(seed, values=in_yaml(values)))}


@_door("Argo CD Application, helm.valuesObject")
def _argo_object(seed: Seed, values: dict[str, Any]) -> Files:
    return {
        "app.yaml": _filled(
            _ARGO + _ARGO_VALUES.replace("values: |", "valuesObject:"), **_of(seed, values=in_yaml(values))
        )
    }


@_door("Argo CD Application, helm.parameters")
def _argo_parameters(seed: Seed, values: dict[str, Any]) -> Files:
    given = [
        {"name": name, "value": word(each), **({"forceString": True} if isinstance(each, str) else {})}
        for name, each in as_sets(values)
    ]
    text = _ARGO + "          parameters:\n            <values>\n"
    return {"app.yaml": _filled(text, **_of(seed, values=in_yaml(given)))}


@_door("Argo CD Application, sources with $values")
def _argo_sources(seed: Seed, values: dict[str, Any]) -> Files:
    return {
        "apps/app.yaml": _filled(_ARGO_SOURCES, **_of(seed)),
        "values/gpu.yaml": in_yaml(values) + "\n",
    }


@_door("Argo CD ApplicationSet")
def _argo_set(seed: Seed, values: dict[str, Any]) -> Files:
    return {"appset.yaml": _filled(_ARGO_SET, **_of(seed, values=in_yaml(values)))}


@_door("Argo CD Application, umbrella chart in the repository (path, valueFiles)")
def _argo_path(seed: Seed, values: dict[str, Any]) -> Files:
    return {
        "apps/app.yaml": _filled(_ARGO_PATH, **_of(seed)),
        "charts/platform/Chart.yaml": _filled(_CHART, **_of(seed)),
        "charts/platform/values-prod.yaml": in_yaml({seed.chart: values}) + "\n",
    }


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
_ARGO_VALUES = """          values: |
            <values>
"""
_ARGO_SOURCES = """
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
      sources:
        - repoURL: <repo>
          chart: <chart>
          targetRevision: <version>
          helm:
            valueFiles:
              - $values/values/gpu.yaml
        - repoURL: https://git.example.com/platform/gitops.git
          targetRevision: main
          ref: values
"""
_ARGO_SET = """
    apiVersion: argoproj.io/v1alpha1
    kind: ApplicationSet
    metadata:
      name: <chart>
      namespace: argocd
    spec:
      goTemplate: true
      generators:
        - clusters:
            selector:
              matchLabels: {gpu: "true"}
      template:
        metadata:
          name: "<chart>-{{ .name }}"
        spec:
          project: default
          destination:
            server: "{{ .server }}"
            namespace: gpu
          source:
            repoURL: <repo>
            chart: <chart>
            targetRevision: <version>
            helm:
              valuesObject:
                <values>
"""
_ARGO_PATH = """
    apiVersion: argoproj.io/v1alpha1
    kind: Application
    metadata:
      name: platform
      namespace: argocd
    spec:
      project: default
      destination:
        server: https://kubernetes.default.svc
        namespace: gpu
      source:
        repoURL: https://git.example.com/platform/gitops.git
        path: charts/platform
        targetRevision: main
        helm:
          valueFiles:
            - values-prod.yaml
"""


@_door("Fleet's fleet.yaml, helm.values")
def _fleet(seed: Seed, values: dict[str, Any]) -> Files:
    return {"fleet.yaml": _filled(_FLEET + "  values:\n        <values>\n", **_of(seed, values=in_yaml(values)))}


@_door("Fleet's fleet.yaml, helm.valuesFiles")
def _fleet_files(seed: Seed, values: dict[str, Any]) -> Files:
    text = _filled(_FLEET + "  valuesFiles:\n        - gpu-values.yaml\n", **_of(seed))
    return {"fleet.yaml": text, "gpu-values.yaml": in_yaml(values) + "\n"}


@_door("Fleet's fleet.yaml, targetCustomizations")
def _fleet_targets(seed: Seed, values: dict[str, Any]) -> Files:
    text = _filled(_FLEET + _FLEET_TARGETS, **_of(seed, values=in_yaml(values)))
    return {"fleet.yaml": text}


_FLEET = """
    defaultNamespace: gpu
    helm:
      releaseName: <chart>
      repo: <repo>
      chart: <chart>
      version: <version>
    """
_FLEET_TARGETS = """targetCustomizations:
      - name: gpu-clusters
        clusterSelector:
          matchLabels:
            gpu: "true"
        helm:
          values:
            <values>
"""


# Tools around helm


@_door("Helmfile, values inline")
def _helmfile(seed: Seed, values: dict[str, Any]) -> Files:
    return {
        "helmfile.yaml": _filled(_HELMFILE + "          -\n            <values>\n", **_of(seed, values=in_yaml(values)))
    }


@_door("Helmfile, a list of files")
def _helmfile_files(seed: Seed, values: dict[str, Any]) -> Files:
    text = _filled(_HELMFILE + "          - values/gpu.yaml\n", **_of(seed))
    return {"helmfile.yaml": text, "values/gpu.yaml": in_yaml(values) + "\n"}


@_door("Helmfile in helmfile.yaml.gotmpl, a list of files")
def _helmfile_gotmpl(seed: Seed, values: dict[str, Any]) -> Files:
    head = _filled(_HELMFILE + "          - values/gpu.yaml\n", **_of(seed))
    head = head.replace("namespace: gpu", 'namespace: {{ .Values.namespace | default "gpu" }}')
    return {"helmfile.yaml.gotmpl": head, "values/gpu.yaml": in_yaml(values) + "\n"}


@_door("Helmfile, values in a gotmpl file")
def _helmfile_gotmpl_values(seed: Seed, values: dict[str, Any]) -> Files:
    text = _filled(_HELMFILE + "          - values/gpu.yaml.gotmpl\n", **_of(seed))
    return {"helmfile.yaml": text, "values/gpu.yaml.gotmpl": in_yaml(values) + "\n"}


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


@_door("Kustomize helmCharts, valuesInline")
def _kustomize(seed: Seed, values: dict[str, Any]) -> Files:
    text = _filled(_KUSTOMIZE + "        valuesInline:\n          <values>\n", **_of(seed, values=in_yaml(values)))
    return {"kustomization.yaml": text}


@_door("Kustomize helmCharts, valuesFile")
def _kustomize_file(seed: Seed, values: dict[str, Any]) -> Files:
    text = _filled(_KUSTOMIZE + "        valuesFile: gpu-values.yaml\n", **_of(seed))
    return {"kustomization.yaml": text, "gpu-values.yaml": in_yaml(values) + "\n"}


@_door("Kustomize helmCharts, additionalValuesFiles")
def _kustomize_more(seed: Seed, values: dict[str, Any]) -> Files:
    text = _filled(_KUSTOMIZE + "        additionalValuesFiles:\n          - prod.yaml\n", **_of(seed))
    return {"kustomization.yaml": text, "prod.yaml": in_yaml(values) + "\n"}


@_door("Kustomize HelmChartInflationGenerator")
def _kustomize_generator(seed: Seed, values: dict[str, Any]) -> Files:
    text = _filled(_INFLATION, **_of(seed, values=in_yaml(values)))
    return {"gpu.yaml": text, "kustomization.yaml": "generators:\n  - gpu.yaml\n"}


_KUSTOMIZE = """
    apiVersion: kustomize.config.k8s.io/v1beta1
    kind: Kustomization
    namespace: gpu
    helmCharts:
      - name: <chart>
        repo: <repo>
        version: <version>
        releaseName: <chart>
        namespace: gpu
"""
_INFLATION = """
    apiVersion: builtin
    kind: HelmChartInflationGenerator
    metadata:
      name: <chart>
    name: <chart>
    repo: <repo>
    version: <version>
    releaseName: <chart>
    namespace: gpu
    valuesInline:
      <values>
"""


@_door("k3s HelmChart, valuesContent")
def _k3s(seed: Seed, values: dict[str, Any]) -> Files:
    return {"chart.yaml": _filled(_K3S, **_of(seed, values=in_yaml(values)))}


@_door("k3s HelmChart, set")
def _k3s_set(seed: Seed, values: dict[str, Any]) -> Files:
    text = _K3S.replace("valuesContent: |-", "set:")
    given = {name: word(each) for name, each in as_sets(values)}
    return {"chart.yaml": _filled(text, **_of(seed, values=in_yaml(given)))}


@_door("k3s HelmChartConfig, valuesContent")
def _k3s_config(seed: Seed, values: dict[str, Any]) -> Files:
    text = _filled(_K3S_CONFIG, **_of(seed, values=in_yaml(values)))
    return {"config.yaml": text}


@_door("k3s HelmChart, written by a script into the server's manifests")
def _k3s_script(seed: Seed, values: dict[str, Any]) -> Files:
    chart = _filled(_K3S, **_of(seed, values=in_yaml(values)))
    text = (
        "#!/bin/bash\nset -euo pipefail\ncurl -sfL https://get.k3s.io -o /tmp/k3s.sh\nsh /tmp/k3s.sh\n"
        f"cat > /var/lib/rancher/k3s/server/manifests/gpu.yaml <<'EOF'\n{chart}EOF\n"
    )
    return {"install.sh": text}


@_door("k3s HelmChart, in cloud-config's write_files")
def _k3s_cloud_config(seed: Seed, values: dict[str, Any]) -> Files:
    chart = _filled(_K3S, **_of(seed, values=in_yaml(values)))
    return {"user-data.yaml": "#cloud-config\n" + _filled(_CLOUD_CONFIG, manifest=chart.rstrip("\n"))}


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
_K3S_CONFIG = """
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
    ---
    apiVersion: helm.cattle.io/v1
    kind: HelmChartConfig
    metadata:
      name: <chart>
      namespace: kube-system
    spec:
      valuesContent: |-
        <values>
"""
_CLOUD_CONFIG = """
    package_update: true
    write_files:
      - path: /var/lib/rancher/k3s/server/manifests/gpu.yaml
        permissions: "0600"
        content: |
          <manifest>
    runcmd:
      - curl -sfL https://get.k3s.io -o /tmp/k3s.sh
      - sh /tmp/k3s.sh
"""


@_door("k0s ClusterConfig, extensions.helm.charts")
def _k0s(seed: Seed, values: dict[str, Any]) -> Files:
    return {"k0s.yaml": _filled(_K0S, **_of(seed, values=in_yaml(values)))}


@_door("k0sctl Cluster, spec.k0s.config")
def _k0sctl(seed: Seed, values: dict[str, Any]) -> Files:
    inner = _filled(_K0S, **_of(seed, values=in_yaml(values))).rstrip("\n")
    return {"k0sctl.yaml": _filled(_K0SCTL, config=inner)}


_K0S = """
    apiVersion: k0s.k0sproject.io/v1beta1
    kind: ClusterConfig
    metadata:
      name: k0s
    spec:
      extensions:
        helm:
          repositories:
            - name: charts
              url: <repo>
          charts:
            - name: <chart>
              chartname: charts/<chart>
              version: <version>
              namespace: gpu
              values: |
                <values>
"""
_K0SCTL = """
    apiVersion: k0sctl.k0sproject.io/v1beta1
    kind: Cluster
    metadata:
      name: lab
    spec:
      hosts:
        - role: controller+worker
          ssh: {address: 10.0.0.10, user: ubuntu}
      k0s:
        version: 1.33.4+k0s.0
        config:
          <config>
"""


@_door("Cluster API HelmChartProxy, valuesTemplate")
def _proxy(seed: Seed, values: dict[str, Any]) -> Files:
    return {"proxy.yaml": _filled(_PROXY, **_of(seed, values=in_yaml(values)))}


@_door("Sveltos ClusterProfile, helmCharts")
def _sveltos(seed: Seed, values: dict[str, Any]) -> Files:
    return {"profile.yaml": _filled(_SVELTOS, **_of(seed, values=in_yaml(values)))}


@_door("Crossplane's provider-helm Release")
def _crossplane(seed: Seed, values: dict[str, Any]) -> Files:
    return {"release.yaml": _filled(_CROSSPLANE, **_of(seed, values=in_yaml(values)))}


@_door("Crossplane's provider-helm Release, in a Composition")
def _composition(seed: Seed, values: dict[str, Any]) -> Files:
    base = _filled(_CROSSPLANE, **_of(seed, values=in_yaml(values))).rstrip("\n")
    return {"composition.yaml": _filled(_COMPOSITION, base=base)}


_PROXY = """
    apiVersion: addons.cluster.x-k8s.io/v1alpha1
    kind: HelmChartProxy
    metadata:
      name: <chart>
    spec:
      clusterSelector:
        matchLabels:
          gpu: "true"
      repoURL: <repo>
      chartName: <chart>
      version: <version>
      namespace: gpu
      valuesTemplate: |
        <values>
"""
_SVELTOS = """
    apiVersion: config.projectsveltos.io/v1beta1
    kind: ClusterProfile
    metadata:
      name: gpu
    spec:
      clusterSelector:
        matchLabels:
          gpu: "true"
      syncMode: Continuous
      helmCharts:
        - repositoryURL: <repo>
          repositoryName: charts
          chartName: charts/<chart>
          chartVersion: <version>
          releaseName: <chart>
          releaseNamespace: gpu
          helmChartAction: Install
          values: |
            <values>
"""
_CROSSPLANE = """
    apiVersion: helm.crossplane.io/v1beta1
    kind: Release
    metadata:
      name: <chart>
    spec:
      forProvider:
        chart:
          name: <chart>
          repository: <repo>
          version: <version>
        namespace: gpu
        values:
          <values>
      providerConfigRef:
        name: helm
"""
_COMPOSITION = """
    apiVersion: apiextensions.crossplane.io/v1
    kind: Composition
    metadata:
      name: gpu-cluster
    spec:
      compositeTypeRef:
        apiVersion: platform.example.com/v1
        kind: XGpuCluster
      resources:
        - name: chart
          base:
            <base>
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


@_door("Terraform helm_release, values by yamlencode")
def _tf_encode(seed: Seed, values: dict[str, Any]) -> Files:
    return {"main.tf": _terraform(seed, f"values = [yamlencode({in_hcl(values, 1)})]")}


@_door("Terraform helm_release, values by a heredoc")
def _tf_heredoc(seed: Seed, values: dict[str, Any]) -> Files:
    return {"main.tf": _terraform(seed, f"values = [<<-EOT\n{in_yaml(values, 2)}\n  EOT\n]")}


@_door("Terraform helm_release, values by file()")
def _tf_file(seed: Seed, values: dict[str, Any]) -> Files:
    body = 'values = [file("${path.module}/values/gpu.yaml")]'
    return {"main.tf": _terraform(seed, body), "values/gpu.yaml": in_yaml(values) + "\n"}


@_door("Terraform helm_release, values by templatefile()")
def _tf_template(seed: Seed, values: dict[str, Any]) -> Files:
    body = 'values = [templatefile("${path.module}/gpu.yaml.tftpl", { region = "eu-central-1" })]'
    return {"main.tf": _terraform(seed, body), "gpu.yaml.tftpl": "# ${region}\n" + in_yaml(values) + "\n"}


@_door("Terraform helm_release, values by a local")
def _tf_local(seed: Seed, values: dict[str, Any]) -> Files:
    local = f"locals {{\n  gpu_values = {in_hcl(values, 1)}\n}}\n\n"
    return {"main.tf": local + _terraform(seed, "values = [yamlencode(local.gpu_values)]")}


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


@_door("Terraform eks-blueprints-addons, helm_releases")
def _blueprints(seed: Seed, values: dict[str, Any]) -> Files:
    return {"main.tf": _filled(_BLUEPRINTS, **_of(seed, values=in_hcl(values, 4)))}


@_door("Terraform eks-blueprints-addon module (one chart)")
def _blueprints_one(seed: Seed, values: dict[str, Any]) -> Files:
    return {"main.tf": _filled(_BLUEPRINT, **_of(seed, values=in_hcl(values, 1)))}


_BLUEPRINTS = """
    module "eks_addons" {
      source  = "aws-ia/eks-blueprints-addons/aws"
      version = "~> 1.22"

      cluster_name      = "lab"
      cluster_endpoint  = "https://lab.example.com"
      cluster_version   = "1.33"
      oidc_provider_arn = "arn:aws:iam::111122223333:oidc-provider/lab"

      helm_releases = {
        gpu = {
          name             = "<chart>"
          chart            = "<chart>"
          repository       = "<repo>"
          chart_version    = "<version>"
          namespace        = "gpu"
          create_namespace = true
          values           = [yamlencode(<values>)]
        }
      }
    }
"""
_BLUEPRINT = """
    module "gpu" {
      source  = "aws-ia/eks-blueprints-addon/aws"
      version = "~> 1.1"

      chart            = "<chart>"
      chart_version    = "<version>"
      repository       = "<repo>"
      namespace        = "gpu"
      create_namespace = true
      values           = [yamlencode(<values>)]
    }
"""


@_door("Terraform helm_release, in a module of one's own (values by a variable)")
def _tf_module(seed: Seed, values: dict[str, Any]) -> Files:
    call = f'module "gpu" {{\n  source = "./modules/chart"\n  values = {in_hcl(values, 1)}\n}}\n'
    inner = 'variable "values" {\n  type    = any\n  default = {}\n}\n\n' + _terraform(
        seed, "values = [yamlencode(var.values)]"
    )
    return {"main.tf": call, "modules/chart/main.tf": inner}


@_door("Terraform argocd_application")
def _tf_argo(seed: Seed, values: dict[str, Any]) -> Files:
    return {"main.tf": _filled(_TF_ARGO, **_of(seed, values=in_yaml(values)))}


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


_TF_ARGO = """
    resource "argocd_application" "gpu" {
      metadata {
        name      = "<chart>"
        namespace = "argocd"
      }
      spec {
        destination {
          server    = "https://kubernetes.default.svc"
          namespace = "gpu"
        }
        source {
          repo_url        = "<repo>"
          chart           = "<chart>"
          target_revision = "<version>"
          helm {
            values = <<-EOT
              <values>
            EOT
          }
        }
      }
    }
"""


# Programs


@_door("Pulumi in YAML, helm.v3.Release")
def _pulumi_yaml(seed: Seed, values: dict[str, Any]) -> Files:
    return {"Pulumi.yaml": _filled(_PULUMI, **_of(seed, values=in_yaml(values)))}


@_door("Pulumi in YAML, helm.v4.Chart")
def _pulumi_chart(seed: Seed, values: dict[str, Any]) -> Files:
    text = _PULUMI.replace("helm.sh/v3:Release", "helm.sh/v4:Chart")
    return {"Pulumi.yaml": _filled(text, **_of(seed, values=in_yaml(values)))}


_PULUMI = """
    name: gpu
    runtime: yaml
    resources:
      gpu:
        type: kubernetes:helm.sh/v3:Release
        properties:
          chart: <chart>
          version: <version>
          namespace: gpu
          repositoryOpts:
            repo: <repo>
          values:
            <values>
"""


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


def _pulumi_py(kind: str) -> Door:
    def write(seed: Seed, values: dict[str, Any]) -> Files:
        text = _filled(_PULUMI_PY, **_of(seed, values=in_python(values, 1), kind=kind))
        return {"__main__.py": text, "Pulumi.yaml": "name: gpu\nruntime: python\n"}

    return write


for _kind in ("v3.Release", "v3.Chart", "v4.Chart"):
    _DOORS[f"Pulumi in TypeScript, helm.{_kind}"] = _pulumi_ts(_kind)


@_door("Pulumi in Python, Release")
def _pulumi_python(seed: Seed, values: dict[str, Any]) -> Files:
    text = _filled(_PULUMI_PY, **_of(seed, values=in_python(values, 2)))
    return {"__main__.py": text, "Pulumi.yaml": "name: gpu\nruntime: python\n"}


@_door("Pulumi in Python, Chart with ChartOpts")
def _pulumi_python_chart(seed: Seed, values: dict[str, Any]) -> Files:
    text = _filled(_PULUMI_PY_CHART, **_of(seed, values=in_python(values, 2)))
    return {"__main__.py": text, "Pulumi.yaml": "name: gpu\nruntime: python\n"}


_PULUMI_PY = """
    from pulumi_kubernetes.helm.v3 import Release, ReleaseArgs, RepositoryOptsArgs

    gpu = Release(
        "gpu",
        ReleaseArgs(
            chart="<chart>",
            version="<version>",
            namespace="gpu",
            repository_opts=RepositoryOptsArgs(repo="<repo>"),
            values=<values>,
        ),
    )
"""
_PULUMI_PY_CHART = """
    import pulumi_kubernetes as k8s

    gpu = k8s.helm.v3.Chart(
        "gpu",
        k8s.helm.v3.ChartOpts(
            chart="<chart>",
            version="<version>",
            namespace="gpu",
            fetch_opts=k8s.helm.v3.FetchOpts(repo="<repo>"),
            values=<values>,
        ),
    )
"""


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


@_door("CDK in Python, add_helm_chart")
def _cdk_python(seed: Seed, values: dict[str, Any]) -> Files:
    return {"stack.py": _filled(_CDK_PY, **_of(seed, values=in_python(values, 3)))}


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
_CDK_PY = """
    from aws_cdk import Stack, aws_eks as eks
    from constructs import Construct


    class GpuStack(Stack):
        def __init__(self, scope: Construct, id: str) -> None:
            super().__init__(scope, id)
            cluster = eks.Cluster(self, "Cluster", version=eks.KubernetesVersion.V1_31)
            cluster.add_helm_chart(
                "Gpu",
                chart="<chart>",
                repository="<repo>",
                version="<version>",
                namespace="gpu",
                values=<values>,
            )
"""


@_door("CloudFormation AWSQS::Kubernetes::Helm, ValueYaml")
def _cloudformation(seed: Seed, values: dict[str, Any]) -> Files:
    return {"template.yaml": _filled(_CLOUDFORMATION, **_of(seed, values=in_yaml(values)))}


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


_CLOUDFORMATION = """
    AWSTemplateFormatVersion: "2010-09-09"
    Resources:
      Gpu:
        Type: AWSQS::Kubernetes::Helm
        Properties:
          ClusterID: lab
          Repository: <repo>
          Chart: charts/<chart>
          Version: <version>
          Name: <chart>
          Namespace: gpu
          ValueYaml: |
            <values>
"""


# Ansible


@_door("Ansible kubernetes.core.helm, values")
def _ansible(seed: Seed, values: dict[str, Any]) -> Files:
    return {"gpu.yml": _filled(_ANSIBLE + _ANSIBLE_VALUES, **_of(seed, values=in_yaml(values)))}


@_door("Ansible kubernetes.core.helm, release_values")
def _ansible_release(seed: Seed, values: dict[str, Any]) -> Files:
    text = _ANSIBLE + _ANSIBLE_VALUES.replace("values:", "release_values:")
    return {"gpu.yml": _filled(text, **_of(seed, values=in_yaml(values)))}


@_door("Ansible kubernetes.core.helm, set_values")
def _ansible_set(seed: Seed, values: dict[str, Any]) -> Files:
    given = [
        {"value": f"{name}={word(each)}", **({"value_type": "string"} if isinstance(each, str) else {})}
        for name, each in as_sets(values)
    ]
    text = _ANSIBLE + _ANSIBLE_VALUES.replace("values:", "set_values:")
    return {"gpu.yml": _filled(text, **_of(seed, values=in_yaml(given)))}


@_door("Ansible kubernetes.core.helm, values_files")
def _ansible_files(seed: Seed, values: dict[str, Any]) -> Files:
    text = _ANSIBLE + '            values_files:\n              - "{{ playbook_dir }}/files/gpu-values.yaml"\n'
    return {"gpu.yml": _filled(text, **_of(seed)), "files/gpu-values.yaml": in_yaml(values) + "\n"}


@_door("Ansible shell, helm upgrade -f a file that a task copies")
def _ansible_shell(seed: Seed, values: dict[str, Any]) -> Files:
    return {"gpu.yml": _filled(_ANSIBLE_SHELL, **_of(seed, values=in_yaml(values)))}


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
_ANSIBLE_SHELL = """
    - name: Charts of the cluster
      hosts: controllers
      tasks:
        - name: Values of <chart>
          ansible.builtin.copy:
            dest: /tmp/gpu-values.yaml
            mode: "0644"
            content: |
              <values>

        - name: Install <chart>
          ansible.builtin.shell: >
            helm upgrade --install <chart> charts/<chart> --namespace gpu --version <version>
            -f /tmp/gpu-values.yaml
"""


# Commands of helm


@_door("helm in a script, -f a file beside it")
def _helm_file(seed: Seed, values: dict[str, Any]) -> Files:
    return {
        "install.sh": _filled(_HELM + "      --values gpu-values.yaml\n", **_of(seed)),
        "gpu-values.yaml": in_yaml(values) + "\n",
    }


@_door("helm in a script, -f behind $SCRIPT_DIR")
def _helm_script_dir(seed: Seed, values: dict[str, Any]) -> Files:
    head = 'SCRIPT_DIR="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"\n'
    text = _filled(_HELM + '      -f "${SCRIPT_DIR}/gpu-values.yaml"\n', **_of(seed))
    text = text.replace("set -euo pipefail\n", "set -euo pipefail\n" + head)
    return {"install.sh": text, "gpu-values.yaml": in_yaml(values) + "\n"}


@_door("helm in a script, --set and --set-string")
def _helm_set(seed: Seed, values: dict[str, Any]) -> Files:
    text = _filled(_HELM + "      <sets>\n", **_of(seed, sets=_sets(values)))
    return {"install.sh": text}


@_door("helm in a script, --set-json")
def _helm_set_json(seed: Seed, values: dict[str, Any]) -> Files:
    sets = " \\\n".join(f"--set-json '{name}={json.dumps(each)}'" for name, each in values.items())
    return {"install.sh": _filled(_HELM + "      <sets>\n", **_of(seed, sets=sets))}


@_door("helm in a script, a heredoc to -f -")
def _helm_stdin(seed: Seed, values: dict[str, Any]) -> Files:
    text = _filled(_HELM + "      -f - <<'EOF'\n", **_of(seed)) + in_yaml(values) + "\nEOF\n"
    return {"install.sh": text}


@_door("helm in a script, -f <(cat <<EOF)")
def _helm_substitution(seed: Seed, values: dict[str, Any]) -> Files:
    text = _filled(_HELM + "      -f <(cat <<'EOF'\n", **_of(seed)) + in_yaml(values) + "\nEOF\n)\n"
    return {"install.sh": text}


@_door("helm in a script, a heredoc into a file before")
def _helm_written(seed: Seed, values: dict[str, Any]) -> Files:
    text = _filled(_HELM + "      -f /tmp/gpu-values.yaml\n", **_of(seed))
    head, tail = text.split("helm upgrade", 1)
    return {"install.sh": f"{head}cat > /tmp/gpu-values.yaml <<EOF\n{in_yaml(values)}\nEOF\nhelm upgrade{tail}"}


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


@_door("helm in a Makefile, -f")
def _make(seed: Seed, values: dict[str, Any]) -> Files:
    text = (
        f".PHONY: gpu\ngpu:\n\thelm repo add charts {seed.repository}\n\t{_one_command(seed, '-f gpu-values.yaml')}\n"
    )
    return {"Makefile": text, "gpu-values.yaml": in_yaml(values) + "\n"}


@_door("helm in a Makefile, --set")
def _make_set(seed: Seed, values: dict[str, Any]) -> Files:
    return {"Makefile": f".PHONY: gpu\ngpu:\n\t{_one_command(seed, _command_sets(values))}\n"}


@_door("helm in a justfile, -f")
def _just(seed: Seed, values: dict[str, Any]) -> Files:
    text = f"# Installs {seed.chart}\ngpu:\n    {_one_command(seed, '-f gpu-values.yaml')}\n"
    return {"justfile": text, "gpu-values.yaml": in_yaml(values) + "\n"}


@_door("helm in a Taskfile, -f")
def _task(seed: Seed, values: dict[str, Any]) -> Files:
    body = {"version": "3", "tasks": {"gpu": {"desc": "GPUs", "cmds": [_one_command(seed, "-f gpu-values.yaml")]}}}
    return {"Taskfile.yml": in_yaml(body) + "\n", "gpu-values.yaml": in_yaml(values) + "\n"}


@_door("helm in a workflow of GitHub's, -f")
def _workflow(seed: Seed, values: dict[str, Any]) -> Files:
    text = _filled(_WORKFLOW, **_of(seed, command=_one_command(seed, "-f deploy/gpu-values.yaml")))
    return {".github/workflows/deploy.yml": text, "deploy/gpu-values.yaml": in_yaml(values) + "\n"}


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


@_door("Skaffold, deploy.helm.releases, setValues' files")
def _skaffold(seed: Seed, values: dict[str, Any]) -> Files:
    return {
        "skaffold.yaml": _filled(_SKAFFOLD + "            valuesFiles: [gpu-values.yaml]\n", **_of(seed)),
        "gpu-values.yaml": in_yaml(values) + "\n",
    }


@_door("Skaffold, deploy.helm.releases, overrides")
def _skaffold_overrides(seed: Seed, values: dict[str, Any]) -> Files:
    text = _SKAFFOLD + "            overrides:\n              <values>\n"
    return {"skaffold.yaml": _filled(text, **_of(seed, values=in_yaml(values)))}


@_door("DevSpace, deployments.helm.values")
def _devspace(seed: Seed, values: dict[str, Any]) -> Files:
    return {"devspace.yaml": _filled(_DEVSPACE, **_of(seed, values=in_yaml(values)))}


@_door("Garden, a helm module")
def _garden(seed: Seed, values: dict[str, Any]) -> Files:
    return {"garden.yml": _filled(_GARDEN, **_of(seed, values=in_yaml(values)))}


@_door("Zarf, charts' valuesFiles")
def _zarf(seed: Seed, values: dict[str, Any]) -> Files:
    return {"zarf.yaml": _filled(_ZARF, **_of(seed)), "gpu-values.yaml": in_yaml(values) + "\n"}


@_door("Carvel App, values of a Secret")
def _carvel(seed: Seed, values: dict[str, Any]) -> Files:
    return {"app.yaml": _filled(_CARVEL, **_of(seed, values=in_yaml(values)))}


@_door("KubeVela Application, a helm component")
def _vela(seed: Seed, values: dict[str, Any]) -> Files:
    return {"app.yaml": _filled(_VELA, **_of(seed, values=in_yaml(values)))}


@_door("a parent's charts, by their names")
def _spectro(seed: Seed, values: dict[str, Any]) -> Files:
    """Spectro Cloud's packs have a chart's values under its name."""
    body = {"charts": {seed.chart: values}}
    return {"values.yaml": in_yaml(body) + "\n"}


_SKAFFOLD = """
    apiVersion: skaffold/v4beta11
    kind: Config
    deploy:
      helm:
        releases:
          - name: <chart>
            remoteChart: <chart>
            repo: <repo>
            version: <version>
            namespace: gpu
"""
_DEVSPACE = """
    version: v2beta1
    name: gpu
    deployments:
      gpu:
        namespace: gpu
        helm:
          releaseName: <chart>
          chart:
            name: <chart>
            repo: <repo>
            version: <version>
          values:
            <values>
"""
_GARDEN = """
    kind: Deploy
    type: helm
    name: <chart>
    spec:
      namespace: gpu
      chart:
        name: <chart>
        repo: <repo>
        version: <version>
      values:
        <values>
"""
_ZARF = """
    kind: ZarfPackageConfig
    metadata:
      name: gpu
    components:
      - name: gpu
        required: true
        charts:
          - name: <chart>
            url: <repo>
            version: <version>
            namespace: gpu
            valuesFiles:
              - gpu-values.yaml
"""
_CARVEL = """
    apiVersion: v1
    kind: Secret
    metadata:
      name: gpu-values
      namespace: gpu
    stringData:
      values.yaml: |
        <values>
    ---
    apiVersion: kappctrl.k14s.io/v1alpha1
    kind: App
    metadata:
      name: <chart>
      namespace: gpu
    spec:
      serviceAccountName: default
      fetch:
        - helmChart:
            name: <chart>
            version: <version>
            repository:
              url: <repo>
      template:
        - helmTemplate:
            valuesFrom:
              - secretRef:
                  name: gpu-values
      deploy:
        - kapp: {}
"""
_VELA = """
    apiVersion: core.oam.dev/v1beta1
    kind: Application
    metadata:
      name: gpu
      namespace: gpu
    spec:
      components:
        - name: <chart>
          type: helm
          properties:
            repoType: helm
            url: <repo>
            chart: <chart>
            version: <version>
            values:
              <values>
"""

DOORS: Final[Mapping[str, Door]] = _DOORS
PLAIN: Final = next(iter(_DOORS))
