"""The doors by which people bring what a node runs: each writes the same steps as files of that kind are written.

A door takes steps of shell, of which one may have several lines, and gives files by their paths.
"""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from textwrap import indent
from typing import Any

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


@_door("script")
def _script(steps: Steps) -> Files:
    return {"user-data.sh": script(steps)}


@_door("script called setup.sh with functions")
def _functions(steps: Steps) -> Files:
    body = (
        by(2, "".join(f"{each}\n" for each in steps)) if not any("\n" in each for each in steps) else script(steps, "")
    )
    return {"scripts/setup-node.sh": f'#!/usr/bin/env bash\nset -euo pipefail\n\nmain() {{\n{body}}}\n\nmain "$@"\n'}


@_door("script that logs by exec")
def _logged(steps: Steps) -> Files:
    head = "#!/bin/bash -xe\nexec > >(tee /var/log/user-data.log | logger -t user-data -s 2>/dev/console) 2>&1\n"
    return {"userdata.sh": script(steps, head)}


@_door("script in a heredoc of sudo")
def _sudo(steps: Steps) -> Files:
    return {"install.sh": script(["sudo bash -e <<'ALL'", *steps, "ALL"])}


@_door("script over ssh, heredoc")
def _ssh(steps: Steps) -> Files:
    return {
        "deploy.sh": script(
            ["for host in gpu-1 gpu-2; do", "ssh root@\"$host\" 'bash -se' <<'REMOTE'", *steps, "REMOTE", "done"]
        )
    }


@_door("script over ssh, file")
def _ssh_file(steps: Steps) -> Files:
    return {"deploy.sh": script(["ssh root@10.20.0.31 'bash -s' < node.sh"]), "node.sh": script(steps)}


@_door("script copied by scp and run")
def _scp(steps: Steps) -> Files:
    return {
        "deploy.sh": script(["scp node.sh root@10.20.0.31:/tmp/", "ssh root@10.20.0.31 bash /tmp/node.sh"]),
        "node.sh": script(steps),
    }


@_door("script, ssh each", stops=False)
def _ssh_each(steps: Steps) -> Files:
    return {"deploy.sh": script([f"ssh root@10.20.0.31 {in_shell(each)}" for each in steps])}


def in_shell(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


@_door("script, pdsh each", stops=False)
def _pdsh(steps: Steps) -> Files:
    return {"deploy.sh": script([f"pdsh -w gpu-[01-08] {in_shell(each)}" for each in steps])}


@_door("script, clush each", stops=False)
def _clush(steps: Steps) -> Files:
    return {"deploy.sh": script([f"clush -w gpu-[01-08] {in_shell(each)}" for each in steps])}


@_door("script, aws ec2 run-instances heredoc")
def _run_instances(steps: Steps) -> Files:
    return {
        "launch.sh": script(
            [
                "cat > worker.sh <<'WORKER'",
                script(steps).rstrip("\n"),
                "WORKER",
                "aws ec2 run-instances --image-id ami-0a1b2c3d4e5f60718 --instance-type p5.48xlarge --user-data file://worker.sh",
            ]
        )
    }


@_door("script, gcloud metadata-from-file")
def _gcloud(steps: Steps) -> Files:
    return {
        "launch.sh": script(
            ["gcloud compute instances create gpu-1 --zone us-central1-a --metadata-from-file startup-script=node.sh"]
        ),
        "node.sh": script(steps),
    }


@_door("script, az vmss custom-data")
def _az(steps: Steps) -> Files:
    return {
        "launch.sh": script(["az vm create -g gpu -n gpu-1 --size Standard_ND96isr_H100_v5 --custom-data node.sh"]),
        "node.sh": script(steps),
    }


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


@_door("cloud-config runcmd, one text")
def _runcmd_text(steps: Steps) -> Files:
    return {"cloud-init.yaml": f"#cloud-config\nruncmd:\n  - |\n{by(4, script(steps, 'set -e' + chr(10)))}"}


@_door("cloud-config runcmd, bash -c list", shows=False)
def _runcmd_list(steps: Steps) -> Files:
    return {"cloud-init.yaml": f"#cloud-config\nruncmd:\n  - [bash, -c, {quoted(script(steps, 'set -e' + chr(10)))}]\n"}


@_door("cloud-config bootcmd", stops=False)
def _bootcmd(steps: Steps) -> Files:
    items = "".join(f"  - |\n{by(4, each)}\n" for each in steps)
    return {"user-data": f"#cloud-config\nbootcmd:\n{items}"}


@_door("cloud-config write_files and runcmd")
def _write_files(steps: Steps) -> Files:
    return {
        "cloud-init.yaml": f"#cloud-config\nwrite_files:\n  - path: /opt/setup.sh\n    owner: root:root\n    permissions: '0755'\n"
        f"    content: |\n{by(6, script(steps))}runcmd:\n  - [/opt/setup.sh]\n"
    }


@_door("cloud-config write_files deferred, bash by runcmd")
def _write_files_bash(steps: Steps) -> Files:
    return {
        "cloud-init.yml": f"#cloud-config\nwrite_files:\n- content: |\n{by(4, script(steps))}  path: /root/bootstrap.sh\n  defer: true\n"
        "runcmd:\n- chmod +x /root/bootstrap.sh\n- bash /root/bootstrap.sh\n"
    }


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


@_door("cloud-config write_files, per-boot")
def _per_instance(steps: Steps) -> Files:
    return {
        "cloud-init.yaml": f"#cloud-config\nwrite_files:\n  - path: /var/lib/cloud/scripts/per-instance/10-node.sh\n    permissions: '0755'\n"
        f"    content: |\n{by(6, script(steps))}"
    }


@_door("cloud-config write_files, a unit that runs it")
def _unit_of_cloud_config(steps: Steps) -> Files:
    return {
        "cloud-init.yaml": f"#cloud-config\nwrite_files:\n  - path: /opt/setup.sh\n    permissions: '0755'\n    content: |\n"
        f"{by(6, script(steps))}  - path: /etc/systemd/system/setup.service\n    content: |\n"
        "      [Unit]\n      After=network-online.target\n      [Service]\n      Type=oneshot\n      ExecStart=/opt/setup.sh\n"
        "      [Install]\n      WantedBy=multi-user.target\n"
        "runcmd:\n  - systemctl daemon-reload\n  - systemctl enable --now setup.service\n"
    }


@_door("cloud-config of jinja", stops=False)
def _jinja(steps: Steps) -> Files:
    items = "".join(f"  - |\n{by(4, each)}\n" for each in steps)
    return {
        "cloud-config.yaml": "## template: jinja\n#cloud-config\nhostname: {{ v1.local_hostname }}\nruncmd:\n" + items
    }


@_door("MIME multipart")
def _multipart(steps: Steps) -> Files:
    return {
        "user-data.txt": 'MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="//"\n\n--//\n'
        'Content-Type: text/cloud-config; charset="us-ascii"\n\n#cloud-config\ntimezone: UTC\n\n--//\n'
        f'Content-Type: text/x-shellscript; charset="us-ascii"\n\n{script(steps)}\n--//--\n'
    }


@_door("autoinstall, user-data of the system", stops=False)
def _autoinstall(steps: Steps) -> Files:
    items = "".join(f"      - |\n{by(8, each)}\n" for each in steps)
    return {
        "user-data": "#cloud-config\nautoinstall:\n  version: 1\n  identity: {hostname: gpu-1, username: ops, password: '!'}\n"
        f"  user-data:\n    runcmd:\n{items}"
    }


# --- Terraform

_MACHINE = 'resource "aws_instance" "gpu" {\n  ami           = "ami-0a1b2c3d4e5f60718"\n  instance_type = "g5.xlarge"\n  subnet_id     = "subnet-0a1b2c3d"\n'


def _of_terraform(given: str, **beside: str) -> Files:
    return {"main.tf": f"{_MACHINE}{given}}}\n", **beside}


@_door("terraform user_data heredoc")
def _tf_heredoc(steps: Steps) -> Files:
    return _of_terraform(f"  user_data = <<EOT\n{of_hcl(script(steps))}EOT\n")


@_door("terraform user_data heredoc, indented")
def _tf_dented(steps: Steps) -> Files:
    return _of_terraform(f"  user_data = <<-EOT\n{by(4, of_hcl(script(steps)))}  EOT\n")


@_door("terraform user_data in base64encode")
def _tf_encoded(steps: Steps) -> Files:
    return {
        "main.tf": 'resource "aws_launch_template" "gpu" {\n  image_id      = "ami-0a1b2c3d4e5f60718"\n  instance_type = "g5.xlarge"\n'
        f"  user_data = base64encode(<<-EOT\n{by(4, of_hcl(script(steps)))}  EOT\n  )\n}}\n"
    }


@_door("terraform templatefile")
def _tf_templatefile(steps: Steps) -> Files:
    return {
        "infra/main.tf": f'{_MACHINE}  user_data = base64encode(templatefile("${{path.module}}/templates/node.sh.tpl", {{ name = "gpu-1" }}))\n}}\n',
        "infra/templates/node.sh.tpl": of_hcl(script(["hostnamectl set-hostname NAME", *steps])).replace(
            "NAME", "${name}"
        ),
    }


@_door("terraform file()")
def _tf_file(steps: Steps) -> Files:
    return {
        "infra/main.tf": f'{_MACHINE}  user_data = file("${{path.module}}/node.sh")\n}}\n',
        "infra/node.sh": script(steps),
    }


@_door("terraform join of a list")
def _tf_join(steps: Steps) -> Files:
    lines = ",\n    ".join(hcl_string(each) for each in ("#!/bin/bash", "set -e", *steps))
    return _of_terraform(f'  user_data = join("\\n", [\n    {lines},\n  ])\n')


@_door("terraform local")
def _tf_local(steps: Steps) -> Files:
    return {
        "main.tf": f"{_MACHINE}  user_data = local.boot\n}}\n\nlocals {{\n  boot = <<-EOT\n{by(4, of_hcl(script(steps)))}  EOT\n}}\n"
    }


@_door("terraform cloudinit_config")
def _tf_cloudinit(steps: Steps) -> Files:
    return {
        "main.tf": f"{_MACHINE}  user_data_base64 = data.cloudinit_config.node.rendered\n}}\n\n"
        'data "cloudinit_config" "node" {\n  gzip          = true\n  base64_encode = true\n  part {\n    content_type = "text/x-shellscript"\n'
        f"    content = <<-EOT\n{by(6, of_hcl(script(steps)))}    EOT\n  }}\n}}\n"
    }


@_door("terraform cloud-config by yamlencode", stops=False)
def _tf_yamlencode(steps: Steps) -> Files:
    lines = ",\n      ".join(hcl_string(each) for each in steps)
    return _of_terraform(
        f'  user_data = join("\\n", ["#cloud-config", yamlencode({{\n    runcmd = [\n      {lines},\n    ]\n  }})])\n'
    )


@_door("terraform google metadata_startup_script")
def _tf_google(steps: Steps) -> Files:
    return {
        "main.tf": 'resource "google_compute_instance" "gpu" {\n  name         = "gpu-1"\n  machine_type = "a3-highgpu-8g"\n  zone         = "us-central1-a"\n'
        f"  metadata_startup_script = <<-EOT\n{by(4, of_hcl(script(steps)))}  EOT\n}}\n"
    }


@_door("terraform google metadata startup-script")
def _tf_google_metadata(steps: Steps) -> Files:
    return {
        "main.tf": 'resource "google_compute_instance_template" "gpu" {\n  name_prefix  = "gpu-"\n  machine_type = "a3-highgpu-8g"\n'
        f'  metadata = {{\n    enable-oslogin = "TRUE"\n    startup-script = <<-EOT\n{by(6, of_hcl(script(steps)))}    EOT\n  }}\n}}\n'
    }


@_door("terraform google metadata user-data", stops=False)
def _tf_google_userdata(steps: Steps) -> Files:
    items = "".join(f"  - |\n{by(4, each)}\n" for each in steps)
    return {
        "main.tf": 'resource "google_compute_instance" "gpu" {\n  name         = "gpu-1"\n  machine_type = "a3-highgpu-8g"\n'
        f'  metadata = {{\n    "user-data" = <<EOT\n#cloud-config\nruncmd:\n{of_hcl(items)}EOT\n  }}\n}}\n'
    }


@_door("terraform azurerm custom_data")
def _tf_azure(steps: Steps) -> Files:
    return {
        "main.tf": 'resource "azurerm_linux_virtual_machine" "gpu" {\n  name = "gpu-1"\n  size = "Standard_ND96isr_H100_v5"\n'
        f"  custom_data = base64encode(<<-EOT\n{by(4, of_hcl(script(steps)))}  EOT\n  )\n}}\n"
    }


_EXTENSION = (
    'resource "azurerm_virtual_machine_extension" "setup" {\n  name                 = "setup"\n'
    "  virtual_machine_id   = azurerm_linux_virtual_machine.gpu.id\n"
    '  publisher            = "Microsoft.Azure.Extensions"\n  type                 = "CustomScript"\n  type_handler_version = "2.1"\n'
)


@_door("terraform azurerm extension, script", shows=False)
def _tf_extension_script(steps: Steps) -> Files:
    return {"main.tf": f'{_EXTENSION}  settings = <<SETTINGS\n{{"script": "{packed(script(steps))}"}}\nSETTINGS\n}}\n'}


@_door("terraform azurerm extension, script by base64encode")
def _tf_extension_encoded(steps: Steps) -> Files:
    return {
        "main.tf": f'{_EXTENSION}  protected_settings = jsonencode({{\n    script = base64encode(file("${{path.module}}/setup.sh"))\n  }})\n}}\n',
        "setup.sh": script(steps),
    }


@_door("terraform azurerm extension, commandToExecute", stops=False)
def _tf_extension_command(steps: Steps) -> Files:
    if any("\n" in each for each in steps):
        return {}
    return {
        "main.tf": f"{_EXTENSION}  protected_settings = jsonencode({{\n    commandToExecute = {hcl_string(' && '.join(steps))}\n  }})\n}}\n"
    }


@_door("terraform remote-exec inline", stops=False)
def _tf_inline(steps: Steps) -> Files:
    lines = ",\n      ".join(hcl_string(each) for each in steps)
    return _of_terraform(
        f'  connection {{\n    host = self.public_ip\n    user = "root"\n  }}\n  provisioner "remote-exec" {{\n    inline = [\n      {lines},\n    ]\n  }}\n'
    )


@_door("terraform remote-exec script")
def _tf_script(steps: Steps) -> Files:
    return {
        "main.tf": 'resource "null_resource" "node" {\n  provisioner "remote-exec" {\n    script = "${path.module}/scripts/node.sh"\n  }\n}\n',
        "scripts/node.sh": script(steps),
    }


@_door("terraform file content and remote-exec")
def _tf_file_content(steps: Steps) -> Files:
    return _of_terraform(
        f'  provisioner "file" {{\n    content     = <<-EOT\n{by(6, of_hcl(script(steps)))}    EOT\n    destination = "/tmp/node.sh"\n  }}\n'
        '  provisioner "remote-exec" {\n    inline = ["chmod +x /tmp/node.sh", "sudo /tmp/node.sh"]\n  }\n'
    )


@_door("terraform local_file")
def _tf_local_file(steps: Steps) -> Files:
    return {
        "main.tf": f'resource "local_file" "node" {{\n  filename = "${{path.module}}/node.sh"\n  content  = <<-EOT\n{by(4, of_hcl(script(steps)))}  EOT\n}}\n'
    }


@_door("terraform local-exec ssh")
def _tf_local_exec(steps: Steps) -> Files:
    return {
        "main.tf": 'resource "null_resource" "node" {\n  provisioner "local-exec" {\n    command = <<-EOT\n      ssh root@10.20.0.31 \'bash -se\' <<\'NODE\'\n'
        f"{by(6, of_hcl(script(steps, '')))}      NODE\n    EOT\n  }}\n}}\n"
    }


@_door("terraform terraform_data inline")
def _tf_terraform_data(steps: Steps) -> Files:
    lines = ",\n      ".join(hcl_string(each) for each in ("set -e", *steps))
    return {
        "main.tf": f'resource "terraform_data" "node" {{\n  provisioner "remote-exec" {{\n    inline = [\n      {lines},\n    ]\n  }}\n}}\n'
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


@_door("terraform oci metadata user_data")
def _tf_oci(steps: Steps) -> Files:
    return {
        "main.tf": 'resource "oci_core_instance" "gpu" {\n  shape = "BM.GPU.H100.8"\n  metadata = {\n    ssh_authorized_keys = var.key\n'
        '    user_data           = base64encode(file("${path.module}/node.sh"))\n  }\n}\n\nvariable "key" {}\n',
        "node.sh": script(steps),
    }


@_door("terraform vsphere extra_config")
def _tf_vsphere(steps: Steps) -> Files:
    return {
        "main.tf": 'resource "vsphere_virtual_machine" "gpu" {\n  name = "gpu-1"\n  extra_config = {\n    "guestinfo.userdata.encoding" = "base64"\n'
        f'    "guestinfo.userdata" = base64encode(<<-EOT\n{by(6, of_hcl(script(steps)))}    EOT\n    )\n  }}\n}}\n'
    }


@_door("terraform eks module cloudinit_pre_nodeadm")
def _tf_eks_nodeadm(steps: Steps) -> Files:
    return {
        "main.tf": 'module "eks" {\n  source             = "terraform-aws-modules/eks/aws"\n  version            = "~> 21.0"\n  name = "gpu-dev"\n  kubernetes_version = "1.33"\n'
        '  eks_managed_node_groups = {\n    gpu = {\n      ami_type       = "AL2023_x86_64_STANDARD"\n      instance_types = ["g5.xlarge"]\n'
        '      cloudinit_pre_nodeadm = [{\n        content_type = "text/x-shellscript; charset=\\"us-ascii\\""\n'
        f"        content      = <<-EOT\n{by(10, of_hcl(script(steps)))}        EOT\n      }}]\n    }}\n  }}\n}}\n"
    }


@_door("terraform eks module pre_bootstrap_user_data", joins=True)
def _tf_eks_pre(steps: Steps) -> Files:
    return {
        "main.tf": 'module "eks" {\n  source          = "terraform-aws-modules/eks/aws"\n  version         = "~> 20.0"\n  cluster_name = "gpu-dev"\n  cluster_version = "1.31"\n'
        '  eks_managed_node_groups = {\n    gpu = {\n      ami_id = "ami-0a1b2c3d4e5f60718"\n      enable_bootstrap_user_data = true\n      instance_types = ["g5.xlarge"]\n'
        f"      pre_bootstrap_user_data = <<-EOT\n{by(8, of_hcl(script(steps, 'set -e' + chr(10))))}      EOT\n    }}\n  }}\n}}\n"
    }


# --- CloudFormation and programs


def _stack(user_data: str) -> str:
    return (
        "AWSTemplateFormatVersion: '2010-09-09'\nResources:\n  Node:\n    Type: AWS::EC2::Instance\n    Properties:\n"
        f"      ImageId: ami-0a1b2c3d4e5f60718\n      InstanceType: g5.xlarge\n      SubnetId: subnet-0a1b2c3d\n      UserData:\n{user_data}"
    )


@_door("cloudformation Fn::Base64 !Sub")
def _cfn_sub(steps: Steps) -> Files:
    return {"stack.yaml": _stack(f"        Fn::Base64: !Sub |\n{by(10, script(steps).replace('${', '${!'))}")}


@_door("cloudformation Fn::Base64 plain")
def _cfn_plain(steps: Steps) -> Files:
    return {"stack.yaml": _stack(f"        Fn::Base64: |\n{by(10, script(steps))}")}


@_door("cloudformation Fn::Join")
def _cfn_join(steps: Steps) -> Files:
    lines = "".join(f"              - {quoted(each)}\n" for each in ("#!/bin/bash -e", *steps))
    return {
        "stack.yaml": _stack(f'        Fn::Base64:\n          Fn::Join:\n            - "\\n"\n            -\n{lines}')
    }


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


@_door("cloudformation Init files")
def _cfn_init_files(steps: Steps) -> Files:
    return {
        "stack.yaml": "AWSTemplateFormatVersion: '2010-09-09'\nResources:\n  Node:\n    Type: AWS::EC2::Instance\n    Metadata:\n"
        f"      AWS::CloudFormation::Init:\n        config:\n          files:\n            /opt/node.sh:\n              mode: '000755'\n              content: |\n{by(16, script(steps))}"
        "          commands:\n            01_node:\n              command: /opt/node.sh\n    Properties:\n"
        "      ImageId: ami-0a1b2c3d4e5f60718\n      InstanceType: g5.xlarge\n      UserData:\n        Fn::Base64: !Sub |\n"
        "          #!/bin/bash -e\n          /opt/aws/bin/cfn-init -v --stack ${AWS::StackName} --resource Node --region ${AWS::Region}\n"
    }


@_door("SSM document")
def _ssm(steps: Steps) -> Files:
    lines = "".join(f"        - {quoted(each)}\n" for each in ("set -e", *steps))
    return {
        "setup-node.yaml": "schemaVersion: '2.2'\ndescription: Makes a GPU node\nmainSteps:\n  - action: aws:runShellScript\n    name: setup\n    inputs:\n"
        f"      runCommand:\n{lines}"
    }


@_door("SSM document in CloudFormation")
def _ssm_cfn(steps: Steps) -> Files:
    return {
        "stack.yaml": "AWSTemplateFormatVersion: '2010-09-09'\nResources:\n  Setup:\n    Type: AWS::SSM::Document\n    Properties:\n      DocumentType: Command\n      Content:\n"
        "        schemaVersion: '2.2'\n        description: Makes a node\n        mainSteps:\n          - action: aws:runShellScript\n            name: setup\n            inputs:\n"
        f"              runCommand:\n                - |\n{by(18, script(steps))}"
    }


@_door("ImageBuilder component")
def _image_builder(steps: Steps) -> Files:
    lines = "".join(f"              - {quoted(each)}\n" for each in ("set -e", *steps))
    return {
        "component.yaml": "name: gpu-node\ndescription: A GPU node\nschemaVersion: 1.0\nphases:\n  - name: build\n    steps:\n      - name: Setup\n        action: ExecuteBash\n"
        f"        inputs:\n          commands:\n{lines}"
    }


@_door("CDK TypeScript addCommands")
def _cdk_ts(steps: Steps) -> Files:
    lines = ",\n  ".join(quoted(each) for each in ("set -e", *steps))
    return {
        "lib/stack.ts": "import * as ec2 from 'aws-cdk-lib/aws-ec2';\n\nconst userData = ec2.UserData.forLinux();\n"
        f"userData.addCommands(\n  {lines},\n);\n"
    }


@_door("CDK Python add_commands")
def _cdk_py(steps: Steps) -> Files:
    lines = ",\n    ".join(quoted(each) for each in ("set -e", *steps))
    return {
        "stack.py": "from aws_cdk import aws_ec2 as ec2\n\nuser_data = ec2.UserData.for_linux()\n"
        f"user_data.add_commands(\n    {lines},\n)\n"
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


@_door("Pulumi YAML userData", shows=False)
def _pulumi_yaml(steps: Steps) -> Files:
    return {
        "Pulumi.yaml": "name: gpu\nruntime: yaml\nresources:\n  gpu:\n    type: aws:ec2:Instance\n    properties:\n      ami: ami-0a1b2c3d4e5f60718\n"
        f"      instanceType: g5.xlarge\n      userData: |\n{by(8, script(steps).replace('${', '$${'))}"
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


@_door("eksctl preBootstrapCommands", stops=False)
def _eksctl(steps: Steps) -> Files:
    lines = "".join(f"      - {quoted(each)}\n" for each in steps)
    return {
        "cluster.yaml": "apiVersion: eksctl.io/v1alpha5\nkind: ClusterConfig\nmetadata: {name: gpu-dev, region: us-east-2, version: '1.33'}\nmanagedNodeGroups:\n"
        f"  - name: gpu\n    instanceType: g5.xlarge\n    amiFamily: Ubuntu2204\n    preBootstrapCommands:\n{lines}"
    }


@_door("eksctl overrideBootstrapCommand")
def _eksctl_override(steps: Steps) -> Files:
    return {
        "cluster.yaml": "apiVersion: eksctl.io/v1alpha5\nkind: ClusterConfig\nmetadata: {name: gpu-dev, region: us-east-2, version: '1.33'}\nmanagedNodeGroups:\n"
        f"  - name: gpu\n    instanceType: g5.xlarge\n    ami: ami-0a1b2c3d4e5f60718\n    amiFamily: Ubuntu2204\n    overrideBootstrapCommand: |\n{by(6, script(steps))}"
    }


@_door("Karpenter EC2NodeClass userData")
def _karpenter(steps: Steps) -> Files:
    return {
        "nodeclass.yaml": "apiVersion: karpenter.k8s.aws/v1\nkind: EC2NodeClass\nmetadata: {name: gpu}\nspec:\n  amiFamily: Custom\n"
        "  amiSelectorTerms: [{id: ami-0a1b2c3d4e5f60718}]\n  role: gpu\n  subnetSelectorTerms: [{tags: {k: v}}]\n  securityGroupSelectorTerms: [{tags: {k: v}}]\n"
        f"  userData: |\n{by(4, script(steps))}"
    }


_OF_CLUSTER_API = (
    "apiVersion: bootstrap.cluster.x-k8s.io/v1beta1\nkind: KubeadmConfigTemplate\nmetadata: {name: gpu}\nspec:\n  template:\n    spec:\n"
    "      joinConfiguration:\n        nodeRegistration: {name: '{{ ds.meta_data.local_hostname }}'}\n"
)


@_door("Cluster API preKubeadmCommands", stops=False)
def _cluster_api(steps: Steps) -> Files:
    lines = "".join(f"        - {quoted(each)}\n" for each in steps)
    return {"workers.yaml": f"{_OF_CLUSTER_API}      preKubeadmCommands:\n{lines}"}


@_door("Cluster API files")
def _cluster_api_files(steps: Steps) -> Files:
    return {
        "workers.yaml": f"{_OF_CLUSTER_API}      files:\n        - path: /opt/pre.sh\n          permissions: '0755'\n          content: |\n{by(12, script(steps))}"
        "      preKubeadmCommands:\n        - bash /opt/pre.sh\n"
    }


@_door("kOps additionalUserData")
def _kops(steps: Steps) -> Files:
    return {
        "nodes.yaml": "apiVersion: kops.k8s.io/v1alpha2\nkind: InstanceGroup\nmetadata: {name: gpu}\nspec:\n  role: Node\n  machineType: g5.xlarge\n  image: ubuntu-22.04\n"
        f"  additionalUserData:\n    - name: setup.sh\n      type: text/x-shellscript\n      content: |\n{by(8, script(steps))}"
    }


@_door("kOps hooks")
def _kops_hooks(steps: Steps) -> Files:
    return {
        "nodes.yaml": "apiVersion: kops.k8s.io/v1alpha2\nkind: InstanceGroup\nmetadata: {name: gpu}\nspec:\n  role: Node\n  machineType: g5.xlarge\n  image: ubuntu-22.04\n"
        "  fileAssets:\n    - name: setup\n      path: /opt/setup.sh\n      mode: '0755'\n"
        f"      content: |\n{by(8, script(steps))}"
        "  hooks:\n    - name: setup.service\n      before: [kubelet.service]\n      manifest: |\n        Type=oneshot\n        ExecStart=/opt/setup.sh\n"
    }


@_door("k0sctl hooks", stops=True)
def _k0sctl(steps: Steps) -> Files:
    lines = "".join(f"            - {quoted(each)}\n" for each in steps)
    return {
        "k0sctl.yaml": "apiVersion: k0sctl.k0sproject.io/v1beta1\nkind: Cluster\nmetadata: {name: gpu}\nspec:\n  hosts:\n    - role: worker\n      ssh: {address: 10.20.0.31, user: root}\n"
        f"      hooks:\n        apply:\n          before:\n{lines}"
    }


@_door("Rancher machine config userdata", stops=False)
def _rancher(steps: Steps) -> Files:
    items = "".join(f"  - |\n{by(4, each)}\n" for each in steps)
    return {
        "pool.yaml": "apiVersion: rke-machine-config.cattle.io/v1\nkind: VmwarevsphereConfig\nmetadata: {name: gpu, namespace: fleet-default}\n"
        f"cloudConfig: |\n{by(2, '#cloud-config' + chr(10) + 'runcmd:' + chr(10) + items)}"
    }


@_door("Lima provision")
def _lima(steps: Steps) -> Files:
    return {
        "node.yaml": "images:\n- location: https://cloud-images.ubuntu.com/releases/24.04/release/ubuntu-24.04-server-cloudimg-amd64.img\nprovision:\n"
        f"- mode: system\n  script: |\n{by(4, script(steps))}"
    }


@_door("Butane unit and file")
def _butane(steps: Steps) -> Files:
    return {
        "node-butane.yaml": f"variant: fcos\nversion: 1.5.0\nstorage:\n  files:\n    - path: /opt/setup.sh\n      mode: 0755\n      contents:\n        inline: |\n{by(10, script(steps))}"
        "systemd:\n  units:\n    - name: setup.service\n      enabled: true\n      contents: |\n        [Service]\n        Type=oneshot\n        ExecStart=/opt/setup.sh\n        [Install]\n        WantedBy=multi-user.target\n"
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


@_door("systemd unit beside its script")
def _unit_beside(steps: Steps) -> Files:
    return {
        "files/setup.service": "[Unit]\nAfter=network-online.target\n[Service]\nType=oneshot\nExecStart=/opt/setup.sh\n[Install]\nWantedBy=multi-user.target\n",
        "files/setup.sh": script(steps),
    }


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


@_door("Ansible shell, whole")
def _ansible_whole(steps: Steps) -> Files:
    return {
        "site.yml": _play(
            f"- name: Make the node\n  shell: |\n{by(4, script(steps, 'set -euo pipefail' + chr(10)))}  args:\n    executable: /bin/bash\n"
        )
    }


@_door("Ansible script")
def _ansible_script(steps: Steps) -> Files:
    return {"site.yml": _play("- name: Make the node\n  script: files/node.sh\n"), "files/node.sh": script(steps)}


@_door("Ansible copy content and command")
def _ansible_copy(steps: Steps) -> Files:
    tasks = f"- name: Script\n  copy:\n    dest: /opt/setup.sh\n    mode: '0755'\n    content: |\n{by(6, script(steps))}- name: Run it\n  command: /opt/setup.sh\n"
    return {"site.yml": _play(tasks)}


@_door("Ansible template beside it")
def _ansible_template(steps: Steps) -> Files:
    tasks = "- name: Script\n  template:\n    src: setup.sh.j2\n    dest: /opt/setup.sh\n    mode: '0755'\n- name: Run it\n  command: /opt/setup.sh\n"
    return {"site.yml": _play(tasks), "templates/setup.sh.j2": script(steps)}


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


@_door("Packer inline", stops=True)
def _packer(steps: Steps) -> Files:
    lines = ",\n      ".join(hcl_string(each) for each in ("set -e", *steps))
    return {
        "node.pkr.hcl": 'source "amazon-ebs" "node" {\n  ami_name      = "node"\n  instance_type = "g5.xlarge"\n  source_ami    = "ami-0a1b2c3d4e5f60718"\n  ssh_username  = "ubuntu"\n}\n\n'
        f'build {{\n  sources = ["source.amazon-ebs.node"]\n  provisioner "shell" {{\n    inline = [\n      {lines},\n    ]\n  }}\n}}\n'
    }


@_door("Packer script")
def _packer_script(steps: Steps) -> Files:
    return {
        "node.pkr.hcl": 'source "qemu" "node" {\n  iso_url = "https://releases.ubuntu.com/24.04/ubuntu.iso"\n}\n\n'
        'build {\n  sources = ["source.qemu.node"]\n  provisioner "shell" {\n    script = "scripts/node.sh"\n  }\n}\n',
        "scripts/node.sh": script(steps),
    }


@_door("Dockerfile RUN")
def _dockerfile(steps: Steps) -> Files:
    flat = list(steps)
    return {
        "Dockerfile": "# syntax=docker/dockerfile:1\nFROM ubuntu:24.04\n"
        + "".join(f"RUN {each}\n" if "\n" not in each else f"RUN <<STEP\n{each}\nSTEP\n" for each in flat)
    }


@_door("Vagrantfile inline")
def _vagrant(steps: Steps) -> Files:
    return {
        "Vagrantfile": 'Vagrant.configure("2") do |config|\n  config.vm.box = "bento/ubuntu-24.04"\n  config.vm.define "gpu-1" do |node|\n'
        f"    node.vm.provision \"shell\", inline: <<~'SHELL'\n{by(6, script(steps, 'set -euo pipefail' + chr(10)))}    SHELL\n  end\nend\n"
    }


@_door("Vagrantfile path")
def _vagrant_path(steps: Steps) -> Files:
    return {
        "Vagrantfile": 'Vagrant.configure("2") do |config|\n  config.vm.box = "bento/ubuntu-24.04"\n  config.vm.provision "shell", path: "scripts/node.sh"\nend\n',
        "scripts/node.sh": script(steps),
    }


@_door("Kickstart %post", stops=False)
def _kickstart(steps: Steps) -> Files:
    return {
        "node.ks": f"text\nreboot\nrootpw --lock\nautopart\n%packages\n@core\n%end\n%post --erroronfail --log=/root/post.log\n{script(steps, 'set -e' + chr(10))}%end\n"
    }


# --- what runs commands


@_door("Makefile recipe")
def _makefile(steps: Steps) -> Files:
    if any("\n" in each for each in steps):
        return {}
    lines = "".join(f"\t{each.replace('$', '$$')}\n" for each in steps)
    return {"Makefile": f".PHONY: node\nnode: ## makes this machine a GPU node\n{lines}"}


@_door("justfile recipe")
def _justfile(steps: Steps) -> Files:
    return {"justfile": f"# makes this machine a GPU node\nnode:\n{by(4, script(steps))}"}


@_door("Taskfile")
def _taskfile(steps: Steps) -> Files:
    items = "".join(f"      - |\n{by(8, each)}\n" for each in steps)
    return {
        "Taskfile.yml": f"version: '3'\ntasks:\n  node:\n    desc: makes this machine a GPU node\n    cmds:\n{items}"
    }


@_door("GitHub Actions, on its runner")
def _actions(steps: Steps) -> Files:
    return {
        ".github/workflows/node.yml": "name: node\non: {workflow_dispatch: {}}\njobs:\n  node:\n    runs-on: [self-hosted, gpu]\n    steps:\n      - name: Make the node\n"
        f"        run: |\n{by(10, script(steps, ''))}"
    }


@_door("GitHub Actions over ssh")
def _actions_ssh(steps: Steps) -> Files:
    return {
        ".github/workflows/node.yml": "name: node\non: {workflow_dispatch: {}}\njobs:\n  node:\n    runs-on: ubuntu-latest\n    steps:\n      - name: Make the node\n"
        f"        run: |\n          ssh root@10.20.0.31 'bash -se' <<'NODE'\n{by(10, script(steps, ''))}          NODE\n"
    }


@_door("GitHub Actions, ssh-action")
def _actions_appleboy(steps: Steps) -> Files:
    return {
        ".github/workflows/node.yml": "name: node\non: {workflow_dispatch: {}}\njobs:\n  node:\n    runs-on: ubuntu-latest\n    steps:\n      - uses: appleboy/ssh-action@v1\n"
        f"        with:\n          host: 10.20.0.31\n          username: root\n          key: ${{{{ secrets.KEY }}}}\n          script_stop: true\n          script: |\n{by(12, script(steps, 'set -e' + chr(10)))}"
    }


@_door("GitLab CI over ssh")
def _gitlab(steps: Steps) -> Files:
    return {
        ".gitlab-ci.yml": "node:\n  image: alpine:3.20\n  script:\n    - |\n"
        f"      ssh root@10.20.0.31 'bash -se' <<'NODE'\n{by(6, script(steps, ''))}      NODE\n"
    }


# --- pods that reach their node


def _daemonset(container: str, more: str = "") -> str:
    return (
        "apiVersion: apps/v1\nkind: DaemonSet\nmetadata: {name: node-setup, namespace: kube-system}\nspec:\n  selector: {matchLabels: {app: node-setup}}\n  template:\n"
        f"    metadata: {{labels: {{app: node-setup}}}}\n    spec:\n      hostPID: true\n      initContainers:\n{by(8, container)}"
        f"      containers:\n        - {{name: pause, image: registry.k8s.io/pause:3.10}}\n{by(6, more)}"
    )


@_door("DaemonSet nsenter bash -c")
def _nsenter(steps: Steps) -> Files:
    return {
        "daemonset.yaml": _daemonset(
            "- name: setup\n  image: ubuntu:24.04\n  securityContext: {privileged: true}\n"
            f"  command: [nsenter, --target, '1', --mount, --uts, --ipc, --net, --pid, --, bash, -c]\n  args:\n    - |\n{by(6, script(steps, 'set -e' + chr(10)))}"
        )
    }


@_door("DaemonSet chroot /host heredoc")
def _chroot(steps: Steps) -> Files:
    return {
        "daemonset.yaml": _daemonset(
            "- name: setup\n  image: ubuntu:24.04\n  securityContext: {privileged: true}\n  command: [bash, -c]\n  args:\n    - |\n"
            f"      set -e\n      chroot /host bash -e <<'NODE'\n{by(6, script(steps, ''))}      NODE\n"
            "  volumeMounts: [{name: host, mountPath: /host}]\n",
            "volumes:\n  - name: host\n    hostPath: {path: /}\n",
        )
    }


@_door("DaemonSet and ConfigMap copied to the host")
def _config_map(steps: Steps) -> Files:
    return {
        "daemonset.yaml": _daemonset(
            "- name: setup\n  image: ubuntu:24.04\n  securityContext: {privileged: true}\n"
            "  command: [bash, -c, 'cp /scripts/setup.sh /host/tmp/setup.sh && chroot /host bash /tmp/setup.sh']\n"
            "  volumeMounts:\n    - {name: host, mountPath: /host}\n    - {name: scripts, mountPath: /scripts}\n",
            "volumes:\n  - name: host\n    hostPath: {path: /}\n  - name: scripts\n    configMap: {name: node-setup}\n",
        )
        + f"---\napiVersion: v1\nkind: ConfigMap\nmetadata: {{name: node-setup, namespace: kube-system}}\ndata:\n  setup.sh: |\n{by(4, script(steps))}"
    }


# --- other clouds' and clusters' own


@_door("ParallelCluster OnNodeConfigured beside")
def _parallel_cluster(steps: Steps) -> Files:
    return {
        "cluster.yaml": "Region: us-east-2\nImage: {Os: ubuntu2204}\nScheduling:\n  Scheduler: slurm\n  SlurmQueues:\n    - Name: gpu\n      CustomActions:\n        OnNodeConfigured:\n"
        "          Script: s3://bucket/post-install.sh\n",
        "post-install.sh": script(steps),
    }


@_door("HyperPod lifecycle script")
def _hyperpod(steps: Steps) -> Files:
    return {"LifecycleScripts/base-config/on_create.sh": script(steps)}


@_door("CycleCloud cluster-init")
def _cyclecloud(steps: Steps) -> Files:
    return {"specs/default/cluster-init/scripts/010-node.sh": script(steps)}


@_door("Salt state cmd.run")
def _salt(steps: Steps) -> Files:
    states = "".join(f"step-{at}:\n  cmd.run:\n    - name: |\n{by(8, each)}\n" for at, each in enumerate(steps))
    return {"salt/gpu/init.sls": states}


@_door("Fabric in Python")
def _fabric(steps: Steps) -> Files:
    lines = "".join(f"    c.run({quoted(each)})\n" for each in steps)
    return {"fabfile.py": f"from fabric import task\n\n\n@task\ndef node(c):\n{lines}"}


@_door("subprocess in Python")
def _subprocess(steps: Steps) -> Files:
    lines = "".join(f"subprocess.run({quoted(each)}, shell=True, check=True)\n" for each in steps)
    return {"setup_node.py": f"import subprocess\n\n{lines}"}


@_door("Puppet exec")
def _puppet(steps: Steps) -> Files:
    lines = "".join(
        f"exec {{ 'step-{at}':\n  command => {quoted(each)},\n  path    => '/usr/bin:/bin',\n}}\n"
        for at, each in enumerate(steps)
    )
    return {"manifests/init.pp": lines}


@_door("Chef bash resource")
def _chef(steps: Steps) -> Files:
    return {
        "recipes/default.rb": f"bash 'node' do\n  code <<-EOH\n{by(4, script(steps, 'set -e' + chr(10)))}  EOH\nend\n"
    }
