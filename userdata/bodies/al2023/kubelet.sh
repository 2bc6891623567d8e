# nodeadm-run starts kubelet at every boot; where it fails, kubelet still comes back by itself.
enable_kubelet() {
    systemctl enable nodeadm-run.service
    systemctl enable kubelet.service
}
