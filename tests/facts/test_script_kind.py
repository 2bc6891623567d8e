"""Who runs a script: by its form, by who refers to it, by its name and folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from nodeworthy.boot.unpack import unpack
from nodeworthy.collect.source.scope import Scope
from nodeworthy.facts.boot.script import BootScript
from nodeworthy.verdict import Place

PLAIN = "#!/bin/bash\napt-get install -y nvidia-headless-570-server\n"

PACKER = 'source "amazon-ebs" "x" {}\nbuild {\n  provisioner "shell" {\n    scripts = [\n      "NAME",\n    ]\n  }\n}\n'
PACKER_JSON = '{"builders": [], "provisioners": [{"type": "shell", "script": "{{template_dir}}/NAME"}]}'
USER_DATA = 'resource "aws_instance" "a" {\n  user_data = base64encode(templatefile("${path.module}/NAME", {\n    a = 1\n  }))\n}\n'
IN_LOCALS = 'locals {\n  boot = file("NAME")\n}\n\nresource "x" "y" {\n  user_data = base64encode(local.boot)\n}\n'
REMOTE = 'resource "null_resource" "a" {\n  provisioner "remote-exec" {\n    script = "NAME"\n  }\n}\n'
BOTH = (
    'resource "aws_instance" "a" {\n  user_data = "x"\n\n  provisioner "remote-exec" {\n    script = "NAME"\n  }\n}\n'
)
GOOGLE = 'resource "google_compute_instance" "a" {\n  metadata_startup_script = file("NAME")\n}\n'
AZURE = '{"type": "CustomScript", "settings": {"commandToExecute": "bash NAME"}}'
EKSCTL = "nodeGroups:\n  - overrideBootstrapCommand: |\n      /opt/NAME\n"

TOLD = {
    "packer": ("gpu.pkr.hcl", PACKER, "IMAGE_BUILD"),
    "packer's json": ("template.json", PACKER_JSON, "IMAGE_BUILD"),
    "user data": ("main.tf", USER_DATA, "USER_DATA"),
    "user data by a local": ("main.tf", IN_LOCALS, "USER_DATA"),
    "a provisioner over ssh": ("main.tf", REMOTE, "BY_HAND"),
    "a provisioner beside user data": ("main.tf", BOTH, "BY_HAND"),
    "google's startup script": ("main.tf", GOOGLE, "STARTUP"),
    "azure's extension": ("vm.json", AZURE, "STARTUP"),
    "eksctl": ("cluster.yaml", EKSCTL, "USER_DATA"),
    "a command": ("run.sh", "aws ec2 run-instances --image-id ami-1 \\\n  --user-data file://NAME\n", "USER_DATA"),
    "gcloud": ("run.sh", "gcloud compute instances create a --metadata-from-file startup-script=NAME\n", "STARTUP"),
    "a program": ("__main__.py", 'user_data = Path("NAME").read_text()\n', "USER_DATA"),
    "a step of a container file": ("Dockerfile", "FROM x\nCOPY . /\nRUN bash /src/NAME\n", "IMAGE_BUILD"),
    "a container's own": ("Dockerfile", 'FROM x\nCOPY NAME /\nENTRYPOINT ["/start"]\n', "CONTAINER"),
    "ssh": ("all.sh", "ssh gpu-1 'bash -s' < NAME\n", "BY_HAND"),
    "a program that prints user data": (
        "up.sh",
        './NAME > "$userdata_file"\naws ec2 run-instances --user-data x\n',
        "BY_HAND",
    ),
    "what another one prints": ("up.sh", "render gpu > /tmp/NAME\naws ec2 run-instances --user-data x\n", "BY_HAND"),
    "a folder that is called so": ("parts.go", 'const helpers = "linux/cloud-init/artifacts/NAME"\n', "BY_HAND"),
    "nobody": ("README.md", "run ./NAME\n", "BY_HAND"),
}


def kind(path: Path, text: str) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    place = Place(str(path))
    return script(path, text, place).use.kind.name


def script(path: Path, text: str, place: Place) -> BootScript:
    root = next(each for each in path.parents if (each / ".git").exists())
    return BootScript(place, unpack(text.encode(), place, name=path.name), surroundings=Scope(root))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / ".git").mkdir()
    return tmp_path


@pytest.mark.parametrize(("name", "text", "told"), TOLD.values(), ids=TOLD)
def test_by_who_refers_to_it(root: Path, name: str, text: str, told: str) -> None:
    (root / name).write_text(text.replace("NAME", "node-setup.sh"))
    assert kind(root / "node-setup.sh", PLAIN) == told


@pytest.mark.parametrize(
    ("path", "text", "told"),
    [
        ("node.sh", PLAIN, "BY_HAND"),
        ("user-data.sh", PLAIN, "USER_DATA"),
        ("gpu_userdata.tpl", PLAIN, "USER_DATA"),
        ("node.tftpl", PLAIN, "USER_DATA"),
        ("node.sh", f"{PLAIN}/etc/eks/bootstrap.sh gpu\n", "USER_DATA"),
        ("node.sh", f"{PLAIN}sudo -E CLUSTER=gpu /etc/eks/bootstrap.sh gpu\n", "USER_DATA"),
        ("node.sh", f"{PLAIN}if nodeadm init -c file:///etc/node.yaml; then :; fi\n", "USER_DATA"),
        (
            "collect.sh",
            f"{PLAIN}cp --parents /etc/eks/bootstrap.sh /etc/eks/nodeadm/config.json /tmp/logs\n",
            "BY_HAND",
        ),
        ("x.yaml", "#cloud-config\nruncmd: [ls]\n", "USER_DATA"),
        ("x.sh", "#cloud-boothook\n#!/bin/sh\nls\n", "USER_DATA"),
        ("packer/driver.sh", PLAIN, "IMAGE_BUILD"),
        ("templates/al2023/provisioners/driver.sh", PLAIN, "IMAGE_BUILD"),
        ("build.sh", f'{PLAIN}echo "$PACKER_BUILD_NAME"\n', "IMAGE_BUILD"),
        ("build.sh", f"{PLAIN}echo \"Packer variable 'NAME' was not set\"\n", "IMAGE_BUILD"),
        ("provisioners/user-data.sh", PLAIN, "USER_DATA"),
        ("setup.sh", "#!/bin/bash\nBUCKET=\"${1:-}\"\nsu - ubuntu -c 'ssh-keyscan head'\n", "BY_HAND"),
        ("setup.sh", "#!/bin/bash\nhostnamectl set-hostname ${lower(name)}\n", "USER_DATA"),
        ("setup.sh", "#!/bin/bash\nNAME=${1:-}\nhostnamectl set-hostname ${lower(name)}\n", "BY_HAND"),
        ("setup.sh", "#!/bin/bash\nf() {\n  a=$1\n}\nsu - ubuntu -c 'ssh-keyscan head'\n", "USER_DATA"),
    ],
)
def test_by_itself(root: Path, path: str, text: str, told: str) -> None:
    assert kind(root / path, text) == told


FILLED = "#!/bin/bash\nhostnamectl set-hostname ${name}\n%{ if gpu }\napt-get install -y ${driver}\n%{ endif }\n"


@pytest.mark.parametrize(
    ("beside", "told"),
    [
        ("configure.sh: worker=$(cat node.tpl)\n", "BY_HAND"),
        ("main.tf: user_data = templatefile(var.template, local.node)\n", "USER_DATA"),
    ],
)
def test_a_template_is_user_data_where_something_fills_any_in(root: Path, beside: str, told: str) -> None:
    name, _, text = beside.partition(": ")
    (root / name).write_text(text)
    assert kind(root / "node.tpl", FILLED) == told


@pytest.mark.parametrize(
    ("beside", "text", "told"),
    [
        ("worker_user_data_on_exit.sh", "echo done\n", "BY_HAND"),
        ("worker_user_data_on_exit.sh", "#!/bin/bash\necho done\n", "USER_DATA"),
        ("on_exit.sh", "echo done\n", "USER_DATA"),
    ],
)
def test_of_several_parts_without_a_first_line_none_is_user_data(root: Path, beside: str, text: str, told: str) -> None:
    """By their names alone; what puts them together writes it."""
    (root / beside).write_text(text)
    assert kind(root / "worker_user_data.sh", PLAIN.partition("\n")[2]) == told


@pytest.mark.parametrize(
    ("path", "text", "beside", "told"),
    [
        ("user-data.sh", f"{PLAIN}aws s3 cp s3://x/y .\n", "", "ec2"),
        ("user-data.sh", f"{PLAIN}curl http://169.254.169.254/opc/v2/instance\n", "", "oci"),
        ("user-data.sh", f"{PLAIN}curl http://metadata.google.internal/x\n", "", "gcp"),
        ("user-data.sh", PLAIN, 'resource "azurerm_linux_virtual_machine" "a" {}\n', "azure"),
        ("user-data.sh", PLAIN, 'resource "aws_instance" "a" {}\nresource "google_compute_instance" "b" {}\n', None),
        ("terraform/oci/user-data.sh", PLAIN, "", "oci"),
        ("terraform/oci/user-data.sh", f"{PLAIN}aws s3 ls\n", "", "ec2"),
        ("user-data.sh", PLAIN, "", None),
    ],
)
def test_which_cloud(root: Path, path: str, text: str, beside: str, told: str | None) -> None:
    (root / "main.tf").write_text(beside)
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_text(text)
    found = script(root / path, text, Place(str(root / path))).cloud
    assert (found.key if found is not None else None) == told
