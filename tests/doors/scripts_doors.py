"""The doors by which people bring what a node runs: each writes the same steps as files of that kind are written.

A door takes steps of shell, of which one may have several lines, and gives files by their paths. Most are texts
(`scripts/*.doors`): a line with `<step>`, or with one of the `_FORMS` of it, is written for each step. Behind ` | ` of a
name stands what of `Door` is otherwise. Here are those that write more than a line for each step, or pack them.
"""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from textwrap import indent
from typing import Any

from tests.doors.texts import doors_in

Files = Mapping[str, str]
Steps = Sequence[str]


@dataclass(frozen=True)
class Door:
    """`stops`: what fails there ends it. `shows`: a command is told of in its own line, where others are in that of the
    task or the value that holds them. `joins`: whoever reads it has the machine join by itself."""

    name: str
    write: Callable[[Steps], Files]
    stops: bool = True
    shows: bool = True
    joins: bool = False

    def makes_no_difference(self, finding: Mapping[str, Any]) -> bool:
        """Where nothing stops at a failure, a join that may fail unheard is one; where its tool joins the machine, a
        seed's own join is a second one."""
        told = {"failure-is-loud": not self.stops, "joins-its-cluster": self.joins}
        return told.get(finding["rule"], False)


DOORS: list[Door] = []


def _door(
    name: str, *, stops: bool = True, shows: bool = True, joins: bool = False
) -> Callable[[Callable[[Steps], Files]], Callable[[Steps], Files]]:
    def known(write: Callable[[Steps], Files]) -> Callable[[Steps], Files]:
        DOORS.append(Door(name, write, stops, shows, joins))
        return write

    return known


def script(steps: Steps, head: str = "#!/bin/bash\nset -euo pipefail\n") -> str:
    return head + "".join(f"{each}\n" for each in steps)


def by(blanks: int, text: str) -> str:
    return indent(text, " " * blanks)


def quoted(text: str) -> str:
    """As YAML, JSON and TypeScript read it."""
    return json.dumps(text)


def in_single(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def of_hcl(text: str) -> str:
    """What Terraform leaves as it is."""
    return text.replace("${", "$${").replace("%{", "%%{")


def hcl_string(text: str) -> str:
    return json.dumps(of_hcl(text))


# --- the script itself


@_door("script called setup.sh with functions")
def _functions(steps: Steps) -> Files:
    body = (
        by(2, "".join(f"{each}\n" for each in steps)) if not any("\n" in each for each in steps) else script(steps, "")
    )
    return {"scripts/setup-node.sh": f'#!/usr/bin/env bash\nset -euo pipefail\n\nmain() {{\n{body}}}\n\nmain "$@"\n'}


def in_shell(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


@_door("script, aws ssm send-command", stops=False)
def _ssm_send(steps: Steps) -> Files:
    commands = json.dumps({"commands": list(steps)})
    return {
        "deploy.sh": script(
            [
                f"aws ssm send-command --document-name AWS-RunShellScript --targets Key=tag:role,Values=gpu --parameters {in_shell(commands)}"
            ]
        )
    }


# --- cloud-init


@_door("cloud-config runcmd", stops=False)
def _runcmd(steps: Steps) -> Files:
    items = "".join(f"  - {in_single(each)}\n" if "\n" not in each else f"  - |\n{by(4, each)}\n" for each in steps)
    return {"cloud-init.yaml": f"#cloud-config\nhostname: gpu-1\npackage_update: true\nruncmd:\n{items}"}


@_door("cloud-config runcmd, bash -c list", shows=False)
def _runcmd_list(steps: Steps) -> Files:
    return {"cloud-init.yaml": f"#cloud-config\nruncmd:\n  - [bash, -c, {quoted(script(steps, 'set -e' + chr(10)))}]\n"}


@_door("cloud-config bootcmd", stops=False)
def _bootcmd(steps: Steps) -> Files:
    items = "".join(f"  - |\n{by(4, each)}\n" for each in steps)
    return {"user-data": f"#cloud-config\nbootcmd:\n{items}"}


@_door("cloud-config write_files base64", shows=False)
def _write_files_base64(steps: Steps) -> Files:
    return {
        "cloud-init.yaml": f"#cloud-config\nwrite_files:\n  - path: /opt/setup.sh\n    encoding: b64\n    permissions: '0755'\n"
        f"    content: {packed(script(steps))}\nruncmd:\n  - /opt/setup.sh\n"
    }


def packed(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def zipped(text: str) -> str:
    return base64.b64encode(gzip.compress(text.encode(), mtime=0)).decode()


@_door("cloud-config write_files gz+b64", shows=False)
def _write_files_gz(steps: Steps) -> Files:
    return {
        "cloud-init.yaml": f"#cloud-config\nwrite_files:\n  - path: /opt/setup.sh\n    encoding: gz+b64\n    permissions: '0755'\n"
        f"    content: {zipped(script(steps))}\nruncmd:\n  - bash /opt/setup.sh\n"
    }


@_door("cloud-config of jinja", stops=False)
def _jinja(steps: Steps) -> Files:
    items = "".join(f"  - |\n{by(4, each)}\n" for each in steps)
    return {
        "cloud-config.yaml": "## template: jinja\n#cloud-config\nhostname: {{ v1.local_hostname }}\nruncmd:\n" + items
    }


@_door("autoinstall, user-data of the system", stops=False)
def _autoinstall(steps: Steps) -> Files:
    items = "".join(f"      - |\n{by(8, each)}\n" for each in steps)
    return {
        "user-data": "#cloud-config\nautoinstall:\n  version: 1\n  identity: {hostname: gpu-1, username: ops, password: '!'}\n"
        f"  user-data:\n    runcmd:\n{items}"
    }


# --- Terraform


@_door("terraform google metadata user-data", stops=False)
def _tf_google_userdata(steps: Steps) -> Files:
    items = "".join(f"  - |\n{by(4, each)}\n" for each in steps)
    return {
        "main.tf": 'resource "google_compute_instance" "gpu" {\n  name         = "gpu-1"\n  machine_type = "a3-highgpu-8g"\n'
        f'  metadata = {{\n    "user-data" = <<EOT\n#cloud-config\nruncmd:\n{of_hcl(items)}EOT\n  }}\n}}\n'
    }


_EXTENSION = (
    'resource "azurerm_virtual_machine_extension" "setup" {\n  name                 = "setup"\n'
    "  virtual_machine_id   = azurerm_linux_virtual_machine.gpu.id\n"
    '  publisher            = "Microsoft.Azure.Extensions"\n  type                 = "CustomScript"\n  type_handler_version = "2.1"\n'
)


@_door("terraform azurerm extension, script", shows=False)
def _tf_extension_script(steps: Steps) -> Files:
    return {"main.tf": f'{_EXTENSION}  settings = <<SETTINGS\n{{"script": "{packed(script(steps))}"}}\nSETTINGS\n}}\n'}


@_door("terraform azurerm extension, commandToExecute", stops=False)
def _tf_extension_command(steps: Steps) -> Files:
    if any("\n" in each for each in steps):
        return {}
    return {
        "main.tf": f"{_EXTENSION}  protected_settings = jsonencode({{\n    commandToExecute = {hcl_string(' && '.join(steps))}\n  }})\n}}\n"
    }


_OTHERS = {
    "hcloud": 'resource "hcloud_server" "gpu" {\n  name        = "gpu-1"\n  server_type = "cx51"\n  image       = "ubuntu-24.04"\n  user_data   = ',
    "equinix": 'resource "equinix_metal_device" "gpu" {\n  hostname         = "gpu-1"\n  plan             = "g2.large.x86"\n  operating_system = "ubuntu_22_04"\n  user_data        = ',
    "openstack": 'resource "openstack_compute_instance_v2" "gpu" {\n  name        = "gpu-1"\n  flavor_name = "g1.a100"\n  user_data   = ',
    "digitalocean": 'resource "digitalocean_droplet" "gpu" {\n  name      = "gpu-1"\n  size      = "gpu-h100x1-80gb"\n  image     = "ubuntu-24-04-x64"\n  user_data = ',
    "lambda-like scaleway": 'resource "scaleway_instance_server" "gpu" {\n  type  = "H100-1-80G"\n  image = "ubuntu_jammy"\n  cloud_init = ',
    "vultr": 'resource "vultr_instance" "gpu" {\n  plan   = "vcg-a100-1c-6g-4vram"\n  region = "ewr"\n  user_data = ',
    "nebius": 'resource "nebius_compute_v1_instance" "gpu" {\n  name      = "gpu-1"\n  resources = { platform = "gpu-h100-sxm", preset = "8gpu-128vcpu-1600gb" }\n  cloud_init_user_data = ',
    "libvirt": 'resource "libvirt_cloudinit_disk" "init" {\n  name      = "init.iso"\n  user_data = ',
    "proxmox": 'resource "proxmox_virtual_environment_file" "init" {\n  content_type = "snippets"\n  datastore_id = "local"\n  node_name    = "pve"\n  source_raw {\n    file_name = "init.yaml"\n    data      = ',
}


def _of_another_cloud(head: str) -> Callable[[Steps], Files]:
    def write(steps: Steps) -> Files:
        ends = "  }\n}\n" if "source_raw" in head else "}\n"
        return {"main.tf": f"{head}<<-EOT\n{by(4, of_hcl(script(steps)))}  EOT\n{ends}"}

    return write


for _name, _head in _OTHERS.items():
    DOORS.append(Door(f"terraform {_name}", _of_another_cloud(_head)))


# --- CloudFormation and programs


def _stack(user_data: str) -> str:
    return (
        "AWSTemplateFormatVersion: '2010-09-09'\nResources:\n  Node:\n    Type: AWS::EC2::Instance\n    Properties:\n"
        f"      ImageId: ami-0a1b2c3d4e5f60718\n      InstanceType: g5.xlarge\n      SubnetId: subnet-0a1b2c3d\n      UserData:\n{user_data}"
    )


@_door("cloudformation Fn::Base64 !Sub")
def _cfn_sub(steps: Steps) -> Files:
    return {"stack.yaml": _stack(f"        Fn::Base64: !Sub |\n{by(10, script(steps).replace('${', '${!'))}")}


@_door("cloudformation JSON Fn::Join")
def _cfn_json(steps: Steps) -> Files:
    lines: list[object] = [f"{each}\n" for each in ("#!/bin/bash -e", *steps)]
    properties = {
        "ImageId": "ami-0a1b2c3d4e5f60718",
        "InstanceType": "g5.xlarge",
        "UserData": {"Fn::Base64": {"Fn::Join": ["", lines]}},
    }
    whole = {
        "AWSTemplateFormatVersion": "2010-09-09",
        "Resources": {"Node": {"Type": "AWS::EC2::Instance", "Properties": properties}},
    }
    return {"stack.json": json.dumps(whole, indent=2)}


@_door("cloudformation Init commands")
def _cfn_init(steps: Steps) -> Files:
    commands = "".join(
        f"            {at:02}_step:\n              command: {quoted(each)}\n" for at, each in enumerate(steps)
    )
    return {
        "stack.yaml": "AWSTemplateFormatVersion: '2010-09-09'\nResources:\n  Node:\n    Type: AWS::EC2::Instance\n    Metadata:\n"
        f"      AWS::CloudFormation::Init:\n        config:\n          commands:\n{commands}    Properties:\n"
        "      ImageId: ami-0a1b2c3d4e5f60718\n      InstanceType: g5.xlarge\n      UserData:\n        Fn::Base64: !Sub |\n"
        "          #!/bin/bash -e\n          /opt/aws/bin/cfn-init -v --stack ${AWS::StackName} --resource Node --region ${AWS::Region}\n"
    }


@_door("CDK UserData.custom")
def _cdk_custom(steps: Steps) -> Files:
    text = script(steps).replace("\\", "\\\\").replace("`", "\\`").replace("${", "\\${")
    return {
        "lib/stack.ts": f"import * as ec2 from 'aws-cdk-lib/aws-ec2';\n\nexport const userData = ec2.UserData.custom(`{text}`);\n"
    }


@_door("Pulumi TypeScript userData")
def _pulumi_ts(steps: Steps) -> Files:
    text = script(steps).replace("\\", "\\\\").replace("`", "\\`").replace("${", "\\${")
    return {
        "index.ts": f'import * as aws from "@pulumi/aws";\n\nconst userData = `{text}`;\n\nnew aws.ec2.Instance("gpu", {{\n'
        '  ami: "ami-0a1b2c3d4e5f60718",\n  instanceType: "g5.xlarge",\n  userData: userData,\n});\n'
    }


@_door("Pulumi Python user_data")
def _pulumi_py(steps: Steps) -> Files:
    text = script(steps).replace("\\", "\\\\")
    return {
        "__main__.py": f'import pulumi_aws as aws\n\nUSER_DATA = """{text}"""\n\naws.ec2.Instance(\n    "gpu",\n'
        '    ami="ami-0a1b2c3d4e5f60718",\n    instance_type="g5.xlarge",\n    user_data=USER_DATA,\n)\n'
    }


@_door("Pulumi remote.Command")
def _pulumi_command(steps: Steps) -> Files:
    text = script(steps, "set -e\n").replace("\\", "\\\\").replace("`", "\\`").replace("${", "\\${")
    return {
        "index.ts": 'import * as command from "@pulumi/command";\n\nnew command.remote.Command("setup", {\n'
        f'  connection: {{ host: "10.20.0.31", user: "root" }},\n  create: `{text}`,\n}});\n'
    }


@_door("boto3 run_instances")
def _boto3(steps: Steps) -> Files:
    text = script(steps).replace("\\", "\\\\")
    return {
        "launch.py": f'import boto3\n\nUSER_DATA = """{text}"""\n\nboto3.client("ec2").run_instances(\n    ImageId="ami-0a1b2c3d4e5f60718",\n'
        '    InstanceType="g5.xlarge",\n    MinCount=1,\n    MaxCount=1,\n    UserData=USER_DATA,\n)\n'
    }


# --- tools that make clusters


@_door("Rancher machine config userdata", stops=False)
def _rancher(steps: Steps) -> Files:
    items = "".join(f"  - |\n{by(4, each)}\n" for each in steps)
    return {
        "pool.yaml": "apiVersion: rke-machine-config.cattle.io/v1\nkind: VmwarevsphereConfig\nmetadata: {name: gpu, namespace: fleet-default}\n"
        f"cloudConfig: |\n{by(2, '#cloud-config' + chr(10) + 'runcmd:' + chr(10) + items)}"
    }


@_door("Ignition unit and file", shows=False)
def _ignition(steps: Steps) -> Files:
    unit = "[Service]\nType=oneshot\nExecStart=/opt/setup.sh\n[Install]\nWantedBy=multi-user.target\n"
    whole = {
        "ignition": {"version": "3.4.0"},
        "storage": {
            "files": [
                {"path": "/opt/setup.sh", "mode": 493, "contents": {"source": f"data:;base64,{packed(script(steps))}"}}
            ]
        },
        "systemd": {"units": [{"name": "setup.service", "enabled": True, "contents": unit}]},
    }
    return {"node.ign": json.dumps(whole, indent=2)}


# --- Ansible


def _play(tasks: str) -> str:
    return f"- name: GPU workers\n  hosts: gpu\n  become: true\n  tasks:\n{by(4, tasks)}"


@_door("Ansible shell, each", shows=False)
def _ansible_each(steps: Steps) -> Files:
    tasks = "".join(f"- name: Step {at}\n  shell: |\n{by(4, each)}\n" for at, each in enumerate(steps))
    return {"site.yml": _play(tasks)}


@_door("Ansible shell, full name and cmd", shows=False)
def _ansible_cmd(steps: Steps) -> Files:
    tasks = "".join(
        f"- name: Step {at}\n  ansible.builtin.shell:\n    cmd: |\n{by(6, each)}\n    executable: /bin/bash\n  changed_when: true\n"
        for at, each in enumerate(steps)
    )
    return {"site.yml": _play(tasks)}


@_door("Ansible role", shows=False)
def _ansible_role(steps: Steps) -> Files:
    tasks = "".join(f"- name: Step {at}\n  shell: |\n{by(4, each)}\n" for at, each in enumerate(steps))
    return {
        "site.yml": "- hosts: gpu\n  become: true\n  roles:\n    - gpu-node\n",
        "roles/gpu-node/tasks/main.yml": tasks,
    }


@_door("Ansible role, files included", shows=False)
def _ansible_included(steps: Steps) -> Files:
    tasks = "".join(f"- name: Step {at}\n  ansible.builtin.shell: |\n{by(4, each)}\n" for at, each in enumerate(steps))
    return {
        "roles/gpu-node/tasks/main.yml": "- name: Install\n  ansible.builtin.include_tasks: install.yml\n",
        "roles/gpu-node/tasks/install.yml": tasks,
    }


@_door("Ansible block in a play", shows=False)
def _ansible_block(steps: Steps) -> Files:
    tasks = "".join(f"- name: Step {at}\n  shell: |\n{by(4, each)}\n" for at, each in enumerate(steps))
    return {"site.yml": _play(f"- name: Node\n  when: ansible_os_family == 'Debian'\n  block:\n{by(4, tasks)}")}


@_door("Ansible raw", shows=False)
def _ansible_raw(steps: Steps) -> Files:
    tasks = "".join(f"- name: Step {at}\n  raw: |\n{by(4, each)}\n" for at, each in enumerate(steps))
    return {"site.yml": _play(tasks)}


# --- images and virtual machines


@_door("Dockerfile RUN")
def _dockerfile(steps: Steps) -> Files:
    flat = list(steps)
    return {
        "Dockerfile": "# syntax=docker/dockerfile:1\nFROM ubuntu:24.04\n"
        + "".join(f"RUN {each}\n" if "\n" not in each else f"RUN <<STEP\n{each}\nSTEP\n" for each in flat)
    }


# --- what runs commands


@_door("Makefile recipe")
def _makefile(steps: Steps) -> Files:
    if any("\n" in each for each in steps):
        return {}
    lines = "".join(f"\t{each.replace('$', '$$')}\n" for each in steps)
    return {"Makefile": f".PHONY: node\nnode: ## makes this machine a GPU node\n{lines}"}


@_door("Taskfile")
def _taskfile(steps: Steps) -> Files:
    items = "".join(f"      - |\n{by(8, each)}\n" for each in steps)
    return {
        "Taskfile.yml": f"version: '3'\ntasks:\n  node:\n    desc: makes this machine a GPU node\n    cmds:\n{items}"
    }


# --- pods that reach their node


# --- other clouds' and clusters' own


@_door("Salt state cmd.run")
def _salt(steps: Steps) -> Files:
    states = "".join(f"step-{at}:\n  cmd.run:\n    - name: |\n{by(8, each)}\n" for at, each in enumerate(steps))
    return {"salt/gpu/init.sls": states}


@_door("Puppet exec")
def _puppet(steps: Steps) -> Files:
    lines = "".join(
        f"exec {{ 'step-{at}':\n  command => {quoted(each)},\n  path    => '/usr/bin:/bin',\n}}\n"
        for at, each in enumerate(steps)
    )
    return {"manifests/init.pp": lines}


# --- doors that are texts


_FORMS: Mapping[str, Callable[[str], str]] = {
    "<step>": str,
    "<step quoted>": quoted,
    "<step in single quotes>": in_single,
    "<step in shell>": in_shell,
    "<step in HCL>": of_hcl,
    "<step quoted in HCL>": hcl_string,
}
_OTHERWISE = {"goes on": {"stops": False}, "hides its lines": {"shows": False}, "joins": {"joins": True}}


def _by_text(files: Files, steps: Steps) -> Files:
    return {path: "".join(f"{line}\n" for line in _lines(text, steps)) for path, text in files.items()}


def _lines(text: str, steps: Steps) -> Iterator[str]:
    for line in text.splitlines():
        mark = next((mark for mark in _FORMS if mark in line), None)
        if mark is None:
            yield line
            continue
        for written in map(_FORMS[mark], steps):
            blanks = len(line) - len(line.lstrip())
            yield by(blanks, written) if line.strip() == mark else line.replace(mark, written)


for _name, _files in doors_in(Path(__file__).with_name("scripts")).items():
    _called, _, _words = _name.partition(" | ")
    _more = {name: value for word in filter(None, _words.split(", ")) for name, value in _OTHERWISE[word].items()}
    DOORS.append(Door(_called, partial(_by_text, _files), **_more))
