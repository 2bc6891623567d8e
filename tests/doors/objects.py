"""The doors through which people bring objects to a cluster: each writes one object as its tool's users do."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from textwrap import indent
from typing import Any, Final

from tests.doors.written import in_hcl, in_python, in_typescript, in_yaml

Files = dict[str, str]
Object = dict[str, Any]
Door = Callable[[Object], Files]
_DOORS: dict[str, Door] = {}


def _door(name: str) -> Callable[[Door], Door]:
    def named(write: Door) -> Door:
        _DOORS[name] = write
        return write

    return named


@_door("plain: a manifest")
def _manifest(each: Object) -> Files:
    return {"object.yaml": in_yaml(each) + "\n"}


@_door("a manifest in JSON")
def _json(each: Object) -> Files:
    return {"object.json": json.dumps(each, indent=2) + "\n"}


@_door("a List")
def _list(each: Object) -> Files:
    return {"objects.yaml": in_yaml({"apiVersion": "v1", "kind": "List", "items": [each]}) + "\n"}


# Scripts

_SCRIPT = "#!/usr/bin/env bash\nset -euo pipefail\n\nkubectl create namespace gpu --dry-run=client -o yaml | kubectl apply -f -\n"


def _script(text: str) -> Files:
    return {"install.sh": _SCRIPT + text}


@_door("kubectl apply -f - <<EOF")
def _heredoc(each: Object) -> Files:
    return _script(f"kubectl apply -f - <<EOF\n{in_yaml(each)}\nEOF\n")


@_door("cat <<EOF | kubectl apply -f -")
def _cat(each: Object) -> Files:
    return _script(f"cat <<'EOF' | kubectl apply -f -\n{in_yaml(each)}\nEOF\n")


@_door("cat > file <<EOF, kubectl apply -f file")
def _written(each: Object) -> Files:
    return _script(f"cat > /tmp/object.yaml <<EOF\n{in_yaml(each)}\nEOF\nkubectl apply -f /tmp/object.yaml\n")


@_door("tee file <<EOF, kubectl create -f file")
def _tee(each: Object) -> Files:
    return _script(f"tee object.yaml >/dev/null <<EOF\n{in_yaml(each)}\nEOF\nkubectl create -f object.yaml -n gpu\n")


@_door("kubectl apply -f <(cat <<EOF)")
def _substitution(each: Object) -> Files:
    return _script(f"kubectl apply -f <(cat <<EOF\n{in_yaml(each)}\nEOF\n)\n")


@_door('echo "…" | kubectl apply -f -')
def _echo(each: Object) -> Files:
    return _script(f"echo '{in_yaml(each)}' | kubectl apply -f -\n")


@_door('kubectl apply -f - <<< "$VARIABLE"')
def _variable(each: Object) -> Files:
    return _script(f"MANIFEST=$(cat <<'EOF'\n{in_yaml(each)}\nEOF\n)\necho \"$MANIFEST\" | kubectl apply -f -\n")


@_door("a function of a script, kubectl apply moved in by tabs")
def _function(each: Object) -> Files:
    body = indent(in_yaml(each), "\t\t")
    return _script(f"deploy() {{\n\tkubectl apply -f - <<-EOF\n{body}\n\tEOF\n}}\n\ndeploy\n")


@_door("k3s' manifests, written by a script")
def _k3s(each: Object) -> Files:
    return _script(
        "curl -sfL https://get.k3s.io -o k3s.sh && sh k3s.sh\n"
        f"cat > /var/lib/rancher/k3s/server/manifests/gpu.yaml <<EOF\n{in_yaml(each)}\nEOF\n"
    )


@_door("cloud-config, write_files into k3s' manifests")
def _cloud_config(each: Object) -> Files:
    head = "#cloud-config\nwrite_files:\n  - path: /var/lib/rancher/k3s/server/manifests/gpu.yaml\n    content: |\n"
    tail = "\nruncmd:\n  - curl -sfL https://get.k3s.io -o k3s.sh\n  - sh k3s.sh\n"
    return {"user-data.yaml": head + in_yaml(each, 6) + tail}


@_door("cloud-config, write_files and kubectl apply")
def _cloud_config_apply(each: Object) -> Files:
    head = "#cloud-config\nwrite_files:\n  - path: /root/gpu.yaml\n    content: |\n"
    tail = "\nruncmd:\n  - curl -sfL https://get.k3s.io -o k3s.sh\n  - sh k3s.sh\n  - kubectl apply -f /root/gpu.yaml\n"
    return {"user-data.yaml": head + in_yaml(each, 6) + tail}


@_door("a workflow of GitHub's, kubectl apply <<EOF")
def _workflow(each: Object) -> Files:
    head = (
        "name: deploy\non: [push]\njobs:\n  gpu:\n    runs-on: ubuntu-24.04\n    steps:\n"
        "      - uses: actions/checkout@v4\n      - name: apply\n        run: |\n          kubectl apply -f - <<EOF\n"
    )
    return {".github/workflows/deploy.yml": head + in_yaml(each, 10) + "\n          EOF\n"}


@_door("a Makefile, a define given to kubectl")
def _make(each: Object) -> Files:
    return {
        "Makefile": f"define OBJECT\n{in_yaml(each)}\nendef\nexport OBJECT\n\n"
        '.PHONY: deploy\ndeploy:\n\t@echo "$$OBJECT" | kubectl apply -f -\n'
    }


# Ansible


def _play(task: Object) -> Files:
    play = [{"name": "GPUs", "hosts": "controllers", "tasks": [{"name": "Apply", **task}]}]
    return {"gpu.yml": in_yaml(play) + "\n"}


@_door("Ansible kubernetes.core.k8s, definition")
def _ansible(each: Object) -> Files:
    return _play({"kubernetes.core.k8s": {"state": "present", "definition": each}})


@_door("Ansible kubernetes.core.k8s, definition as a text")
def _ansible_text(each: Object) -> Files:
    return _play({"kubernetes.core.k8s": {"state": "present", "definition": in_yaml(each) + "\n"}})


@_door("Ansible kubernetes.core.k8s, a template of the role")
def _ansible_template(each: Object) -> Files:
    tasks = [{"name": "Apply", "kubernetes.core.k8s": {"state": "present", "template": "gpu.yaml.j2"}}]
    return {"roles/gpu/tasks/main.yml": in_yaml(tasks) + "\n", "roles/gpu/templates/gpu.yaml.j2": in_yaml(each) + "\n"}


@_door("Ansible shell, kubectl apply <<EOF")
def _ansible_shell(each: Object) -> Files:
    return _play({"ansible.builtin.shell": f"kubectl apply -f - <<EOF\n{in_yaml(each)}\nEOF\n"})


@_door("Ansible copy, and kubectl apply")
def _ansible_copy(each: Object) -> Files:
    tasks = [
        {"name": "Write", "ansible.builtin.copy": {"dest": "/tmp/gpu.yaml", "content": in_yaml(each) + "\n"}},
        {"name": "Apply", "ansible.builtin.command": "kubectl apply -f /tmp/gpu.yaml"},
    ]
    return {"gpu.yml": in_yaml([{"name": "GPUs", "hosts": "controllers", "tasks": tasks}]) + "\n"}


# Terraform


@_door("Terraform kubernetes_manifest")
def _tf_manifest(each: Object) -> Files:
    return {"main.tf": f'resource "kubernetes_manifest" "gpu" {{\n  manifest = {in_hcl(each, 1)}\n}}\n'}


@_door("Terraform kubernetes_manifest, yamldecode(file())")
def _tf_decoded(each: Object) -> Files:
    text = 'resource "kubernetes_manifest" "gpu" {\n  manifest = yamldecode(file("${path.module}/gpu.yaml.txt"))\n}\n'
    return {"main.tf": text, "gpu.yaml.txt": in_yaml(each) + "\n"}


@_door("Terraform kubectl_manifest, a heredoc")
def _tf_kubectl(each: Object) -> Files:
    body = in_yaml(each, 4)
    return {"main.tf": f'resource "kubectl_manifest" "gpu" {{\n  yaml_body = <<-YAML\n{body}\n  YAML\n}}\n'}


@_door("Terraform kubectl_manifest, yamlencode")
def _tf_kubectl_encode(each: Object) -> Files:
    return {"main.tf": f'resource "kubectl_manifest" "gpu" {{\n  yaml_body = yamlencode({in_hcl(each, 1)})\n}}\n'}


@_door("Terraform kubectl_manifest, templatefile()")
def _tf_kubectl_template(each: Object) -> Files:
    text = (
        'resource "kubectl_manifest" "gpu" {\n'
        '  yaml_body = templatefile("${path.module}/gpu.yaml.tftpl", { name = "gpu" })\n}\n'
    )
    return {"main.tf": text, "gpu.yaml.tftpl": in_yaml(each) + "\n"}


@_door("Terraform local-exec, kubectl apply <<EOF")
def _tf_exec(each: Object) -> Files:
    body = in_yaml(each, 6)
    text = (
        'resource "null_resource" "gpu" {\n  provisioner "local-exec" {\n    command = <<-SH\n'
        f"      kubectl apply -f - <<EOF\n{body}\n      EOF\n    SH\n  }}\n}}\n"
    )
    return {"main.tf": text}


# Programs


@_door("Pulumi in YAML, CustomResource or the object's own type")
def _pulumi_yaml(each: Object) -> Files:
    api = each["apiVersion"] if "/" in each["apiVersion"] else f"core/{each['apiVersion']}"
    rest = {name: value for name, value in each.items() if name not in ("apiVersion", "kind")}
    made = {"type": f"kubernetes:{api}:{each['kind']}", "properties": rest}
    return {"Pulumi.yaml": in_yaml({"name": "gpu", "runtime": "yaml", "resources": {"gpu": made}}) + "\n"}


@_door("Pulumi in YAML, ConfigGroup of a text")
def _pulumi_group(each: Object) -> Files:
    made = {"type": "kubernetes:yaml/v2:ConfigGroup", "properties": {"yaml": in_yaml(each) + "\n"}}
    return {"Pulumi.yaml": in_yaml({"name": "gpu", "runtime": "yaml", "resources": {"gpu": made}}) + "\n"}


def _typescript(text: str) -> Files:
    return {
        "index.ts": f'import * as k8s from "@pulumi/kubernetes";\n\n{text}',
        "Pulumi.yaml": "name: gpu\nruntime: nodejs\n",
    }


@_door("Pulumi in TypeScript, the object's own class")
def _pulumi_ts(each: Object) -> Files:
    group, _, version = each["apiVersion"].rpartition("/")
    path = f"{(group or 'core').split('.')[0]}.{version}"
    rest = {name: value for name, value in each.items() if name not in ("apiVersion", "kind")}
    return _typescript(f'const gpu = new k8s.{path}.{each["kind"]}("gpu", {in_typescript(rest)});\n')


@_door("Pulumi in TypeScript, CustomResource")
def _pulumi_custom(each: Object) -> Files:
    return _typescript(f'new k8s.apiextensions.CustomResource("gpu", {in_typescript(each)});\n')


@_door("Pulumi in TypeScript, ConfigGroup of a text")
def _pulumi_ts_group(each: Object) -> Files:
    return _typescript(f'new k8s.yaml.ConfigGroup("gpu", {{\n    yaml: `\n{in_yaml(each)}\n`,\n}});\n')


@_door("Pulumi in Python, CustomResource")
def _pulumi_py(each: Object) -> Files:
    rest = {name: value for name, value in each.items() if name not in ("apiVersion", "kind", "metadata")}
    others = "".join(f"    {name}={in_python(value, 1)},\n" for name, value in rest.items() if name == "spec")
    others += "".join(
        f"    others={{{name!r}: {in_python(value, 1)}}},\n" for name, value in rest.items() if name != "spec"
    )
    text = (
        "import pulumi_kubernetes as k8s\n\ngpu = k8s.apiextensions.CustomResource(\n"
        f'    "gpu",\n    api_version="{each["apiVersion"]}",\n    kind="{each["kind"]}",\n'
        f"    metadata={in_python(each['metadata'], 1)},\n{others})\n"
    )
    return {"__main__.py": text, "Pulumi.yaml": "name: gpu\nruntime: python\n"}


@_door("CDK in TypeScript, addManifest")
def _cdk(each: Object) -> Files:
    text = (
        "import * as eks from 'aws-cdk-lib/aws-eks';\n\nexport function gpus(cluster: eks.Cluster) {\n"
        f"  cluster.addManifest('Gpu', {in_typescript(each, 1)});\n}}\n"
    )
    return {"lib/gpus.ts": text}


@_door("CDK in Python, add_manifest")
def _cdk_python(each: Object) -> Files:
    text = (
        "from aws_cdk import aws_eks as eks\n\n\ndef gpus(cluster: eks.Cluster) -> None:\n"
        f'    cluster.add_manifest("Gpu", {in_python(each, 1)})\n'
    )
    return {"gpus.py": text}


@_door("CDK's output, Custom::AWSCDK-EKS-KubernetesResource")
def _cdk_out(each: Object) -> Files:
    made = {
        "Type": "Custom::AWSCDK-EKS-KubernetesResource",
        "Properties": {"ClusterName": {"Ref": "Cluster"}, "Manifest": json.dumps([each])},
    }
    return {"cdk.out/Gpu.template.json": json.dumps({"Resources": {"Gpu": made}}, indent=1) + "\n"}


# Objects within others


def _config_map(each: Object, name: str = "gpu-manifests") -> Object:
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": name, "namespace": "default"},
        "data": {"gpu.yaml": in_yaml(each) + "\n"},
    }


@_door("Kustomize, a patch of the object")
def _patch(each: Object) -> Files:
    patch = {"patch": in_yaml(each) + "\n", "target": {"kind": each["kind"], "name": each["metadata"]["name"]}}
    return {"kustomization.yaml": in_yaml({"resources": ["../base"], "patches": [patch]}) + "\n"}


@_door("Cluster API ClusterResourceSet, a ConfigMap")
def _resource_set(each: Object) -> Files:
    told = {
        "apiVersion": "addons.cluster.x-k8s.io/v1beta1",
        "kind": "ClusterResourceSet",
        "metadata": {"name": "gpu", "namespace": "default"},
        "spec": {
            "clusterSelector": {"matchLabels": {"gpu": "true"}},
            "resources": [{"kind": "ConfigMap", "name": "gpu-manifests"}],
        },
    }
    return {"addons.yaml": in_yaml(told) + "\n---\n" + in_yaml(_config_map(each)) + "\n"}


@_door("Sveltos ClusterProfile, policyRefs of a ConfigMap")
def _sveltos(each: Object) -> Files:
    told = {
        "apiVersion": "config.projectsveltos.io/v1beta1",
        "kind": "ClusterProfile",
        "metadata": {"name": "gpu"},
        "spec": {"policyRefs": [{"kind": "ConfigMap", "name": "gpu-manifests", "namespace": "default"}]},
    }
    return {"profile.yaml": in_yaml(told) + "\n---\n" + in_yaml(_config_map(each)) + "\n"}


@_door("Talos, cluster.inlineManifests")
def _talos(each: Object) -> Files:
    told = {
        "version": "v1alpha1",
        "machine": {"type": "controlplane"},
        "cluster": {"inlineManifests": [{"name": "gpu", "contents": in_yaml(each) + "\n"}]},
    }
    return {"controlplane.yaml": in_yaml(told) + "\n"}


@_door("Crossplane's provider-kubernetes Object")
def _crossplane(each: Object) -> Files:
    told = {
        "apiVersion": "kubernetes.crossplane.io/v1alpha2",
        "kind": "Object",
        "metadata": {"name": "gpu"},
        "spec": {"forProvider": {"manifest": each}, "providerConfigRef": {"name": "kubernetes"}},
    }
    return {"object.yaml": in_yaml(told) + "\n"}


@_door("Open Cluster Management's ManifestWork")
def _work(each: Object) -> Files:
    told = {
        "apiVersion": "work.open-cluster-management.io/v1",
        "kind": "ManifestWork",
        "metadata": {"name": "gpu", "namespace": "cluster1"},
        "spec": {"workload": {"manifests": [each]}},
    }
    return {"work.yaml": in_yaml(told) + "\n"}


@_door("Open Cluster Management's ConfigurationPolicy, in a Policy")
def _policy(each: Object) -> Files:
    inner = {
        "apiVersion": "policy.open-cluster-management.io/v1",
        "kind": "ConfigurationPolicy",
        "metadata": {"name": "gpu"},
        "spec": {
            "remediationAction": "enforce",
            "object-templates": [{"complianceType": "musthave", "objectDefinition": each}],
        },
    }
    told = {
        "apiVersion": "policy.open-cluster-management.io/v1",
        "kind": "Policy",
        "metadata": {"name": "gpu", "namespace": "policies"},
        "spec": {"disabled": False, "policy-templates": [{"objectDefinition": inner}]},
    }
    return {"policy.yaml": in_yaml(told) + "\n"}


@_door("KubeVela Application, a k8s-objects component")
def _vela(each: Object) -> Files:
    told = {
        "apiVersion": "core.oam.dev/v1beta1",
        "kind": "Application",
        "metadata": {"name": "gpu"},
        "spec": {"components": [{"name": "gpu", "type": "k8s-objects", "properties": {"objects": [each]}}]},
    }
    return {"app.yaml": in_yaml(told) + "\n"}


@_door("Kyverno ClusterPolicy, generate")
def _kyverno(each: Object) -> Files:
    rest = {name: value for name, value in each.items() if name not in ("apiVersion", "kind", "metadata")}
    told = {
        "apiVersion": "kyverno.io/v1",
        "kind": "ClusterPolicy",
        "metadata": {"name": "gpu"},
        "spec": {
            "rules": [
                {
                    "name": "generate",
                    "match": {"any": [{"resources": {"kinds": ["Namespace"]}}]},
                    "generate": {
                        "apiVersion": each["apiVersion"],
                        "kind": each["kind"],
                        "name": each["metadata"]["name"],
                        "namespace": "{{request.object.metadata.name}}",
                        "synchronize": True,
                        "data": rest,
                    },
                }
            ]
        },
    }
    return {"policy.yaml": in_yaml(told) + "\n"}


@_door("OpenShift Template")
def _template(each: Object) -> Files:
    told = {
        "apiVersion": "template.openshift.io/v1",
        "kind": "Template",
        "metadata": {"name": "gpu"},
        "objects": [each],
        "parameters": [{"name": "NAME", "value": "gpu"}],
    }
    return {"template.yaml": in_yaml(told) + "\n"}


@_door("Argo Workflow, a resource template")
def _argo(each: Object) -> Files:
    told = {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Workflow",
        "metadata": {"generateName": "gpu-"},
        "spec": {
            "entrypoint": "apply",
            "templates": [{"name": "apply", "resource": {"action": "apply", "manifest": in_yaml(each) + "\n"}}],
        },
    }
    return {"workflow.yaml": in_yaml(told) + "\n"}


def _in_values(key: str) -> Door:
    def write(each: Object) -> Files:
        return {"values.yaml": in_yaml({"replicaCount": 1, "service": {"type": "ClusterIP"}, key: [each]}) + "\n"}

    return write


for _key in ("extraObjects", "extraManifests", "extraDeploy"):
    _DOORS[f"a chart's values, {_key}"] = _in_values(_key)


@_door("a chart's template, the name by its values")
def _chart(each: Object) -> Files:
    text = in_yaml(each).replace(f"name: {each['metadata']['name']}", "name: {{ .Values.name }}", 1)
    return {
        "chart/Chart.yaml": "apiVersion: v2\nname: gpu\nversion: 0.1.0\n",
        "chart/values.yaml": f"name: {each['metadata']['name']}\n",
        "chart/templates/object.yaml": text + "\n",
    }


@_door("a template of Jinja's, the name filled in")
def _jinja(each: Object) -> Files:
    text = in_yaml(each).replace(f"name: {each['metadata']['name']}", "name: {{ gpu_name }}", 1)
    return {"gpu.yaml.j2": text + "\n"}


DOORS: Final[Mapping[str, Door]] = _DOORS
PLAIN: Final = next(iter(_DOORS))
