#!/bin/bash
set -e
modprobe nvidia
PAGES=64
cat <<EOF > /etc/default/grub.d/70-gpus.cfg
GRUB_CMDLINE_LINUX="\$GRUB_CMDLINE_LINUX iommu=pt hugepages=$PAGES"
GRUB_DISTRIBUTOR=$(. /etc/os-release && echo $NAME)
EOF
cat <<'EOF' > /etc/default/grub.d/71-gpus.cfg
GRUB_CMDLINE_LINUX="$GRUB_CMDLINE_LINUX pci=realloc"
EOF
update-grub
systemctl enable --now kubelet
