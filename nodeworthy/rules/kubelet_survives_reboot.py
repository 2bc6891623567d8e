"""kubelet runs, and will run after a reboot: kubelet is enabled, or what starts it at every boot is.

`nodeadm` starts kubelet and never enables it. On EKS' AL2023 images that does no harm as long as `nodeadm-run` is
enabled, which starts kubelet at every boot. A script that switches nodeadm's units off and calls `nodeadm init` itself,
or that only starts kubelet, leaves a node that works until its first reboot, and never comes back. `bootstrap.sh`,
Debian's packages of kubelet and the installer of k3s enable their unit themselves; RPM's packages and the installer of
RKE2 do not, and kubeadm only starts it.

Nor does kubelet start without its container runtime: what an RPM brings (Docker's containerd.io, cri-o) is disabled
until somebody enables it, and `systemctl restart containerd` holds until the machine boots again.

Nor does kubelet start beside swap. `swapoff -a` holds until the machine boots again: where fstab or a unit of systemd
switches swap on, a node of kubeadm's does not come back unless the script takes it out of there, masks the unit, or
tells kubelet to bear it (`failSwapOn: false`). Images of clouds have no swap, and k3s and RKE2 tell their kubelet so:
of those nothing is said. What else is set for this boot only (`modprobe br_netfilter`, `sysctl -w`) is told beside it.
So is `modprobe br_netfilter` by itself, where the keys of net.bridge are kept in sysctl.d and no file of modules-load.d
brings the module back: a warning, for some networks load it. `modprobe overlay br_netfilter` never loads the second:
modprobe takes one module and its options, and several with -a.

Nor does a kubelet start that was never installed: apt.kubernetes.io, yum.kubernetes.io and packages.cloud.google.com
were switched off in March 2024, and apt finds neither kubelet nor kubeadm there. Where another repository stands beside
them, that one serves, and nothing is said; where another file of the role installs from there, the file that adds it is
named, as is a list of apt's or dnf's, or a variable of Ansible's, that says nothing but where. Nor does one that is
asked for by the numbers of that archive (`kubelet=1.30.2-00`) from pkgs.k8s.io, whose packages end with `-1.1`. One
that is given an option which its release has no more (`--network-plugin`, `--container-runtime`), or a feature gate
(`DevicePlugins=true`), ends as it starts, whoever hands it on: a unit, kubeadm's config, k3s.

Nor does one that kubeadm never tells what to do: its preflight ends where net.ipv4.ip_forward is 0, as the kernel has
it. Docker sets it; a script that makes a first node ready (no swap, containerd, kubelet, `kubeadm init`) and says
nothing of sysctl leaves it as it is: a warning, for the image may set it.

On the node it is
systemd that says whether kubelet's unit runs, and whether the next boot starts it.
"""

from __future__ import annotations

from collections.abc import Sequence

from nodeworthy.boot.conditions import is_of_an_argument, who_decides
from nodeworthy.boot.effects import Act, Effect, Fetches, Installs, Joins, NotUnderstood, Reboots, Unit
from nodeworthy.boot.userdata import PartKind
from nodeworthy.edit import Edit, EditKind
from nodeworthy.facts.boot.gone_options import GoneOption, gone_from_configs, gone_options
from nodeworthy.facts.boot.gone_packages import old_number_asked_for, packages_gone
from nodeworthy.facts.boot.guards import guard_in_words
from nodeworthy.facts.boot.kubeadm_config import KubeadmConfig
from nodeworthy.facts.boot.kubelet_starts import Keeper, KubeletStarts, families_in, told_to_nobody
from nodeworthy.facts.boot.lost_modules import (
    BRIDGE,
    handed_over_as_option,
    loaded_for_this_boot,
    named_where_nobody_reads_it,
)
from nodeworthy.facts.boot.named_archives import NamedArchive
from nodeworthy.facts.boot.preflight import refused_by_preflight
from nodeworthy.facts.boot.remote_script import RemoteScript
from nodeworthy.facts.boot.runtime_starts import is_of_a_cloud, started_for_this_boot, swap_off_for_this_boot
from nodeworthy.facts.boot.script import PART, BootPool, BootScript, drafts_of_a_whole
from nodeworthy.facts.boot.script_kind import ScriptKind
from nodeworthy.facts.boot.unread_steps import gaps, other_scripts
from nodeworthy.facts.node.boot import BootEnd
from nodeworthy.facts.node.identity import NodeIdentity
from nodeworthy.facts.node.kubelet import NodeKubelet, kubelet_drafts
from nodeworthy.facts.node.runtimes import NodeRuntimes
from nodeworthy.known.kubelet import Family, families, join
from nodeworthy.records import replace
from nodeworthy.rule import Rule
from nodeworthy.verdict import Draft, Findings, Known, Place, Related, Severity, fail, skip, unknown

RULE = Rule(
    "kubelet-survives-reboot",
    severity=Severity.ERROR,
    incident="D",
    title="kubelet runs and will run after a reboot",
    remedy="systemctl enable kubelet",
    mends=True,
)

CAUSE = "what is started and not enabled runs until the next boot: the node then stays NotReady until somebody logs in"


@RULE.check
def kubelet_comes_back(script: BootScript, pool: BootPool | None) -> Findings:
    if script.use.builds_an_image:
        skip("an image is no node yet: whoever boots it joins, and enables kubelet")
    timeline = script.timeline if _has_nodeadm(pool) else told_to_nobody(script.timeline)
    concerned = families_in(timeline)
    if not concerned:
        skip("nothing in this script joins a cluster or starts kubelet")
    by_hand = script.use.kind is ScriptKind.BY_HAND and not is_of_a_cloud(script)
    for family in concerned:
        by_the_image = bool(family.image) and _image_enables_it(script, pool, family)
        boot = KubeletStarts(timeline, family, by_the_image, _runs_at_every_boot(script), by_hand)
        if boot.joins_by_hand() and not _has_node_config(script):
            boot = replace(boot, by_the_image=False)
        yield from drafts_of_a_whole(script, _family(boot, pool))


def _has_nodeadm(pool: BootPool | None) -> bool:
    known = pool.pool.distribution.state if pool is not None else None
    return not isinstance(known, Known) or any(known.value in family.images for family in families())


def _has_node_config(script: BootScript) -> bool:
    return script.userdata.has(PartKind.NODE_CONFIG)


def _runs_at_every_boot(script: BootScript) -> bool:
    """Whether cloud-init is told `- [scripts-user, always]`."""
    configs = (part.text for part in script.userdata.parts if part.kind is PartKind.CLOUD_CONFIG)
    return any("always" in after.partition("\n")[0] for text in configs for after in text.split("scripts-user")[1:])


def _image_enables_it(script: BootScript, pool: BootPool | None, family: Family) -> bool:
    """Whether the image's own unit starts kubelet at every boot, as the pool says, or else the script shows."""
    if pool is not None and isinstance(pool.pool.distribution.state, Known):
        return pool.pool.distribution.state.value in family.images
    shown = (isinstance(each, Unit) and each.unit.known == family.image for each in script.timeline.effects)
    return _has_node_config(script) or any(shown)


def _family(boot: KubeletStarts, pool: BootPool | None) -> Findings:
    for starter in boot.starters or boot.switched_off():
        answer = boot.comes_back(starter)
        if answer:
            continue
        doubt = _doubt(boot, starter, answer)
        if doubt is not None:
            place, why = doubt
            yield unknown(place, f"whether {boot.family.name} starts after a reboot is not known: {why}")
        elif not (_is_enabled_by_its_package(boot, starter) or _is_there_where_enabled(boot)):
            yield _dies(boot, starter, pool)
        return


def _doubt(boot: KubeletStarts, starter: Effect, answer: bool | None) -> tuple[Place, str] | None:
    doubtful = next((each.effect for each in boot.keepers if not each.is_sure and each.effect is not None), None)
    if answer is None and isinstance(doubtful, Unit):
        return doubtful.place, f"which unit is enabled here is known only on the node: {doubtful.unit.why}"
    if answer is None:
        decides = who_decides([each.conditions for each in boot.keepers], starter.conditions)
        return starter.place, decides or "it depends on too many conditions to be decided"
    given = next((each for keeper in boot.keepers for each in keeper.conditions if is_of_an_argument(each)), None)
    if given is not None:
        return starter.place, f"whoever calls the script says whether {given.shown()}"
    gap = next(gaps(boot.timeline, boot.family.name.partition("-")[0], "nodeadm"), None)
    if gap is not None:
        return gap.place, gap.why
    if _is_enabled_by_its_package(boot, starter):
        return None  # nothing that was not read is needed for it
    unread = next((each for each in other_scripts(boot.timeline) if boot.timeline.precedes(starter, each)), None)
    if unread is not None and answer is False and not boot.undone_for_good():
        why = unread.why if isinstance(unread, NotUnderstood) else f"nobody here has read what `{unread.command}` does"
        return unread.place, f"{why}, and it may enable {boot.family.name}"
    if isinstance(starter, Unit) and _is_the_images(boot, starter) and not boot.ran_before(starter):
        return starter.place, "kubelet was installed into the image, and whether it is enabled there was not read"
    return None


def _is_enabled_by_its_package(boot: KubeletStarts, starter: Effect) -> bool:
    """kubeadm finds a kubelet that was there before, whose package enables its unit; so does who restarts one that
    ran."""
    return boot.ran_before(starter) or (_is_the_images(boot, starter) and isinstance(starter, Joins))


def _is_there_where_enabled(boot: KubeletStarts) -> bool:
    """One branch installs a package that enables it, and no other brings one: where it is started, that branch ran."""
    written = [each for each in boot.keepers if each.effect is not None]
    by_packages = bool(written) and all(isinstance(each.effect, Installs) for each in written)
    if not by_packages or any(by for each in written for by in boot.undone(each)):
        return False
    brings = [each for each in boot.timeline.effects if isinstance(each, (Installs, Fetches)) and _names(each, boot)]
    return all(any(each is keeper.effect for keeper in written) for each in brings)


def _names(effect: Installs | Fetches, boot: KubeletStarts) -> bool:
    return boot.family.name.partition("-")[0] in effect.command


def _is_the_images(boot: KubeletStarts, starter: Effect) -> bool:
    """A kubelet that was there before: this script neither installs it nor says anything of its start at boot."""
    if boot.keepers or boot.undoings_of_its_own() or boot.brings_its_unit():
        return False
    if isinstance(starter, Joins):
        known = join(starter.how)
        return known is not None and known.enables == "image"
    return isinstance(starter, Unit) and starter.act is Act.RESTART


def _dies(boot: KubeletStarts, starter: Effect, pool: BootPool | None) -> Draft:
    written = [each for each in boot.keepers if each.effect is not None]
    undone = next(((each, by) for each in written for by in boot.undone(each)), None)
    if undone is not None:
        found = _undone(boot, *undone, starter)
    elif written:
        found = _only_sometimes(boot, written[0], starter)
    else:
        found = _never(boot, starter)
    related = [*found.related, *_reboots(boot, starter)]
    if pool is not None:
        related.append(pool.declared("boots with this script"))
        found = replace(found, on=(pool.title,))
    return replace(found, related=tuple(related), should=_should(boot), cause=CAUSE)


def _undone(boot: KubeletStarts, kept: Keeper, by: Effect, starter: Effect) -> Draft:
    unit = boot.unit_started_by(starter)
    name = by.unit.shown() if isinstance(by, Unit) else kept.unit
    remedy = f"delete this line, or enable {name} behind it"
    if isinstance(by, Unit) and by.act is Act.MASK:
        remedy = f"delete this line, or systemctl unmask {name}"
    related = [Related(kept.effect.place, f"{unit} is enabled here")] if kept.effect is not None else []
    return fail(by, f"{unit} is enabled, and then it is not any more", is_=by.command, related=related, remedy=remedy)


def _only_sometimes(boot: KubeletStarts, kept: Keeper, starter: Effect) -> Draft:
    unit, under = boot.unit_started_by(starter), guard_in_words(kept.conditions, starter.conditions)
    return fail(
        kept.effect or starter,
        f"{unit} is enabled only if {under}, and started in any case",
        is_=f"enabled if {under}",
        related=[Related(starter.place, f"{unit} is started here")],
        remedy=f"systemctl enable {unit} outside of that condition",
    )


def _never(boot: KubeletStarts, starter: Effect) -> Draft:
    unit, image = boot.unit_started_by(starter), boot.family.image
    off = boot.switched_off()
    if off and isinstance(starter, Joins) and starter.tells:
        return fail(
            off[0],
            f"{image}, which starts {unit} at every boot, is switched off, and {unit} is not enabled",
            is_=off[0].command,
            related=[Related(starter.place, "nodeadm is told here how to join")],
            remedy=f"delete this line, or behind it: systemctl enable {unit}",
        )
    if off and starter in off:
        return fail(
            starter,
            f"{image}, which starts {boot.family.name} at every boot, is switched off, and nothing else starts it",
            is_=starter.command,
            remedy=f"delete this line, or behind it: systemctl enable --now {boot.family.name}",
        )
    is_, enables = f"{unit} is started and never enabled", f"systemctl enable {unit}"
    if off:
        is_ += f", {image} is switched off"
    elif boot.joins_by_hand():
        is_ += f", {image} finds no NodeConfig in the user data"
    return fail(
        starter,
        f"{unit} runs in this boot, and nothing starts it after a reboot",
        is_=is_,
        related=[Related(by.place, f"{image} is switched off here") for by in off],
        remedy=f"behind {starter.place.spot}: {enables}",
        edit=Edit(EditKind.COMMAND, starter.place, starter.command, enables, f"Add `{enables}`"),
    )


def _should(boot: KubeletStarts) -> str:
    image = boot.family.image if boot.by_the_image or boot.switched_off() else ""
    return f"{boot.family.name} enabled" + (f", or {image} left enabled" if image else "")


def _reboots(boot: KubeletStarts, starter: Effect) -> list[Related]:
    later = (each for each in boot.timeline.after(starter) if isinstance(each, Reboots))
    return [Related(each.place, "the machine reboots here") for each in later][:1]


@RULE.check
def swap_stays_off(script: BootScript) -> Findings:
    yield from _swap_stays_off(script)


@RULE.check
def another_machines_swap_stays_off(script: RemoteScript) -> Findings:
    yield from _swap_stays_off(script)


def _swap_stays_off(script: BootScript) -> Findings:
    off = None if script.use.builds_an_image else swap_off_for_this_boot(script)
    if off is None:
        skip("nothing here switches swap off for this boot only on a node that kubeadm makes")
    if any(each.question.is_of_template for each in off.effect.conditions):
        yield unknown(off, "whether swap stays off is not known: a template decides whether this line is there")
        return
    yield fail(
        off,
        "swap is switched off for this boot only: where the machine has swap, kubelet does not start after a reboot",
        is_=off.effect.command,
        should="swap off at every boot, too",
        related=off.gone,
        cause="fstab or a swap unit switches it on at every boot, and kubelet refuses to start beside it (failSwapOn)",
        remedy=r"behind it: sed -ri '/\sswap\s/s/^/#/' /etc/fstab (a swap unit of systemd: systemctl mask it)",
    )


@RULE.check
def its_modules_are_loaded(script: BootScript) -> Findings:
    loads = None if script.use.builds_an_image else handed_over_as_option(script)
    if loads is None:
        skip(f"no modprobe here is given {BRIDGE} behind another module on a node that kubeadm makes")
    names = " ".join((loads.module, *loads.options))
    yield fail(
        loads,
        f"{BRIDGE} is not loaded: modprobe takes one module, and hands {loads.module} the other as an option",
        is_=loads.command,
        should=f"modprobe -a {names}",
        cause="the kernel ignores an option that a module does not know; net.bridge.bridge-nf-call-iptables is not "
        "there, sysctl --system fails, and kubeadm's checks (before 1.30) or the CNI refuse the node",
        remedy=f"modprobe -a {names}, and both names in a file of /etc/modules-load.d",
        severity=Severity.WARNING,
    )


@RULE.check
def another_machines_modules_are_loaded(script: RemoteScript) -> Findings:
    return its_modules_are_loaded(script)


@RULE.check
def its_modules_are_loaded_again(script: BootScript) -> Findings:
    is_told = script.use.builds_an_image or swap_off_for_this_boot(script) is not None
    loads = None if is_told else loaded_for_this_boot(script)
    if loads is None:
        skip(f"no {BRIDGE} is loaded here for this boot only, or it is told beside the swap that comes back")
    named = named_where_nobody_reads_it(script)
    yield fail(
        loads,
        f"{BRIDGE} is loaded for this boot only: at the next one the keys of net.bridge in sysctl.d are not there",
        is_=loads.command,
        should=f"{BRIDGE} in a file of /etc/modules-load.d" + (", alone on its line" if named is not None else ""),
        related=[
            Related(
                named.place,
                f"in {named.path.shown()} stands no name of a module alone on a line, or it is "
                "no .conf: systemd-modules-load does not find it",
            )
        ]
        if named is not None
        else [],
        cause="systemd-sysctl passes over keys that the kernel does not know, and what pods send one another over a "
        "bridge then goes past the rules of services and policies; flannel does not start without them",
        remedy=f"echo {BRIDGE} > /etc/modules-load.d/k8s.conf",
        # Some networks load it themselves, and others need no bridge.
        severity=Severity.WARNING,
    )


@RULE.check
def another_machines_modules_are_loaded_again(script: RemoteScript) -> Findings:
    return its_modules_are_loaded_again(script)


@RULE.check
def its_runtime_comes_back(script: BootScript, pool: BootPool | None) -> Findings:
    if script.is_a_part:
        skip(PART)
    is_another = pool is not None and isinstance(pool.pool.distribution.state, Known) and _has_nodeadm(pool)
    found = None if script.use.builds_an_image or is_another else started_for_this_boot(script)
    if found is None or _runs_at_every_boot(script):
        skip("nothing here starts a container runtime for this boot only on a node that kubeadm makes")
    name = found.runtime.name
    if found.doubt is not None:
        place, why = found.doubt
        yield unknown(place, f"whether {name} starts after a reboot is not known: {why}")
        return
    yield fail(
        found.starts,
        f"{name} runs in this boot, and nothing starts it after a reboot",
        is_=f"{name} is started and never enabled",
        should=f"{name} enabled",
        related=[Related(found.installs.place, "its package comes from RPM, which leaves the unit disabled")],
        cause="kubelet starts no runtime and finds none: it ends again and again, and the node stays NotReady",
        remedy=f"behind {found.starts.place.spot}: systemctl enable {name}",
    )


@RULE.check
def its_packages_can_be_had(script: BootScript) -> Findings:
    yield from _packages_can_be_had(script)


@RULE.check
def another_machines_packages_can_be_had(script: RemoteScript) -> Findings:
    yield from _packages_can_be_had(script)


def _packages_can_be_had(script: BootScript) -> Findings:
    gone = packages_gone(script)
    if gone is None:
        skip("it installs no kubelet from a repository that is not there any more")
    names = " and ".join(gone.packages)
    come = f"{names} {'are' if len(gone.packages) > 1 else 'is'} to come from there"
    yield fail(
        gone.place,
        f"{names} can't be installed from {gone.named}, which was switched off in {gone.repository.since}",
        is_=gone.named,
        should=gone.repository.instead,
        related=[Related(gone.installs.place, come)] if gone.installs is not None else [],
        cause="apt and dnf find no such package there: there is no kubelet, and the node never joins",
        remedy=f"take the packages from {gone.repository.instead}",
    )


@RULE.check
def their_archive_is_there(archive: NamedArchive) -> Findings:
    names, since = " and ".join(archive.repository.packages), archive.repository.since
    yield fail(
        archive.place,
        f"{names} can't be installed from {archive.named}, which was switched off in {since}",
        is_=archive.named,
        should=archive.repository.instead,
        cause="whoever installs with what is named here finds no such package: there is no kubelet, and the node never "
        "joins",
        remedy=f"name {archive.repository.instead}",
    )


@RULE.check
def its_packages_are_numbered_so(script: BootScript) -> Findings:
    found = old_number_asked_for(script)
    if found is None:
        skip("it asks pkgs.k8s.io for no number of another archive")
    yield fail(
        found.installs,
        f"apt finds no {found.written}: pkgs.k8s.io numbers its packages otherwise",
        is_=found.written,
        should=f"{found.written.removesuffix('-00')}-1.1",
        cause="-00 is how the archive numbered them that was switched off in March 2024; apt-get ends with `Version … "
        "was not found`, and there is no kubelet",
        remedy=f"{found.written.partition('=')[0]}=1.NN.P-1.1, as `apt-cache madison kubelet` lists them",
    )


@RULE.check
def its_options_are_there(script: BootScript) -> Findings:
    found = list(gone_options(script))
    if not found:
        skip("it gives its kubelet no option that this release has no more")
    yield _over_options(found)


@RULE.check
def the_options_of_its_config_are_there(config: KubeadmConfig, every: Sequence[KubeadmConfig]) -> Findings:
    """The file as a whole says which Kubernetes it is for."""
    same = [each for each in every if each.place.path == config.place.path]
    minors = {each.minor for each in same if each.minor is not None}
    found = list(gone_from_configs([config], minors.pop())) if len(minors) == 1 else []
    if not found:
        skip("it gives kubelet no option that its release has no more, or does not say which release that is")
    yield _over_options(found)


def _over_options(found: Sequence[GoneOption]) -> Draft:
    first, *others = found
    return fail(
        first.place,
        f"kubelet 1.{first.minor} knows no --{first.name} and ends over it: it is gone since 1.{first.since}",
        is_=f"--{first.name}",
        should=first.instead,
        related=[Related(each.place, f"nor --{each.name}, since 1.{each.since}") for each in others],
        cause=f"kubelet ends with `{'unrecognized feature gate' if '=' in first.name else 'unknown flag'}`, systemd "
        "starts it again and again, and kubeadm waits for it in vain",
        remedy=f"take --{first.name} out ({first.place.spot})",
    )


@RULE.check
def kubeadm_may_forward(script: BootScript) -> Findings:
    refused = None if script.use.builds_an_image else refused_by_preflight(script)
    if refused is None:
        skip("kubeadm runs on no machine that is prepared here, or finds net.ipv4.ip_forward set")
    yield fail(
        refused,
        "kubeadm refuses the machine: nothing here sets net.ipv4.ip_forward to 1",
        is_=refused.command,
        should="net.ipv4.ip_forward = 1 in a file of /etc/sysctl.d, and sysctl --system before kubeadm",
        cause="the kernel begins with 0, and containerd sets nothing; unless the image does, kubeadm's preflight ends "
        "it with FileContent--proc-sys-net-ipv4-ip_forward, and kubelet is told nothing",
        remedy="echo 'net.ipv4.ip_forward = 1' > /etc/sysctl.d/k8s.conf; sysctl --system",
        # What its image sets is not seen here.
        severity=Severity.WARNING,
    )


@RULE.check
def systemd_starts_it_again(
    kubelet: NodeKubelet, runtimes: NodeRuntimes, identity: NodeIdentity, end: BootEnd
) -> Findings:
    yield from kubelet_drafts(kubelet, runtimes, identity, end, CAUSE)
