# It must be of the driver's version, to the last digit.
run_fabric_manager() {
    yum install -y "nvidia-fabric-manager-$DRIVER_VERSION"
    systemctl enable --now nvidia-fabricmanager.service
}
