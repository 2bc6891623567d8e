"""What the log of a pod with GPUs, or of what hands them out, says that is its node's doing, and not its program's."""

from __future__ import annotations

from nodeworthy.known.chain import link_of_evidence
from nodeworthy.known.evidence import Evidence, EvidenceMatch, in_text
from nodeworthy.known.tables import table_of
from nodeworthy.patterns import pattern


def _ids(group: str) -> frozenset[str]:
    return frozenset(table_of("own_words")[group])


# The links that are there before any program runs.
_OF_THE_NODE = frozenset(("bound", "module", "userland", "healthy", "fabric", "toolkit", "cdi", "runtime"))
_OF_WHOEVER_INSTALLS = _ids("of_whoever_installs")
# The tables of what lies around a program that runs: between its ranks, on its network, in its volumes, in its image.
_AROUND_IT = frozenset(("collectives", "network", "storage", "cuda", "frameworks"))
_ITS_OWN = _ids("of_the_program")
SEES_NONE = _ids("sees_no_gpu")
ONLY_NONE = _ids("says_no_more")
_OF_SLURMS_NODES = _ids("of_slurms_nodes")
# By these Slurm's daemons say that a node works again.
_WORKS_AGAIN = pattern(r"(?i)returned to service|state set to (?:IDLE|RESUME)|now responding")
# So many lines of such a daemon are of now.
_OF_NOW = 50
# By this a program says that it gets no more of a GPU's memory.
NO_MEMORY = "cuda-out-of-memory"
# Of a program it says no more than that it sees none; of a part of the stack it tells more.
NO_LIBRARY = "nvml-library-not-found"


def words_of_the_node(log: str, *, shares: bool = False) -> str:
    """Returns the line by which a program that crashed tells what its node or its container lacks: what it says of its
    node comes before what is wrong around it. Where it shares a GPU in turn with others, that is memory, too."""
    known = in_text(log)
    found = sorted(filter(_is_of_its_node, known), key=lambda each: each.evidence.is_symptom)
    found = found or list(filter(_is_around_it, known))
    if not found and shares:
        found = [each for each in known if each.evidence.id == NO_MEMORY]
    return _line(found[0]) if found else ""


def words_of_no_gpu(log: str) -> str:
    """Returns the line by which a program that runs on says that it goes without the GPUs that it was given."""
    return next((_line(each) for each in in_text(log) if each.evidence.id in SEES_NONE), "")


def words_of_slurms_nodes(log: str) -> str:
    """Returns the line by which a daemon of Slurm's says why a node does not work, and has not since come back."""
    lines = log.splitlines()[-_OF_NOW:]
    again = max((at for at, line in enumerate(lines, 1) if _WORKS_AGAIN.search(line)), default=0)
    found = [each for each in in_text("\n".join(lines[again:])) if each.evidence.id in _OF_SLURMS_NODES]
    return _line(found[0]) if found else ""


def words_of_no_library(log: str) -> str:
    """The same of a program that nobody gave any by name: that it finds no library of the driver says as much."""
    return next((_line(each) for each in in_text(log) if each.evidence.id in (*SEES_NONE, NO_LIBRARY)), "")


def is_of_the_node(evidence: Evidence) -> bool:
    """Whether it tells of what a node owes its containers before any program runs."""
    if evidence.id in _OF_WHOEVER_INSTALLS:
        return False
    link = link_of_evidence(evidence.id, evidence.layer)
    return evidence.id in SEES_NONE or (not evidence.is_symptom and link in _OF_THE_NODE)


def _is_of_its_node(found: EvidenceMatch) -> bool:
    return is_of_the_node(found.evidence)


def _is_around_it(found: EvidenceMatch) -> bool:
    evidence = found.evidence
    vague = evidence.is_symptom or evidence.is_family
    return evidence.layer in _AROUND_IT and not vague and evidence.id not in _ITS_OWN


def _line(found: EvidenceMatch) -> str:
    return " ".join(found.words.split())
