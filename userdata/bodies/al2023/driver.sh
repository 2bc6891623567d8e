# Amazon's repository for NVIDIA. The kernel's packages are called kernel, or kernel6.12 after its line.
install_driver() {
    local release kernel
    release=$(uname -r)
    kernel=$(rpm -q --file --queryformat '%{NAME}' "/lib/modules/$release/vmlinuz")
    dnf install -y dkms "$kernel-devel-$release" "$kernel-modules-extra-$release"
    dnf install -y nvidia-release
    dnf install -y "nvidia-open-$DRIVER_VERSION"
}
