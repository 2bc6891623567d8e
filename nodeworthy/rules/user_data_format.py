"""User data is what this node's image reads, from its first byte on.

A node that can't read its user data boots, runs and says nothing: it only never joins. Cloud-init takes user data
for what its first bytes say, so a blank line before the MIME header makes one long text of it that nobody reads.
Windows line ends are taken off by cloud-init and by nobody else, so such a script starts here and not there. Each
family of images reads another thing: AL2023 a NodeConfig, AL2 and EKS' Ubuntu a call of `/etc/eks/bootstrap.sh`,
Bottlerocket TOML and nothing else; all but Bottlerocket run shell. Package managers go by the family, too. A step
that asks first which machine it is on is for several families, and is left alone. Of Bottlerocket's settings one that
it refuses is enough that it takes none: a strategy of its device plugin that it does not know, a label without quotes,
a taint without an effect, a table misspelt.

User data is what cloud-init is given: MIME, `#cloud-config`, a boothook, what a launch template, an instance, a
NodePool or a command names as it, what is called so. Of a script that people run by hand, a step of an image's build or
another agent's startup script only that is said which is wrong with every script: Windows line ends, a NUL byte,
options behind env. Without `#!` cloud-init leaves user data out, with a warning in its log; as a boothook, or as a part
of MIME that says that it is a script, it is started, and the kernel refuses it (on Amazon Linux 2 it runs). A key of
cloud-config that is nearly one of cloud-init's (`run_cmd`, `package`) is left out likewise.

A file has no names of a module's own: where `${var.…}` or `${module.…}` stands in a NodeConfig, templatefile refuses
it, and `file` hands on these letters, with which nodeadm joins nothing.

A module of Terraform that is given a part and hands it on to nobody says so to nobody either: `cloudinit_post_nodeadm`
of a managed node group never runs, because EKS adds its own part behind what the module hands on.
"""

from __future__ import annotations

from nodeworthy.boot.effects import Joins
from nodeworthy.boot.userdata import FaultKind, PartKind, UserDataFault
from nodeworthy.edit import Edit, EditKind
from nodeworthy.facts.boot.families import BOOTSTRAP, foreign, is_for_several, title
from nodeworthy.facts.boot.left_out import LeftOut
from nodeworthy.facts.boot.script import BootPool, BootScript
from nodeworthy.facts.boot.user_data_faults import faults_told
from nodeworthy.fleet.os import os_of
from nodeworthy.rule import Rule
from nodeworthy.verdict import Findings, Related, Severity, Unread, fail, need, skip, unknown

RULE = Rule(
    "user-data-format",
    severity=Severity.ERROR,
    incident="D",
    title="User data is what this node's image reads, from its first byte on",
    remedy="write what the image of this pool reads; `nodeworthy fleet` says which",
    mends=True,
    tells=Unread.FORMAT,
)


@RULE.check
def it_can_be_read(script: BootScript) -> Findings:
    userdata = script.userdata
    faults = list(faults_told(script))
    for fault in faults:
        told = unknown if fault.is_doubt else fail
        related = [Related(place, says) for place, says in fault.related]
        yield told(fault.place, fault.message, related=related, remedy=fault.remedy or None, edit=_edit(fault))
    if not userdata.parts and not faults:
        yield unknown(userdata.place, f"user data could not be read: {userdata.unread or 'it has no part'}")
    yield from _for_two_families(script)


def _edit(fault: UserDataFault) -> Edit | None:
    if fault.kind is FaultKind.WINDOWS_LINE_ENDS:
        return Edit(EditKind.LINE_ENDS, fault.place, "\r\n", "\n", "Convert the line ends")
    if fault.kind is FaultKind.BLANK_BEFORE_HEADER:
        return Edit(EditKind.LEADING_BLANKS, fault.place, "", "", "Remove the blank lines at the beginning")
    return None


def _for_two_families(script: BootScript) -> Findings:
    """bootstrap.sh and a NodeConfig in one: whatever the image is, one of them is not read. Of an image that is known
    it is told which."""
    config = next((part for part in script.userdata.parts if part.kind is PartKind.NODE_CONFIG), None)
    is_known = script.image is not None and script.image.distribution is not None
    if config is None or (is_known and not script.pools):
        return
    for each in script.timeline.of(Joins):
        if each.how == BOOTSTRAP and not is_for_several(script, each):
            yield fail(
                each,
                "calls /etc/eks/bootstrap.sh beside a NodeConfig, and no image has both",
                is_="bootstrap.sh and a NodeConfig",
                should="one of them",
                related=[Related(config.place, "the NodeConfig, which only AL2023's nodeadm reads")],
                cause="bootstrap.sh is AL2's and EKS Ubuntu's, nodeadm is AL2023's: where one is, the other is not",
                remedy="on AL2023 drop the call of bootstrap.sh; on AL2 and Ubuntu drop the NodeConfig",
            )
            return


@RULE.check
def it_is_what_its_own_image_reads(script: BootScript) -> Findings:
    image = script.image
    if script.pools or image is None or image.distribution is None:
        skip("a pool says what its nodes are" if script.pools else "nothing says what image its nodes start from")
    if not script.userdata.parts:
        skip("nothing of it could be read")
    runs = Related(image.place, f"its nodes run {title(image.distribution)}: {image.named}")
    for each in foreign(script, image.distribution, os_of(image.distribution, image.place)):
        yield each.with_more(related=[runs])


@RULE.check
def it_is_what_eks_can_add_to(script: BootScript) -> Findings:
    if not script.is_merged:
        skip("EKS adds nothing to it")
    parts = script.userdata.parts
    if len(parts) != 1 or parts[0].called or parts[0].kind not in (PartKind.SHELL, PartKind.CLOUD_CONFIG):
        return
    yield fail(
        script.place,
        "EKS adds its own part to the user data of a managed node group, and takes nothing but MIME multipart",
        is_=f"a {parts[0].kind.value} alone",
        should="a part of MIME multipart",
        cause="EKS refuses the launch template (Ec2LaunchTemplateInvalidConfiguration), and the group is not made",
        remedy="begin it with MIME-Version: 1.0 and Content-Type: multipart/mixed, and make the script a part",
    )


@RULE.check
def it_is_what_the_image_reads(script: BootScript, pool: BootPool) -> Findings:
    if not script.userdata.parts:
        skip("nothing of it could be read")
    distribution = need(pool.pool.distribution)
    runs = pool.declared(f"runs {title(distribution)}")
    for each in foreign(script, distribution, pool.pool.os):
        yield each.with_more(on=pool.title, related=[runs])


@RULE.check
def it_is_handed_on(left: LeftOut) -> Findings:
    yield fail(
        left,
        f"nothing of {left.argument} ever runs: the module leaves it out",
        is_=left.argument,
        should="what the module hands on",
        cause=left.why,
        remedy=left.instead,
    )
