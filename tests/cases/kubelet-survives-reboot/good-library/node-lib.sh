# What control planes and workers have in common; both source it. None of it runs by itself.
say() { echo "$(date +%T) $*"; }

swap_off_now() {
  say "swap off"
  swapoff -a
}

swap_off_for_good() {
  swap_off_now
  sed -ri '/\sswap\s/s/^/#/' /etc/fstab
}

install_kubelet() {
  apt-get install -y containerd kubelet kubeadm
  systemctl enable --now kubelet
}
