# What control planes and workers have in common; both source it.
KUBERNETES=1.33

prepare_kernel() {
  printf 'overlay\nbr_netfilter\n' > /etc/modules-load.d/k8s.conf
  modprobe -a overlay br_netfilter
  swapoff -a
}

install_kubelet() {
  apt-get update
  apt-get install -y containerd "kubelet=${KUBERNETES}.*" "kubeadm=${KUBERNETES}.*"
  systemctl enable --now kubelet
}
