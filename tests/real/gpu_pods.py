"""What a cluster with GPUs is given to run, of an image that is a busybox: pods that ask for them, and a toolkit."""

from __future__ import annotations

from typing import Any

from nodeworthy.known.containerd import defaults
from tests.cluster.objects import Object, daemonset

from .stand_in_plugin import RESOURCE

SOCKET = "/runtime/sock-dir/containerd.sock"
# What the toolkit does with it is not done here: where it is not there, it ends in these words.
TOOLKIT = f"""\
if [ -S {SOCKET} ]; then exec sleep infinity; fi
echo 'level=warning msg="Error signaling containerd, attempt 5/6: unable to dial: dial unix {SOCKET}: connect: no such \
file or directory"' >&2
exit 1
"""
# In the node's own network, wherever it is put, and gone at once.
ANYWHERE = {"hostNetwork": True, "tolerations": [{"operator": "Exists"}], "terminationGracePeriodSeconds": 0}


def gpu_pod(name: str, image: str, gpus: int, **spec: Any) -> Object:
    container = {"name": name, "image": image, "resources": {"limits": {RESOURCE: str(gpus)}}}
    return {"metadata": {"name": name}, "spec": {**ANYWHERE, "containers": [container], **spec}}


def toolkit(image: str) -> Object:
    """As the operator writes it where nobody says where containerd is."""
    written = daemonset(config=str(defaults().config), socket=str(defaults().socket))
    (container,) = written["spec"]["template"]["spec"]["containers"]
    container = {**container, "image": image, "command": ["sh", "-c"], "args": [TOOLKIT]}
    volumes = written["spec"]["template"]["spec"]["volumes"]
    template = {
        "metadata": written["spec"]["template"]["metadata"],
        "spec": {**ANYWHERE, "containers": [container], "volumes": volumes},
    }
    names = {"name": written["metadata"]["name"], "labels": written["metadata"]["labels"]}
    return {"metadata": names, "spec": {"selector": written["spec"]["selector"], "template": template}}
