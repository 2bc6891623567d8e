"""accelerate's own config file, which says what its command line does not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from nodeworthy.boot.text import Text
from nodeworthy.documents.yaml import NotYaml, read_all
from nodeworthy.facts.slurm.launch import Launch
from nodeworthy.verdict import Place

_SAID = ("num_machines", "machine_rank", "main_process_ip", "main_process_port", "rdzv_backend", "num_processes")


def with_config(launch: Launch, text: str, place: Place) -> Launch:
    """The launch as it is with the file's words; as it was where they can't be read. The command line wins."""
    try:
        (document,) = read_all(text, place)
    except (NotYaml, ValueError):
        return launch
    told = {name: document.get(name) for name in _SAID}
    scalars = {name: tree.value for name, tree in told.items() if isinstance(tree.value, str | int)}
    held: Mapping[str, Text] = {name: Text.of(str(value)) for name, value in scalars.items()}
    own = {name: value for name, value in launch.options.items() if name != "config_file"}
    return replace(launch, options={**held, **own})
