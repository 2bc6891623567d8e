#!/bin/bash
set -e
PREFIX=gpu-node
if [ "$1" != "step2" ]; then
  swapoff -a
  sed -i '/swap/s/^/#/' /etc/fstab
  echo "Now: $0 step2"
  exit 0
fi
kubeadm init --pod-network-cidr=10.244.0.0/16
cat > worker.sh <<DONE
#!/bin/bash
set -e
INDEX=\$(hostname -I | cut -d. -f4)
WORKER="$PREFIX-\$INDEX"
hostnamectl set-hostname $WORKER
DONE
chmod +x worker.sh
