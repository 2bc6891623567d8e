install_nfs() {
    apt-get install -y nfs-common
}
