#!/bin/bash
set -e
modprobe nvidia
cat <<EOF > /etc/default/grub.d/70-gpus.cfg
GRUB_CMDLINE_LINUX="$GRUB_CMDLINE_LINUX iommu=pt"
GRUB_DISTRIBUTOR=$(. /etc/os-release && echo $NAME)
EOF
update-grub
systemctl enable --now kubelet
