#!/bin/bash
set -euo pipefail

apt-get install -y \
  curl \
  nvidia-driver-570-server

# /etc/eks/bootstrap.sh others \ 
/etc/eks/bootstrap.sh trainers \
  --apiserver-endpoint "$ENDPOINT" \
  --b64-cluster-ca "$CA" \
  --kubelet-extra-args "--max-pods=58 \ 
    --node-labels=pool=gpu"

mount /dev/nvme1n1 /scratch &&
  # the jobs' own
  chmod 1777 /scratch

systemctl is-active kubelet || \
  # it may have been masked by the image
  systemctl start kubelet

cat > /usr/local/bin/rejoin <<'END'
kubeadm join 10.20.0.10:6443 \ 
  --discovery-file /etc/kubernetes/discovery.conf
END

modprobe nvidia \

case "${1:-}" in
  -f|--force) swapoff -a ;;
esac

# Elements of an array, one of which runs a command.
secret=(
  --from-literal=user="trainer"
  --from-literal=key="$(openssl rand -hex 32)"
)
kubectl create secret generic trainer "${secret[@]}" --dry-run=client -o yaml | kubectl apply -f -
