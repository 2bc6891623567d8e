"""The RuntimeClasses of manifests, beside nodes whose image brings the toolkit and its runtimes."""

from __future__ import annotations

from nodeworthy.facts.cluster.classes import ClusterClasses, RuntimeClass
from nodeworthy.facts.containerd.image_handlers import ImageHandlers
from nodeworthy.rules.runtime_class_agrees import RULE
from nodeworthy.verdict import Findings, Severity, Unknown, fail, need, skip


@RULE.check
def the_image_has_its_handler(runtime: RuntimeClass, classes: ClusterClasses, images: ImageHandlers) -> Findings:
    """Where no operator and no file of containerd's configuration says which runtimes there are."""
    if classes.maker is not None or classes.configured or not runtime.is_nvidias:
        skip("it is not NVIDIA's, or somebody else writes containerd's runtimes")
    if isinstance(runtime.handler.state, Unknown):
        skip("which handler it names is not known, and told of already")
    handler, names = str(need(runtime.handler)), " or ".join(images.names)
    if images.may_have(handler):
        return
    yield fail(
        runtime.handler,
        f"{runtime.title} names a handler that the image of its nodes does not have",
        is_=handler,
        should=names,
        related=[images.told()],
        severity=Severity.WARNING if images.is_likely else Severity.ERROR,
        cause=f'its pods stay in ContainerCreating: no runtime for "{handler}" is configured',
        remedy=f"handler: {names}",
    )
