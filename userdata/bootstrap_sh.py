"""Amazon Linux 2 and Ubuntu on EKS: the image's own bootstrap.sh, which also enables kubelet."""

from __future__ import annotations

from shlex import quote

from userdata.joining import Joining


def script(joining: Joining) -> str:
    return f"""#!/bin/bash
set -euo pipefail
/etc/eks/bootstrap.sh {quote(joining.cluster)} \\
  --apiserver-endpoint {quote(joining.endpoint)} \\
  --b64-cluster-ca {quote(joining.certificate_authority)} \\
  --dns-cluster-ip {quote(joining.dns)} \\
  --kubelet-extra-args {quote(f"--node-labels={joining.node_labels}")}
"""
