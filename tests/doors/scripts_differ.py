"""Where a fault is told otherwise by a door than of a script, and why: what differs rightly, and what nobody reads yet."""

from __future__ import annotations

from collections.abc import Mapping

from tests.doors.scripts_seeds import SEEDS

# What differs rightly.
_NO_SWAP = "images of clouds have no swap"
_AN_IMAGE = "an image is no node yet: whoever boots it does that"
_BY_OTHERS = "another call, another task or whoever joins it may do what is left undone here"
_AT_EVERY_BOOT = "it runs at every boot"
_THE_RUNNERS_OWN = "a runner is thrown away, or sets up what others run on it; what it does to itself makes no node"
_OF_CLUSTER_API = "of machines without GPUs that install nothing of their own Cluster API's controllers tell nothing"
_CHILDREN = "EKS joins behind it"
_ON_ONE_LINE = "the whole line is shown"
_GOES_ON = "each command of the list is followed by the next, whatever came of it"
# What nobody reads yet.
_NOBODY_READS_IT = "nobody here reads this door yet"
_PACKED = "what is asked of the whole text does not see what is packed in it yet"
_WITHIN = "the syntax of a text within this one is not looked at yet"
_OF_THE_FIRST_CALL = "what an earlier call has laid on that machine is not followed for installers yet"
_NOT_YET = "not read there yet"
_NO_KUBELET = "only images that bring a kubelet are read, and heredocs of Docker's own are not"

_ALL = tuple(each.name for each in SEEDS)

_BY_REASON: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "script called setup.sh with functions": {
        _WITHIN: ("if-without-an-end",),
    },
    "script in a heredoc of sudo": {
        _WITHIN: ("if-without-an-end",),
    },
    "script over ssh, heredoc": {
        _BY_OTHERS: (
            "kubelet-not-enabled",
            "toolkit-tells-docker-only",
        ),
    },
    "script, ssh each": {
        _BY_OTHERS: (
            "kubelet-not-enabled",
            "toolkit-tells-docker-only",
        ),
        _OF_THE_FIRST_CALL: ("option-that-k3s-has-no-more",),
        _WITHIN: ("if-without-an-end",),
    },
    "script, pdsh each": {
        _BY_OTHERS: (
            "kubelet-not-enabled",
            "toolkit-tells-docker-only",
        ),
        _OF_THE_FIRST_CALL: ("option-that-k3s-has-no-more",),
        _WITHIN: ("if-without-an-end",),
    },
    "script, clush each": {
        _BY_OTHERS: (
            "kubelet-not-enabled",
            "toolkit-tells-docker-only",
        ),
        _OF_THE_FIRST_CALL: ("option-that-k3s-has-no-more",),
        _WITHIN: ("if-without-an-end",),
    },
    "script, aws ec2 run-instances heredoc": {
        _NO_SWAP: ("swap-off-for-this-boot",),
    },
    "script, aws ssm send-command": {
        _BY_OTHERS: ("kubelet-not-enabled", "toolkit-tells-docker-only"),
        _GOES_ON: ("join-may-fail", "driver-may-fail"),
    },
    "cloud-config runcmd": {
        _NO_SWAP: ("swap-off-for-this-boot",),
    },
    "cloud-config runcmd, one text": {
        _NO_SWAP: ("swap-off-for-this-boot",),
    },
    "cloud-config runcmd, bash -c list": {
        _NO_SWAP: ("swap-off-for-this-boot",),
        _PACKED: (
            "ufw-drops-pods",
            "join-may-fail",
            "driver-may-fail",
            "toolkit-tells-docker-only",
        ),
        _WITHIN: ("if-without-an-end",),
    },
    "cloud-config bootcmd": {
        _NO_SWAP: ("swap-off-for-this-boot",),
        _AT_EVERY_BOOT: (
            "module-for-this-boot",
            "kubelet-not-enabled",
        ),
    },
    "cloud-config write_files and runcmd": {
        _NO_SWAP: ("swap-off-for-this-boot",),
    },
    "cloud-config write_files deferred, bash by runcmd": {
        _NO_SWAP: ("swap-off-for-this-boot",),
    },
    "cloud-config write_files base64": {
        _NO_SWAP: ("swap-off-for-this-boot",),
        _PACKED: (
            "module-for-this-boot",
            "archive-gone",
            "ufw-drops-pods",
            "join-may-fail",
            "driver-may-fail",
        ),
    },
    "cloud-config write_files gz+b64": {
        _NO_SWAP: ("swap-off-for-this-boot",),
        _PACKED: (
            "module-for-this-boot",
            "archive-gone",
            "ufw-drops-pods",
            "join-may-fail",
            "driver-may-fail",
        ),
    },
    "cloud-config write_files, per-boot": {
        _NOBODY_READS_IT: tuple(each for each in _ALL if each != "token-in-plain-sight"),
    },
    "cloud-config write_files, a unit that runs it": {
        _NO_SWAP: ("swap-off-for-this-boot",),
        _AT_EVERY_BOOT: ("kubelet-not-enabled",),
    },
    "cloud-config of jinja": {
        _NO_SWAP: ("swap-off-for-this-boot",),
    },
    "MIME multipart": {
        _NO_SWAP: ("swap-off-for-this-boot",),
    },
    "autoinstall, user-data of the system": {
        _NO_SWAP: ("swap-off-for-this-boot",),
    },
    "terraform cloud-config by yamlencode": {
        _NO_SWAP: ("swap-off-for-this-boot",),
        _ON_ONE_LINE: (
            "join-may-fail",
            "driver-may-fail",
        ),
    },
    "terraform google metadata user-data": {
        _NO_SWAP: ("swap-off-for-this-boot",),
    },
    "terraform azurerm extension, commandToExecute": {
        _ON_ONE_LINE: ("join-may-fail",),
    },
    "terraform file content and remote-exec": {
        _NOT_YET: ("token-in-plain-sight",),
    },
    "terraform local_file": {
        _NOT_YET: ("token-in-plain-sight",),
    },
    "terraform local-exec ssh": {
        _BY_OTHERS: (
            "kubelet-not-enabled",
            "toolkit-tells-docker-only",
        ),
    },
    "terraform eks module pre_bootstrap_user_data": {
        _NO_SWAP: ("swap-off-for-this-boot",),
        _CHILDREN: (
            "module-for-this-boot",
            "kubelet-not-enabled",
        ),
        _NOT_YET: ("if-without-an-end",),
    },
    "ImageBuilder component": {
        _AN_IMAGE: (
            "swap-off-for-this-boot",
            "module-for-this-boot",
            "kubelet-not-enabled",
        ),
    },
    "CDK TypeScript addCommands": {
        _NO_SWAP: ("swap-off-for-this-boot",),
    },
    "CDK Python add_commands": {
        _NO_SWAP: ("swap-off-for-this-boot",),
    },
    "CDK UserData.custom": {
        _NO_SWAP: ("swap-off-for-this-boot",),
    },
    "Pulumi TypeScript userData": {
        _NO_SWAP: ("swap-off-for-this-boot",),
    },
    "Pulumi Python user_data": {
        _NO_SWAP: ("swap-off-for-this-boot",),
    },
    "Pulumi remote.Command": {
        _NOBODY_READS_IT: _ALL,
    },
    "boto3 run_instances": {
        _NO_SWAP: ("swap-off-for-this-boot",),
    },
    "Cluster API preKubeadmCommands": {
        _OF_CLUSTER_API: (
            "swap-off-for-this-boot",
            "module-for-this-boot",
            "kubelet-not-enabled",
            "join-may-fail",
            "mirrors-beside-config-path",
            "unit-loses-its-variable",
            "option-that-k3s-has-no-more",
            "storage-holds-the-boot",
        ),
    },
    "Cluster API files": {
        _OF_CLUSTER_API: (
            "swap-off-for-this-boot",
            "module-for-this-boot",
            "kubelet-not-enabled",
            "join-may-fail",
            "mirrors-beside-config-path",
            "unit-loses-its-variable",
            "option-that-k3s-has-no-more",
            "storage-holds-the-boot",
        ),
    },
    "kOps additionalUserData": {
        _NO_SWAP: ("swap-off-for-this-boot",),
    },
    "kOps hooks": {
        _NO_SWAP: ("swap-off-for-this-boot",),
    },
    "Rancher machine config userdata": {
        _NO_SWAP: ("swap-off-for-this-boot",),
    },
    "Lima provision": {
        _NO_SWAP: ("swap-off-for-this-boot",),
    },
    "Butane unit and file": {
        _NO_SWAP: ("swap-off-for-this-boot",),
    },
    "Ignition unit and file": {
        _NOBODY_READS_IT: _ALL,
    },
    "Ansible shell, each": {
        _BY_OTHERS: (
            "kubelet-not-enabled",
            "ufw-drops-pods",
            "toolkit-tells-docker-only",
        ),
        _WITHIN: ("if-without-an-end",),
    },
    "Ansible shell, full name and cmd": {
        _BY_OTHERS: (
            "kubelet-not-enabled",
            "ufw-drops-pods",
            "toolkit-tells-docker-only",
        ),
        _WITHIN: ("if-without-an-end",),
    },
    "Ansible shell, whole": {
        _BY_OTHERS: (
            "kubelet-not-enabled",
            "ufw-drops-pods",
            "toolkit-tells-docker-only",
        ),
        _WITHIN: ("if-without-an-end",),
    },
    "Ansible copy content and command": {
        _BY_OTHERS: (
            "kubelet-not-enabled",
            "ufw-drops-pods",
            "toolkit-tells-docker-only",
        ),
    },
    "Ansible role": {
        _BY_OTHERS: (
            "kubelet-not-enabled",
            "ufw-drops-pods",
            "toolkit-tells-docker-only",
        ),
        _WITHIN: ("if-without-an-end",),
    },
    "Ansible role, files included": {
        _BY_OTHERS: (
            "kubelet-not-enabled",
            "ufw-drops-pods",
            "toolkit-tells-docker-only",
        ),
        _WITHIN: ("if-without-an-end",),
    },
    "Ansible block in a play": {
        _BY_OTHERS: (
            "kubelet-not-enabled",
            "ufw-drops-pods",
            "toolkit-tells-docker-only",
        ),
        _WITHIN: ("if-without-an-end",),
    },
    "Ansible raw": {
        _BY_OTHERS: (
            "kubelet-not-enabled",
            "ufw-drops-pods",
            "toolkit-tells-docker-only",
        ),
        _WITHIN: ("if-without-an-end",),
    },
    "Packer inline": {
        _AN_IMAGE: (
            "swap-off-for-this-boot",
            "module-for-this-boot",
            "kubelet-not-enabled",
        ),
    },
    "Packer script": {
        _AN_IMAGE: (
            "swap-off-for-this-boot",
            "module-for-this-boot",
            "kubelet-not-enabled",
        ),
    },
    "Dockerfile RUN": {
        _AN_IMAGE: (
            "swap-off-for-this-boot",
            "module-for-this-boot",
            "kubelet-not-enabled",
        ),
        _NO_KUBELET: (
            "ufw-drops-pods",
            "mirrors-beside-config-path",
            "unit-loses-its-variable",
            "edit-of-k3s-config",
            "option-that-k3s-has-no-more",
            "if-without-an-end",
        ),
    },
    "justfile recipe": {
        _NOBODY_READS_IT: _ALL,
    },
    "Taskfile": {
        _NOBODY_READS_IT: _ALL,
    },
    "GitHub Actions, on its runner": {
        _THE_RUNNERS_OWN: _ALL,
    },
    "GitHub Actions over ssh": {
        _BY_OTHERS: (
            "kubelet-not-enabled",
            "toolkit-tells-docker-only",
        ),
    },
    "GitHub Actions, ssh-action": {
        _BY_OTHERS: (
            "kubelet-not-enabled",
            "toolkit-tells-docker-only",
        ),
    },
    "GitLab CI over ssh": {
        _BY_OTHERS: (
            "kubelet-not-enabled",
            "toolkit-tells-docker-only",
        ),
    },
    "DaemonSet chroot /host heredoc": {
        _BY_OTHERS: (
            "kubelet-not-enabled",
            "toolkit-tells-docker-only",
        ),
    },
    "DaemonSet and ConfigMap copied to the host": {
        _NOBODY_READS_IT: tuple(each for each in _ALL if each != "token-in-plain-sight"),
    },
    "Salt state cmd.run": {
        _NOBODY_READS_IT: _ALL,
    },
    "Fabric in Python": {
        _NOBODY_READS_IT: _ALL,
    },
    "subprocess in Python": {
        _NOBODY_READS_IT: _ALL,
    },
    "Puppet exec": {
        _NOBODY_READS_IT: _ALL,
    },
    "Chef bash resource": {
        _NOBODY_READS_IT: _ALL,
    },
}

DIFFERS: Mapping[str, Mapping[str, str]] = {
    door: {seed: why for why, seeds in reasons.items() for seed in seeds} for door, reasons in _BY_REASON.items()
}
