# bootstrap.sh does so, too; a node that is lost at its first reboot is too dear to rely on it.
enable_kubelet() {
    systemctl enable snap.kubelet-eks.daemon.service
}
