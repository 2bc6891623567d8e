#!/bin/sh
# A k3s agent with an NVIDIA GPU, Debian 12.
set -eu

K3S_VERSION=v1.31.4+k3s1
K3S_SERVER=https://k3s.lab.example.net:6443
AGENT_DIR=/var/lib/rancher/k3s/agent/etc/containerd

say() {
	echo ">>> $1"
}

say "options"
mkdir -p /etc/modprobe.d
{
	echo "# counters for everyone"
	echo "options nvidia NVreg_RestrictProfilingToAdminUsers=0"
} > /etc/modprobe.d/nvidia-counters.conf

say "driver"
echo "deb http://mirror.example.com/debian bookworm main contrib non-free non-free-firmware" \
	> /etc/apt/sources.list.d/non-free.list
apt-get update
DEBIAN_FRONTEND=noninteractive apt-get install -y "linux-headers-$(dpkg --print-architecture)"
DEBIAN_FRONTEND=noninteractive apt-get install -y nvidia-driver nvidia-smi firmware-misc-nonfree

say "toolkit"
curl -fsSL -o /usr/share/keyrings/nvidia.asc https://nvidia.github.io/libnvidia-container/gpgkey
echo "deb [signed-by=/usr/share/keyrings/nvidia.asc] https://nvidia.github.io/libnvidia-container/stable/deb/amd64 /" \
	> /etc/apt/sources.list.d/nvidia.list
apt-get update
apt-get install -y nvidia-container-toolkit

say "k3s"
mkdir -p /etc/rancher/k3s
cat > /etc/rancher/k3s/config.yaml <<CONFIG
server: ${K3S_SERVER}
token-file: /etc/rancher/k3s/token
node-label:
  - gpu=rtx-a6000
kubelet-arg:
  - max-pods=60
CONFIG
curl -fsSL -o /tmp/install-k3s.sh https://get.k3s.io
INSTALL_K3S_VERSION="$K3S_VERSION" INSTALL_K3S_EXEC=agent sh /tmp/install-k3s.sh

say "runtime"
i=0
while [ ! -f "$AGENT_DIR/config.toml" ]; do
	i=$((i + 1))
	[ "$i" -lt 60 ] || { echo "k3s wrote no containerd config" >&2; exit 1; }
	sleep 2
done
cat >> "$AGENT_DIR/config.toml" <<'TOML'

[plugins."io.containerd.grpc.v1.cri".containerd.runtimes."nvidia"]
  runtime_type = "io.containerd.runc.v2"
[plugins."io.containerd.grpc.v1.cri".containerd.runtimes."nvidia".options]
  BinaryName = "/usr/bin/nvidia-container-runtime"
  SystemdCgroup = true
TOML
systemctl restart k3s-agent

say "ready"
