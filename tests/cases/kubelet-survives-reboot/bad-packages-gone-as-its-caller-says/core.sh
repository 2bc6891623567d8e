#!/usr/bin/env bash
set -euo pipefail
install_tools() {
  apt-get update
  apt-get install -y curl gnupg jq
}
install_kubeadm() {
  curl -s https://packages.cloud.google.com/apt/doc/apt-key.gpg | apt-key add -
  echo "deb https://apt.kubernetes.io/ kubernetes-xenial main" > /etc/apt/sources.list.d/kubernetes.list
  apt-get update
  apt-get install -y kubelet kubeadm kubectl
  apt-mark hold kubelet kubeadm kubectl
}
main() {
  install_tools
  case "${distribution:-}" in
    k3s) echo "k3s is installed when it starts" ;;
    kubeadm) install_kubeadm ;;
    *)
      echo "distribution is k3s or kubeadm" >&2
      exit 1
      ;;
  esac
  bash "./${role:-worker}.sh"
}
main
exit 0
