install_firewall() {
    apt-get install -y ufw
}

# Pods are reached through interfaces of their own, which ufw by default lets nobody forward to or from.
allow_pods() {
    ufw route allow in on "$POD_INTERFACES" out on "$UPLINKS"
    ufw route allow in on "$UPLINKS" out on "$POD_INTERFACES"
    ufw route allow in on "$POD_INTERFACES" out on "$POD_INTERFACES"
    ufw allow from "$POD_RANGE"
    ufw allow out to "$POD_RANGE"
    ufw allow from "$SERVICE_RANGE"
    ufw allow out to "$SERVICE_RANGE"
}

# The control plane reaches kubelet, and people the node, from within the VPC.
allow_node() {
    ufw allow from "$VPC_RANGE" to any port 10250 proto tcp
    ufw allow from "$VPC_RANGE" to any port 22 proto tcp
}

allow_node_ports() {
    ufw allow from "$1" to any port 30000:32767 proto tcp
}

# Only now: a firewall that is up before its rules shuts everybody out.
raise_firewall() {
    ufw --force enable
}
