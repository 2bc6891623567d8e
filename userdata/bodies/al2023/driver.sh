# Amazon's repository for NVIDIA. The kernel's packages are called kernel or, after its line, kernel6.12.
install_driver() {
    dnf install -y dkms "kernel*-devel-$(uname -r)" "kernel*-modules-extra-$(uname -r)"
    dnf install -y nvidia-release
    dnf install -y "nvidia-open-$DRIVER_VERSION"
}
