# A node whose pods have interfaces of Cilium's and whose uplink is eno1. Takes its firewall from the file $1, then runs
# what the suite sends to a node, the file $3. To be run in network, mount and process namespaces of its own.

set -eu
own=$2

cp -a /etc/ufw "$own/ufw"
cp -a /etc/default "$own/default"
mount --bind "$own/ufw" /etc/ufw
mount --bind "$own/default" /etc/default
mount -t tmpfs tmpfs /run

ip link set lo up
ip link add lxc4f39491e6165 type veth peer name pod0
ip link add eno1 type veth peer name world0
ip addr add 10.1.0.1/24 dev lxc4f39491e6165
ip addr add 192.0.2.1/24 dev eno1
for each in lxc4f39491e6165 pod0 eno1 world0; do ip link set "$each" up; done
ip route add default via 192.0.2.254
sysctl -qw net.ipv4.ip_forward=1

# shellcheck source=/dev/null
. "$1" >&2
exec sh "$3"
