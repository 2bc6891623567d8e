# Ubuntu releases it together with the driver of the same branch.
run_fabric_manager() {
    apt-get install -y "nvidia-fabricmanager-$DRIVER_VERSION"
    systemctl enable --now nvidia-fabricmanager.service
}
