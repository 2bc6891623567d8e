# Functions for the scripts of each node. Their order here is not that in which they are called.

use_systemd_cgroups() {
  sed -i 's/SystemdCgroup = false/SystemdCgroup = true/' /etc/containerd/config.toml
  systemctl restart containerd
}

install_containerd() {
  apt-get install -y containerd.io
  containerd config default > /etc/containerd/config.toml
}
