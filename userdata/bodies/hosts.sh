# The cluster's DNS answers pods and not nodes: containerd finds a name of the cluster only here.
resolve() {
    local name=$1 address=$2
    grep -qxF "$address $name" /etc/hosts || echo "$address $name" >> /etc/hosts
}
