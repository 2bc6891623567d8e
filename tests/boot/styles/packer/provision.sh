#!/usr/bin/env bash
# Packer: shell provisioner of the "gpu-base" image (Amazon Linux 2023, g5).
set -o errexit -o nounset -o pipefail
[[ "${DEBUG:-}" == 1 ]] && set -o xtrace

: "${DRIVER_STREAM:=560-open}"
: "${FILES:=/tmp/files}"

BUILD_PACKAGES=(gcc make dkms "kernel-devel-$(uname -r)" "kernel-modules-extra")
RUNTIME_PACKAGES=(
  nvidia-container-toolkit   # from the CUDA repository
  amazon-cloudwatch-agent
  jq
)

section() { echo "---- ${1^^} ----"; }

section "repositories"
ARCH=$(uname -m)
sudo dnf config-manager --add-repo \
  "https://developer.download.nvidia.com/compute/cuda/repos/amzn2023/${ARCH}/cuda-amzn2023.repo"
sudo dnf -y upgrade --releasever=latest
sudo dnf -y install "${BUILD_PACKAGES[@]}"

section "module options"
sudo tee /etc/modprobe.d/nvidia.conf >/dev/null <<-EOT
	options nvidia NVreg_RestrictProfilingToAdminUsers=0
	options nvidia NVreg_EnableGpuFirmware=1
	blacklist nouveau
EOT

section "driver"
sudo dnf -y module install "nvidia-driver:${DRIVER_STREAM}"
sudo dnf -y install "${RUNTIME_PACKAGES[@]}"
sudo systemctl enable nvidia-persistenced.service
sudo dracut --force

section "health"
sudo tee /usr/local/bin/gpu-health >/dev/null <<EOF
#!/bin/bash
# Counts the GPUs, and complains where one is missing.
set -u
EXPECTED=\$(lspci -d 10de: | wc -l)
found=$(nvidia-smi -L | wc -l)
if [ "$found" -lt "\$EXPECTED" ]; then
  logger -p daemon.err -t gpu-health "GPUs: $found"
  exit 1
fi
EOF
sudo chmod 0755 /usr/local/bin/gpu-health

sudo tee /etc/systemd/system/gpu-health.service >/dev/null <<'EOF'
[Unit]
Description=Count the GPUs
After=nvidia-persistenced.service

[Service]
Type=oneshot
ExecStart=/usr/local/bin/gpu-health

[Install]
WantedBy=multi-user.target
EOF
sudo systemctl daemon-reload
sudo systemctl enable gpu-health.service

section "agent"
export LOG_GROUP=/gpu/base
envsubst '${LOG_GROUP}' < "$FILES/cloudwatch.json.tmpl" | sudo tee /opt/aws/amazon-cloudwatch-agent/etc/config.json >/dev/null
sudo install -o root -g root -m 0644 "$FILES/limits.conf" /etc/security/limits.d/90-gpu.conf

section "clean"
for log in /var/log/{cloud-init,cloud-init-output,dnf}.log; do
  sudo truncate -s 0 "$log"
done
sudo rm -rf /var/lib/cloud/instances/* /tmp/*
sync
