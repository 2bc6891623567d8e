# It depends on the server driver of its very version: apt brings no other.
run_fabric_manager() {
    apt-get install -y "nvidia-fabricmanager-$DRIVER_VERSION"
    systemctl enable --now nvidia-fabricmanager.service
}
