# Whether the type's EFA devices are there. Without them the node works, and its network is slow.
check_efa() {
    local devices
    modprobe efa || echo "WARNING: this kernel has no EFA module"
    shopt -s nullglob
    devices=(/sys/class/infiniband/*)
    echo "${#devices[@]} of $EFA_DEVICES EFA devices"
}
