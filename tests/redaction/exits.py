"""Everything by which words of others leave this program. Each exit takes texts and tells all that came out of it."""

from __future__ import annotations

import base64
import io
import json
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
from unittest import mock

import yaml

from nodeworthy.collect.cluster import live
from nodeworthy.collect.cluster.connection import Connection
from nodeworthy.collect.cluster.kinds import PODS
from nodeworthy.collect.cluster.pod_logs import WantedLog
from nodeworthy.collect.cluster.recording import Recording
from nodeworthy.collect.node.recording import as_text, recording_from_data
from nodeworthy.repair.change import Target
from nodeworthy.repair.edit import LABELS, Edit
from nodeworthy.repair.record import Record
from nodeworthy.repair.told import diff
from tests.cluster import incident
from tests.cluster.objects import Object, pod
from tests.plan.programs import project
from tests.run import Ran, run

Texts = Sequence[str]
FORMATS = ("text", "sarif", "junit", "github", "markdown", "html")


def _words(ran: Ran, *folders: Path) -> str:
    kept = [each for folder in folders for each in sorted(folder.rglob("*")) if each.is_file()]
    return "\n".join([ran.out, ran.err, *(each.read_text(encoding="utf-8", errors="replace") for each in kept)])


def _every_format(command: Sequence[str], folder: Path) -> str:
    """Of one run; what it keeps for the next one, too."""
    out, cache = folder.parent / "out", folder.parent / "cache"
    out.mkdir(exist_ok=True)
    also = [f"--also={form}={out / form}" for form in FORMATS]
    with mock.patch.dict(os.environ, {"XDG_CACHE_HOME": str(cache)}):
        ran = run(*command, "--format", "json", "--show-passed", *also, cwd=folder)
    assert ran.out, ran.err
    return _words(ran, out, cache)


def _script(texts: Texts) -> str:
    """As they stand in user data, with a fault of ours beside them."""
    files = "".join(f"cat > /etc/app/{number} <<'END'\n{text}\nEND\n" for number, text in enumerate(texts))
    ran = "".join(f"{text}\n" for text in texts if "\n" not in text and text.isascii() and "'" not in text)
    option = "echo 'options nvidia NVreg_RestrictProfilingToAdminUsers=0' > /etc/modprobe.d/nvprof.conf\n"
    option = "echo 'options nvidia NVreg_RestrictProfilingToAdminUsers=0' > /etc/modprobe.d/nvprof.conf\n"
    return f"#!/bin/bash\nset -euo pipefail\n{files}{ran}dnf install -y nvidia-driver\nnvidia-smi\n{option}"


def _pod_spec(texts: Texts) -> Object:
    env = [{"name": f"NOTE_{number}", "value": text} for number, text in enumerate(texts)]
    container = {"name": "main", "image": "a:1", "args": ["serve", *texts], "env": env}
    return {"containers": [{**container, "resources": {"limits": {"nvidia.com/gpu": "0.5"}}}]}


def _deployment(texts: Texts) -> Object:
    template = {"metadata": {"labels": {"app": "a"}}, "spec": _pod_spec(texts)}
    spec = {"selector": {"matchLabels": {"app": "a"}}, "template": template}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "a"}, "spec": spec}


def _config_map(texts: Texts) -> Object:
    data = {f"file{number}": text for number, text in enumerate(texts)}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "files"}, "data": data}


def _sources(texts: Texts, folder: Path) -> Path:
    below = folder / "work"
    below.mkdir()
    (below / "user-data.sh").write_text(_script(texts), encoding="utf-8")
    (below / "pods.yaml").write_text(yaml.safe_dump_all([_deployment(texts), _config_map(texts)]), encoding="utf-8")
    return below


def check(texts: Texts, folder: Path) -> str:
    return _every_format(["check", "."], _sources(texts, folder))


def baseline(texts: Texts, folder: Path) -> str:
    below = _sources(texts, folder)
    ran = run("baseline", ".", cwd=below)
    return _words(ran) + (below / ".nodeworthy-baseline.json").read_text() if ran.code == 0 else _words(ran)


def mended(texts: Texts, folder: Path) -> str:
    below = _sources(texts, folder)
    return _words(run("check", "--fix", "--dry-run", ".", cwd=below))


def boot(texts: Texts, folder: Path) -> str:
    below = _sources(texts, folder)
    return "\n".join(_words(run("boot", "user-data.sh", "--format", form, cwd=below)) for form in ("text", "json"))


def editor(texts: Texts, folder: Path) -> str:
    from nodeworthy.fixes.text import Text
    from nodeworthy.lsp.checking import Workspace, check_text
    from nodeworthy.lsp.told import Ruler, diagnostic, explain_findings

    below = _sources(texts, folder)
    told = []
    for path in sorted(below.iterdir()):
        text = path.read_text(encoding="utf-8")
        found = check_text(path, text, Workspace())
        ruler = Ruler(Text(str(path), text))
        told += [repr(diagnostic(each, ruler, "")) for each in found.here]
        told += [explain_findings(found.here), *map(repr, found.refused), *(each.title for each in found.proposed)]
    return "\n".join(told)


PROGRAM = """
import json
texts = json.load(open("texts.json"))
script, objects = texts["script"], texts["objects"]
Raw("aws:ec2/launchTemplate:LaunchTemplate", "nodes", {"instanceType": "p5.48xlarge", "userData": script})
for number, each in enumerate(objects):
    kind = {"Deployment": "apps/v1:Deployment", "ConfigMap": "core/v1:ConfigMap"}[each["kind"]]
    Raw(f"kubernetes:{kind}", f"object-{number}", each)
release({"driver": {"enabled": False}, "notes": texts["texts"]})
for number, each in enumerate(texts["texts"]):
    pulumi.export(f"output-{number}", each)
print(*texts["texts"], sep="\\n")
"""


def preview(texts: Texts, folder: Path) -> str:
    below = folder / "work"
    below.mkdir()
    packed = base64.b64encode(_script(texts).encode()).decode()
    told = {"script": packed, "objects": [_deployment(texts), _config_map(texts)], "texts": list(texts)}
    project(below, PROGRAM)
    (below / "texts.json").write_text(json.dumps(told), encoding="utf-8")
    return _every_format(["preview", "--timeout", "60"], below)


def _node_data(texts: Texts) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(incident_recording().read_text(encoding="utf-8"))
    for number, text in enumerate(texts):
        part = {"name": f"file /etc/app/{number}", "exit": 0, "seconds": 0.1, "stdout": text.split("\n")}
        data["parts"].insert(-1, {**part, "stderr": ["cat: a warning", *text.split("\n")]})
    return data


def incident_recording() -> Path:
    from tests.node.recordings import INCIDENT

    return INCIDENT


def node(texts: Texts, folder: Path) -> str:
    """Also of one that could not be reached, with what its ssh said."""
    below = folder / "work"
    below.mkdir()
    unreached = {"schema": "nodeworthy/recording/v1", "moment": "node", "host": "ssh://h2", "parts": []}
    (below / "h1.json").write_text(json.dumps(_node_data(texts)), encoding="utf-8")
    (below / "h2.json").write_text(json.dumps({**unreached, "unreached": "\n".join(texts)}), encoding="utf-8")
    told = _every_format(["node", "replay:h1.json", "replay:h2.json", "--record", "again"], below)
    kept = [each.read_text(encoding="utf-8") for each in sorted((below / "again").glob("*.json"))]
    lines = [as_text(recording_from_data(_node_data(texts)))]
    said = [line for each in (*kept, *lines) for part in json.loads(each)["parts"] for line in part["stdout"]]
    return "\n".join([told, *kept, *lines, *said])


def _pods(texts: Texts) -> list[Object]:
    said = {"metadata": {"annotations": {f"notes/{n}": text for n, text in enumerate(texts)}}}
    waits = [{"name": "main", "state": {"waiting": {"reason": "CrashLoopBackOff", "message": "\n".join(texts)}}}]
    made = pod("noted", "default", containers=_pod_spec(texts)["containers"], status={"containerStatuses": waits})
    return [{**made, "metadata": {**made["metadata"], **said["metadata"]}}]


def cluster(texts: Texts, folder: Path) -> str:
    below = folder / "work"
    below.mkdir()
    kinds = incident.incident()
    kinds["pods"] = [*kinds["pods"], *_pods(texts)]
    kinds["events"] = [{**each, "message": "\n".join([each["message"], *texts])} for each in kinds["events"]]
    incident.write(below / "dump", kinds, incident.FLEET)
    toolkit = next(each for each in kinds["pods"] if "toolkit" in each["metadata"]["name"])["metadata"]
    log = below / "dump" / "logs" / toolkit["namespace"] / toolkit["name"] / "nvidia-container-toolkit-ctr.log"
    log.parent.mkdir(parents=True)
    log.write_text("".join(f"level=error msg={json.dumps(each)}\n" for each in texts), encoding="utf-8")
    told = _every_format(["diagnose", "--from", "dump"], below)
    return told + _words(run("diagnose", "--from", "dump", "--ledger", "--format", "brief", cwd=below))


class _Says(Connection):
    def __init__(self, said: str) -> None:
        self.said = said

    def text(self, path: str, query: dict[str, str], most: int) -> tuple[int, bytes]:
        return 200, self.said.encode()


def recorded(texts: Texts, folder: Path) -> str:
    """What `diagnose --record` writes."""
    recording = Recording(str(folder / "kept"), None)
    kind = recording.kind(PODS)
    for each in _pods(texts):
        kind.add(each)
    kind.finish()
    wanted = WantedLog("default", "noted", "main", previous=False)
    log, _ = live._answer(_Says("\n".join(texts)), wanted)
    recording.log(wanted, log or "")
    recording.refused_logs({"Pod/default/other": "\n".join(texts)})
    recording.finish()
    files = [each for each in sorted((folder / "kept").rglob("*")) if each.is_file()]
    kept = [each.read_text(encoding="utf-8") for each in files]
    said = [_strings(json.loads(text)) for each, text in zip(files, kept, strict=True) if each.suffix == ".json"]
    return "\n".join([*kept, *(text for each in said for text in each)])


def _strings(data: Any) -> list[str]:
    if isinstance(data, dict):
        return [each for value in data.values() for each in _strings(value)]
    if isinstance(data, list):
        return [each for value in data for each in _strings(value)]
    return [data] if isinstance(data, str) else []


def repaired(texts: Texts, folder: Path) -> str:
    """The change that is shown, and what is kept of the object to undo it."""
    was = {"kind": "Node", "metadata": {"name": "n"}, "spec": _pod_spec(texts)}
    record = Record(Target("Node", "n"), "1", (Edit(LABELS, "a", "1", "2"),), was=was)
    shown = diff({"spec": {}}, was, "Node/n")
    return "\n".join([shown, json.dumps(record.as_data()), *_strings(record.as_data())])


def refused(texts: Texts, folder: Path) -> str:
    """What is said of an argument that is none, and of a rule that crashes."""
    told = [_words(run("check", "--fleet", each, ".", cwd=folder)) for each in texts if "\x00" not in each]
    told += [_words(run("diagnose", "--prometheus", each, "--from", ".", cwd=folder)) for each in texts]
    with mock.patch("nodeworthy.commands.rules.run", side_effect=RuntimeError("\n".join(texts))):
        told.append(_words(run("rules", cwd=folder)))
        with mock.patch.dict(os.environ, {"NODEWORTHY_TRACEBACK": "1"}):
            told.append(_words(run("rules", cwd=folder)))
    return "\n".join(told)


def fleet(texts: Texts, folder: Path) -> str:
    values = {"toolkit": {"enabled": True}, "notes": list(texts), "env": [{"name": "A", "value": t} for t in texts]}
    declared: Object = {"cluster": {"name": "c"}, "operator": {"chart": "v26.3.0", "values": values}}
    declared["pools"] = {"p": {"gpu": "h200", "distribution": "kubeadm", "provision": False}}
    (folder / "Pulumi.dev.yaml").write_text(yaml.safe_dump({"config": {"nodeworthy:fleet": declared}}))
    forms = ("text", "json", "html")
    every = [run("fleet", "--fleet", "Pulumi.dev.yaml", "--format", form, cwd=folder) for form in forms]
    assert all(each.code == 0 for each in every), every[0].err
    return "\n".join([*map(_words, every), *_strings(every[1].report)])


def explained(texts: Texts, folder: Path) -> str:
    known = 'failed to create containerd task: no runtime for "nvidia" is configured'
    log = "".join(f"{each} {known} {each}\n" for each in texts)
    said = io.TextIOWrapper(io.BytesIO(log.encode()))
    with mock.patch("sys.stdin", said):
        return _words(run("explain", "-", cwd=folder))


EXITS: dict[str, Callable[[Texts, Path], str]] = {
    each.__name__: each
    for each in (
        check, baseline, mended, boot, editor, preview, node, cluster, recorded, repaired, refused, fleet, explained,
    )
}  # fmt: skip
