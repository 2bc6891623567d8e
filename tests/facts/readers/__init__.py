"""What the tables of tests/facts/as_read are read by: from a text to all that is read of it, a line each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from tests.facts.readers import clusters, drift, firewall, hosts, nodes, slurm
from tests.facts.readers.files import read_files

# One table a kind of file.
OF_FILES = (
    *("slurm_jobs", "registries", "pods", "operator", "hami", "services", "boot_scripts", "aws_resources"),
    *("pools_of_clouds", "ansible_tasks"),
)
READERS: Mapping[str, Callable[[str], Iterable[str]]] = {
    **clusters.READERS,
    **drift.READERS,
    **firewall.READERS,
    **hosts.READERS,
    **nodes.READERS,
    **slurm.READERS,
    **dict.fromkeys(OF_FILES, read_files),
}
