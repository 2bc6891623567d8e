# Ubuntu's own upgrades may hold the lock at boot.
refresh_packages() {
    export DEBIAN_FRONTEND=noninteractive
    echo 'DPkg::Lock::Timeout "300";' > /etc/apt/apt.conf.d/90-wait-for-lock
    apt-get update
}
