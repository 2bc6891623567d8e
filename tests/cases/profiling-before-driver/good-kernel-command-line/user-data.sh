#!/bin/bash
set -euo pipefail
apt-get update
apt-get install -y nvidia-driver-570-server
sed -i 's/^GRUB_CMDLINE_LINUX="/&nvidia.NVreg_RestrictProfilingToAdminUsers=0 /' /etc/default/grub
update-grub
systemctl reboot
