# Amazon's repository for NVIDIA, as its own GPU images name it.
install_driver() {
    cat > /etc/yum.repos.d/amzn2-nvidia.repo <<'EOF'
[amzn2-nvidia]
name=Amazon Linux 2 NVIDIA repository
mirrorlist=$awsproto://$amazonlinux.$awsregion.$awsdomain/$releasever/amzn2-nvidia/latest/$basearch/mirror.list
gpgkey=https://developer.download.nvidia.com/compute/cuda/repos/rhel7/x86_64/7fa2af80.pub
gpgcheck=1
enabled=1
priority=20
EOF
    yum install -y gcc "kernel-devel-uname-r == $(uname -r)"
    yum install -y "nvidia-driver-latest-dkms-$DRIVER_VERSION"
}
