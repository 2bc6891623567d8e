"""Where somebody wants profiling, the option is on disk, on every path, before anything may load the nvidia module.

The driver lets only administrators read the GPU's counters unless it is told otherwise. Whoever merely installs a
driver hears nothing of that here. It is asked for where the option is written somewhere (in the script, or in a file of
modprobe beside it, and not to 1, which is the driver's default), where a pool of the fleet promises nodes for
profiling, where a node registers as one (`gpu.monitoring/profiling-dedicated`), where a profiler is installed or run
(`nsight-compute`, `ncu`, `nsys`), and where a pod beside the script profiles without being an administrator.

A kernel module takes its options when it is loaded, and never again. Installing a driver's package loads the module,
and so do a `.run` installer, `nvidia-smi`, the persistence daemon, fabric manager and a container with a GPU. So
`options nvidia NVreg_RestrictProfilingToAdminUsers=0` must be in a file of `/etc/modprobe.d` that ends in `.conf`
before the first of them; written afterwards it is as good as absent, until the module is unloaded and loaded again or
the machine reboots. On the kernel's command line it takes effect with a reboot. NVIDIA's AL2023 image loads the module
by itself before user data's shell parts run: there the option belongs into a `text/cloud-boothook` part, `bootcmd` or
`write_files`. A driver of the GPU operator reads nothing of the host: its option goes through
`driver.kernelModuleConfig`. Of files of modprobe that stand alone those are judged that speak of the option: misspelt,
given to another module or undone by a file whose name sorts later, it is as good as absent. On a node it is the value
of the loaded module that counts, in `/proc/driver/nvidia/params`: beside a right file, a wrong value is an old one, and
beside a wrong file, a right value is gone with the next boot.
"""

from __future__ import annotations

from collections.abc import Sequence

from nodeworthy.boot.timeline import Timeline
from nodeworthy.boot.userdata import PartKind
from nodeworthy.facts.boot.driver_loads import Load, image_load, unknown_packages, unread_loads, unread_step_before
from nodeworthy.facts.boot.drivers import who_brings
from nodeworthy.facts.boot.pools import is_for_gpus
from nodeworthy.facts.boot.remote_script import RemoteScript
from nodeworthy.facts.boot.script import BootPool, BootScript
from nodeworthy.facts.boot.unread_steps import Unread, may_write_the_option, unread_steps
from nodeworthy.facts.node.driver import NodeDriver, lost_at_the_next_boot, option_draft
from nodeworthy.facts.node.files import NodeFiles
from nodeworthy.facts.node.identity import NodeIdentity
from nodeworthy.facts.node.paths import NodeFileKind
from nodeworthy.facts.profiling.asked import ProfilingAsked, sign_of_profiling
from nodeworthy.facts.profiling.modprobe_line import Says, means_the_option, says_the_default
from nodeworthy.facts.profiling.option_in_time import OptionInTime
from nodeworthy.fleet.model import Driver
from nodeworthy.known.profiling import image_loads_early, option
from nodeworthy.records import replace
from nodeworthy.rule import Rule
from nodeworthy.rules.profiling_before_driver.option_story import CAUSE, OptionStory
from nodeworthy.verdict import Draft, Findings, Related, Severity, Verdict, need, skip, unknown

RULE = Rule(
    "profiling-before-driver",
    severity=Severity.ERROR,
    incident="D",
    title="The profiling option is on disk before anything may load the nvidia module",
    remedy=f"write `{option().line}` into /etc/modprobe.d/nvprof.conf before anything loads the driver",
)

NOBODY = "nobody asks for profiling here: neither the option, nor a fleet, a label, a pod or a profiler"
NOTHING = "nothing in this script loads a GPU driver"
IMAGE = "the image's own units load the module, before shell parts and runcmd"


@RULE.check
def the_option_is_there_when_the_module_is_loaded(script: BootScript, pool: BootPool | None) -> Findings:
    boot = OptionInTime(script.timeline)
    wanted = None if boot.is_meant else sign_of_profiling(script, pool)
    if wanted is None and not boot.is_meant:
        skip(NOBODY)
    judged = _judged(script, pool, boot)
    yield from judged if wanted is None else (_asked_for(each, wanted, None) for each in judged)


@RULE.check
def the_option_is_there_on_another_machine(script: RemoteScript) -> Findings:
    return the_option_is_there_when_the_module_is_loaded(script, None)


@RULE.check
def what_stands_beside_the_script_asks_for_it(
    script: BootScript, beside: ProfilingAsked, pool: BootPool | None
) -> Findings:
    boot = OptionInTime(script.timeline)
    if boot.is_meant or sign_of_profiling(script, pool) is not None:
        skip("the script, or its pool, asks for it")
    file = beside if beside.may_be_the_option else None
    sign = Related(beside.place, beside.says)
    yield from (_asked_for(each, sign, file) for each in _judged(script, pool, boot))


def _asked_for(found: Draft, sign: Related, file: ProfilingAsked | None) -> Draft:
    """The finding with what asks for profiling. Of a file beside the script that sets the option, nobody knows whether
    it gets onto the node."""
    told = replace(found, related=tuple(dict.fromkeys((*found.related, sign))))
    if file is None or told.verdict is not Verdict.FAIL:
        return told
    why = f"whether {file.place.path} is on the node before the driver is loaded is not known: no step brings it"
    return unknown(told.where, why, should=told.should, related=told.related, remedy=told.remedy)


def _judged(script: BootScript, pool: BootPool | None, boot: OptionInTime) -> Findings:
    if not boot.loads and pool is not None and pool.pool.is_gpu and _brings(pool, boot.timeline) is Driver.OPERATOR:
        skip("the operator's driver reads nothing of the host: its option goes through driver.kernelModuleConfig")
    if pool is not None and not pool.pool.is_gpu and not boot.installs_the_driver:
        skip(f"{pool.title} has no GPU, and this script installs no driver")
    by_the_image = _by_the_image(boot, pool) if pool is not None else _by_the_stacks_image(boot, script)
    if not boot.loads and not by_the_image:
        yield from _nothing_loads_it(script, pool, boot)
        return
    found = boot.first_without(by_the_image)
    if found is not None:
        yield from _without(script, boot, *found, pool)
        return
    yield from _may_load_it(boot, [*unread_loads(boot.timeline), *unknown_packages(boot.timeline)])


@RULE.check
def the_files_of_modprobe_set_it(files: NodeFiles) -> Findings:
    files = files.only(NodeFileKind.MODPROBE)
    boot = OptionInTime(files.timeline)
    speaks = (each.is_ for each in boot.writes if not says_the_default(each.is_))
    if not boot.is_meant and not any(means_the_option(word) for said in speaks for word in said.split()):
        skip("none of them speaks of the profiling option")
    reads = Load(len(boot.timeline.effects), files.place, "modprobe reads them when it loads the module")
    answer = boot.has_it(reads)
    story = OptionStory(boot, reads, files.place)
    if answer is None:
        yield story.doubt()
    elif not answer:
        told = story.told()
        yield replace(told, related=tuple(each for each in told.related if each.says != reads.because))


def _brings(pool: BootPool, timeline: Timeline) -> Driver:
    """Who brings the driver; where the image does not tell it, what the fleet takes for granted."""
    said = who_brings(pool, timeline).driver
    without = pool.image is not None and pool.image.has_driver is False
    return said or (Driver.OPERATOR if without else pool.pool.driver)


def _by_the_stacks_image(boot: OptionInTime, script: BootScript) -> list[Load]:
    """Where no fleet says it, the image does from which a stack starts its machines."""
    image = script.image
    if image is None or not image.has_driver or image.distribution is None or boot.installs_the_driver:
        return []
    loads = image_loads_early(image.distribution)
    return [image_load(boot.timeline, image.place, f"{IMAGE} ({image.named})")] if loads else []


def _by_the_image(boot: OptionInTime, pool: BootPool) -> list[Load]:
    """An image whose driver the script installs once more has none: which of both is wrong is another rule's."""
    if not pool.pool.is_gpu or boot.installs_the_driver:
        return []
    if _brings(pool, boot.timeline) is not Driver.AMI:
        return []
    distribution = need(pool.pool.distribution)
    if distribution == "bottlerocket":
        skip("Bottlerocket takes its module options from its own settings, which are not read here")
    return [image_load(boot.timeline, pool.place, IMAGE)] if image_loads_early(distribution) else []


def _without(
    script: BootScript, boot: OptionInTime, load: Load, answer: bool | None, pool: BootPool | None
) -> Findings:
    on = pool.title if pool is not None else ""
    story = OptionStory(boot, load, script.place)
    gap = _unread(boot, load) if answer is False else None
    if gap is not None:
        why = f"whether the profiling option is written before the driver is loaded is not known: {gap.why}"
        yield unknown(gap.effect, why, related=[story.loads_it()], on=on or ())
    elif answer is None:
        yield story.doubt().with_more(on=on, related=[story.loads_it()])
    else:
        yield story.told().with_more(on=on)


def _unread(boot: OptionInTime, load: Load) -> Unread | None:
    """A step that may write it. Where the script writes it itself, nobody looks for it in what was not read."""
    gap = unread_step_before(boot.timeline, load.at)
    if gap is not None:
        return Unread(gap, gap.why)
    return None if boot.is_meant else may_write_the_option(boot.timeline, load.at)


def _nothing_loads_it(script: BootScript, pool: BootPool | None, boot: OptionInTime) -> Findings:
    """The driver is loaded by something else, or not at all."""
    wanted = pool is not None and pool.pool.is_gpu
    if not wanted and not boot.is_meant:
        yield from _nobody_asks(script, boot)
        return
    place = pool.place if pool is not None and wanted else script.place
    afterwards = Load(len(boot.timeline.effects), place, "whatever loads the module comes after this script")
    answer = boot.has_it(afterwards)
    if not answer:
        yield from _without(script, boot, afterwards, answer, pool)
    elif _image_may_load_it(script, pool) and not boot.has_it(image_load(boot.timeline, place, IMAGE)):
        right = next(each for each in boot.writes if each.says is Says.RIGHT)
        yield unknown(
            right.place,
            "the profiling option comes too late if the image loads the module, and whether it does is not known",
            remedy="write it in a text/cloud-boothook part, bootcmd or write_files, which come first in any case",
        )
    else:
        yield from _may_load_it(boot, [*unread_loads(boot.timeline), *unknown_packages(boot.timeline)])


def _nobody_asks(script: BootScript, boot: OptionInTime) -> Findings:
    """No step is seen that loads it or sets the option, and no pool wants a GPU."""
    gaps = unread_loads(boot.timeline)
    blind = next(unread_steps(boot.timeline), None)
    if blind is not None and not gaps and is_for_gpus(script):
        yield unknown(blind, f"whether this loads the driver is not known: {blind.why}")
    yield from _may_load_it(boot, gaps)
    if not gaps:
        skip(NOTHING if blind is None else f"what can be read of this script loads no GPU driver: {blind.why}")


def _image_may_load_it(script: BootScript, pool: BootPool | None) -> bool:
    """This script installs no driver, and yet it is meant to find one."""
    if pool is not None:
        return pool.pool.is_gpu and _brings(pool, script.timeline) is Driver.AMI
    return script.userdata.has(PartKind.NODE_CONFIG)


def _may_load_it(boot: OptionInTime, gaps: Sequence[Load]) -> Findings:
    for gap in gaps:
        if not boot.has_it(gap):
            why = f"whether this loads the driver before the profiling option is written is not known: {gap.because}"
            yield unknown(gap.place, why)
            return


@RULE.check
def the_loaded_module_has_it(driver: NodeDriver, identity: NodeIdentity) -> Findings:
    identity.only_with_gpus()
    driver.only_loaded()
    if need(driver.admin_only) != option().value:
        yield option_draft(driver, identity, CAUSE)
    elif driver.options_unread is not None:
        yield unknown(driver, f"what modprobe is told at the next boot is not known: {driver.options_unread}")
    elif (found := lost_at_the_next_boot(driver, identity)) is not None:
        yield found
