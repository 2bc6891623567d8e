# It must be of the driver's version, to the last digit.
run_fabric_manager() {
    dnf install -y "nvidia-fabricmanager-$DRIVER_VERSION"
    systemctl enable --now nvidia-fabricmanager.service
}
