# Ubuntu's own driver: its module is signed, and made for this kernel; nothing is compiled.
install_driver() {
    apt-get install -y \
        "linux-modules-nvidia-$DRIVER_VERSION-server-open-$(uname -r)" \
        "nvidia-headless-no-dkms-$DRIVER_VERSION-server-open" \
        "nvidia-utils-$DRIVER_VERSION-server"
}
