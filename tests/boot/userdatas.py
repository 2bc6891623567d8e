"""User data as people write it: what the readers are compared, mutated and measured with."""

from __future__ import annotations

import base64
import gzip

SHELL = """\
#!/bin/bash
set -euo pipefail
exec > >(tee -a /var/log/user-data.log) 2>&1
echo "options nvidia NVreg_RestrictProfilingToAdminUsers=0" > /etc/modprobe.d/nvprof.conf
dnf install -y nvidia-driver-latest-dkms
for attempt in 1 2 3; do
  if systemctl enable --now nvidia-persistenced; then break; fi
  sleep "$((attempt * 5))"
done
cat > /etc/docker/daemon.json <<'JSON'
{"insecure-registries": ["registry.example.internal:5000"]}
JSON
systemctl enable kubelet
"""
BOOTHOOK = """\
#cloud-boothook
#!/bin/bash
mkdir -p /etc/modprobe.d
echo 'options nvidia NVreg_RestrictProfilingToAdminUsers=0' >/etc/modprobe.d/nvprof.conf
"""
CLOUD_CONFIG = """\
#cloud-config
package_update: true
packages:
  - nfs-common
  - [nvidia-driver-550, 550.90.07-0ubuntu1]
bootcmd:
  - [cloud-init-per, once, modules, modprobe, br_netfilter]
  - echo early > /run/early
write_files:
  - path: /etc/modprobe.d/nvprof.conf
    permissions: '0644'
    content: |
      options nvidia NVreg_RestrictProfilingToAdminUsers=0
  - path: /usr/local/bin/late
    encoding: b64
    permissions: '0755'
    content: IyEvYmluL3NoCmVjaG8gbGF0ZQo=
  - path: /etc/fstab
    append: true
    content: "fs-1234:/ /shared efs _netdev,nofail,tls 0 0\\n"
mounts:
  - [/dev/nvme1n1, /scratch, xfs, "defaults,nofail"]
runcmd:
  - [systemctl, enable, kubelet]
  - |
    if [ -x /usr/local/bin/late ]; then
      /usr/local/bin/late
    fi
  - >-
    apt-get install -y
    nvidia-container-toolkit
power_state: {mode: reboot, condition: test -f /var/run/reboot-required}
"""
MORE_CLOUD_CONFIG = """\
#cloud-config
merge_how: 'list(append)+dict(no_replace,recurse_list)+str()'
runcmd:
  - echo from the second
packages: [jq]
"""
NODE_CONFIG = """\
---
apiVersion: node.eks.aws/v1alpha1
kind: NodeConfig
spec:
  cluster:
    name: gpu-dev
    apiServerEndpoint: https://0123456789ABCDEF.gr7.us-east-2.eks.amazonaws.com
    certificateAuthority: Y2VydGlmaWNhdGVBdXRob3JpdHk=
    cidr: 172.20.0.0/16
  kubelet:
    config:
      maxPods: 110
    flags:
      - --node-labels=nodeworthy/pool=h100,gpu=on
  containerd:
    config: |
      [plugins."io.containerd.grpc.v1.cri".registry]
      config_path = "/srv/hosts.d"
"""
BOTTLEROCKET = """\
# A node of the h100 pool
[settings.kubernetes]
cluster-name = "gpu-dev"
api-server = "https://0123456789ABCDEF.gr7.us-east-2.eks.amazonaws.com"
cluster-certificate = "Y2VydGlmaWNhdGVBdXRob3JpdHk="
max-pods = 110

[settings.kubernetes.node-labels]
"nodeworthy/pool" = "h100"

[settings.container-registry]
mirrors = [
  {registry = "ghcr.io", endpoint = ["http://registry.example.internal:5000"]},
]
"""
TEMPLATE = """\
#!/bin/bash
set -o xtrace
/etc/eks/bootstrap.sh ${cluster_name} --apiserver-endpoint '${endpoint}' --b64-cluster-ca '${ca}'
%{ if profiling ~}
echo 'options nvidia NVreg_RestrictProfilingToAdminUsers=0' > /etc/modprobe.d/nvprof.conf
%{ endif ~}
TOKEN=$(curl -s http://169.254.169.254/latest/api/token)
echo "$${HOSTNAME} joined with $TOKEN"
"""


def mime(*parts: tuple[str, str], boundary: str = "==BOUNDARY==", headers: str = "") -> str:
    """A multipart of (headers, body); a part's first header is its content type."""
    written = "".join(f"--{boundary}\nContent-Type: {head}\n\n{body}\n" for head, body in parts)
    return (
        f'MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="{boundary}"\n{headers}\n{written}--{boundary}--\n'
    )


def in_base64(text: str) -> str:
    return base64.encodebytes(text.encode()).decode()


ENCODED = "\nContent-Transfer-Encoding: base64\nMIME-Version: 1.0"
MIME = mime(
    ("application/node.eks.aws", NODE_CONFIG),
    ("text/cloud-boothook", BOOTHOOK),
    ('text/x-shellscript; charset="us-ascii"', SHELL),
)
MIXED = mime(
    ('text/cloud-config; charset="us-ascii"', CLOUD_CONFIG),
    ("text/cloud-config", MORE_CLOUD_CONFIG),
    ('text/x-shellscript\nContent-Disposition: attachment; filename="zz-last.sh"', SHELL),
    (f'text/x-shellscript; charset="utf-8"{ENCODED}', in_base64(SHELL)),
    ("text/plain\nContent-Transfer-Encoding: quoted-printable", "#!/bin/sh\necho a=3Db =\ngoes on\necho =C3=A9\n"),
)
NESTED = mime(
    (
        'multipart/alternative; boundary="inner"',
        mime(("text/x-shellscript", SHELL), boundary="inner").split("\n\n", 1)[1],
    ),
    ("text/cloud-config", CLOUD_CONFIG),
)
ARCHIVE = """\
#cloud-config-archive
- type: text/cloud-config
  content: |
    runcmd:
      - echo in an archive
- "#!/bin/sh\\necho a script of one line\\n"
- filename: hook
  content: |
    #cloud-boothook
    #!/bin/sh
    echo early
"""
JINJA = "## template: jinja\n#cloud-config\nruncmd:\n  - echo {{ v1.region }} > /etc/region\n"

WHOLE: dict[str, bytes] = {
    name: text.encode()
    for name, text in {
        "shell": SHELL,
        "boothook": BOOTHOOK,
        "cloud-config": CLOUD_CONFIG,
        "node-config": NODE_CONFIG,
        "bottlerocket": BOTTLEROCKET,
        "template": TEMPLATE,
        "mime": MIME,
        "mixed": MIXED,
        "nested": NESTED,
        "archive": ARCHIVE,
        "jinja": JINJA,
        "python": "#!/usr/bin/env python3\nprint('up')\n",
        "include": "#include\nhttps://example.com/user-data\n",
    }.items()
}
PACKED: dict[str, bytes] = {
    "base64": base64.b64encode(WHOLE["mixed"]),
    "wrapped base64": base64.encodebytes(WHOLE["shell"]),
    "gzip": gzip.compress(WHOLE["mime"], mtime=0),
    "base64 of gzip": base64.b64encode(gzip.compress(WHOLE["mixed"], mtime=0)),
    "gzip part": mime(
        (f"application/gzip{ENCODED}", base64.encodebytes(gzip.compress(SHELL.encode(), mtime=0)).decode())
    ).encode(),
}
ALL = {**WHOLE, **PACKED}
