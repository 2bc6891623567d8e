#!/bin/bash
# setup-node.sh - HGX nodes in the colo, Ubuntu 22.04, run once by the provisioner as root
set -eu

LOG=/var/log/setup-node.log
DRIVER=535
NODE_IP=$(hostname -I | awk '{print $1}')

on_exit() {
  code=$?
  [ $code -eq 0 ] && state=ok || state=failed
  curl -s -X POST -d "{\"node\": \"$(hostname)\", \"state\": \"$state\"}" http://provisioner.colo.example.net/report || true
}
trap on_exit EXIT

exec > >(while IFS= read -r line; do printf '%(%FT%T)T %s\n' -1 "$line"; done | tee -a "$LOG") 2>&1

# ---- kernel ----------------------------------------------------------------
cat >/etc/modprobe.d/nvidia.conf <<CONF
options nvidia NVreg_RestrictProfilingToAdminUsers=0
options nvidia NVreg_OpenRmEnableUnsupportedGpus=1
CONF
cat >/etc/modules-load.d/ib.conf <<CONF
ib_umad
rdma_ucm
CONF
update-initramfs -u

sed -i 's/^GRUB_CMDLINE_LINUX_DEFAULT=.*/GRUB_CMDLINE_LINUX_DEFAULT="iommu=pt pci=realloc=off"/' /etc/default/grub
update-grub

# ---- driver ----------------------------------------------------------------
export DEBIAN_FRONTEND=noninteractive
apt-get update -qq
apt-get install -y linux-headers-generic jq
apt-get install -y "nvidia-driver-$DRIVER-server" 2>&1 | tee -a /var/log/nvidia-install.log
apt-get install -y "nvidia-fabricmanager-$DRIVER" nvidia-container-toolkit

systemctl enable --now nvidia-fabricmanager.service
systemctl enable --now nvidia-persistenced.service

cat >/etc/systemd/system/gpu-clocks.service <<'UNIT'
[Unit]
Description=Fix the GPUs' clocks
After=nvidia-persistenced.service

[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/usr/bin/nvidia-smi -lgc 1410
ExecStartPost=-/usr/bin/nvidia-smi -e 1

[Install]
WantedBy=multi-user.target
UNIT
systemctl daemon-reload
systemctl enable gpu-clocks.service

# ---- docker ----------------------------------------------------------------
apt-get install -y docker.io
[ -s /etc/docker/daemon.json ] || echo '{}' >/etc/docker/daemon.json
jq '. + {"default-runtime": "nvidia", "log-opts": {"max-size": "100m"}}' /etc/docker/daemon.json >/tmp/daemon.json
mv /tmp/daemon.json /etc/docker/daemon.json
nvidia-ctk runtime configure --runtime=docker
systemctl restart docker

# ---- monitoring --------------------------------------------------------------
useradd --system --no-create-home exporter 2>/dev/null || :
docker run -d --restart=always --name dcgm --gpus all --cap-add SYS_ADMIN \
  -p "$NODE_IP:9400:9400" nvcr.io/nvidia/k8s/dcgm-exporter:3.3.5-3.4.1-ubuntu22.04

touch /var/lib/setup-node.done
systemctl reboot
