"""Amazon Linux 2023: a NodeConfig, which nodeadm reads before cloud-init runs."""

from __future__ import annotations

from email.generator import Generator
from email.mime.multipart import MIMEMultipart
from email.mime.nonmultipart import MIMENonMultipart
from io import StringIO

import yaml

from userdata.joining import Joining

# One boundary for ever: a boot script changes only where something in it changes.
BOUNDARY = "==NODE=="


def script(joining: Joining) -> str:
    document = MIMEMultipart("mixed", boundary=BOUNDARY)
    part = MIMENonMultipart("application", "node.eks.aws")
    part.set_payload(_config(joining))
    document.attach(part)
    text = StringIO()
    Generator(text, mangle_from_=False, maxheaderlen=0).flatten(document)
    return text.getvalue()


def _config(joining: Joining) -> str:
    cluster = {
        "name": joining.cluster,
        "apiServerEndpoint": joining.endpoint,
        "certificateAuthority": joining.certificate_authority,
        "cidr": joining.service_cidr,
    }
    kubelet = {"flags": [f"--node-labels={joining.node_labels}"]}
    config = {
        "apiVersion": "node.eks.aws/v1alpha1",
        "kind": "NodeConfig",
        "spec": {"cluster": cluster, "kubelet": kubelet},
    }
    text: str = yaml.safe_dump(config, sort_keys=False, width=1 << 30)
    return text
