"""Whether the image that a NodePool's class names is young enough for the machines that the pool may start."""

from __future__ import annotations

from nodeworthy.documents.tree import Tree
from nodeworthy.facts.fleet.karpenter_choice import ChosenClass
from nodeworthy.known.node_images import FirstImage, first_image_for
from nodeworthy.rules.nodepool_can_serve import RULE
from nodeworthy.verdict import Findings, Related, fail

_FAMILY, _TYPE = "karpenter.k8s.aws/instance-family", "node.kubernetes.io/instance-type"


@RULE.check
def its_image_knows_the_machines(chosen: ChosenClass) -> Findings:
    pool, node_class = chosen.pool, chosen.node_class
    terms = node_class.tree.get("spec", "amiSelectorTerms").sequence
    images = [each for term in terms for each in (term.get("alias"), term.get("name")) if each.text is not None]
    named = [value for key, operator, values in pool.requirements if _names(key, operator) for value in values]
    found = [(value, image, old) for value in named for image in images if (old := _too_old(value, image)) is not None]
    # Of several images, or machines, another may be taken.
    if len(images) == 1 and len(terms) == 1 and found and len(found) == len(named):
        value, image, first = found[0]
        yield fail(
            image.located(),
            f"the image of {node_class.title} is older than the first that serves {first.family}",
            is_=image.string,
            should=f"a release from v{first.since:%Y%m%d} on",
            related=[Related(value.place, f"{pool.title} starts {value.string}")],
            cause=first.because,
            remedy=f"name v{first.since:%Y%m%d} or a later one, which the releases of amazon-eks-ami list",
            link="module",
        )


def _names(key: str, operator: str) -> bool:
    return operator == "In" and key in (_FAMILY, _TYPE)


def _too_old(value: Tree, image: Tree) -> FirstImage | None:
    return first_image_for(value.string.partition(".")[0], image.string)
