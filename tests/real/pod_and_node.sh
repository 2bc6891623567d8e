# A node with ufw between a pod and the world: lxc1234 leads to the pod, eno1 out. Takes its firewall from the file $1,
# then says which ways are open. To be run in network, mount and process namespaces of its own.

set -eu
own=$2

cp -a /etc/ufw "$own/ufw"
cp -a /etc/default "$own/default"
mount --bind "$own/ufw" /etc/ufw
mount --bind "$own/default" /etc/default
mount -t tmpfs tmpfs /run
mkdir -p /run/netns

ip link set lo up
ip netns add pod
ip netns add world
ip link add lxc1234 type veth peer name eth0 netns pod
ip link add eno1 type veth peer name eth0 netns world
ip addr add 10.1.0.1/24 dev lxc1234
ip addr add 192.0.2.1/24 dev eno1
ip link set lxc1234 up
ip link set eno1 up
ip -n pod addr add 10.1.0.185/24 dev eth0
ip -n pod link set eth0 up
ip -n pod route add default via 10.1.0.1
ip -n world addr add 192.0.2.53/24 dev eth0
ip -n world link set eth0 up
ip -n world route add default via 192.0.2.1
sysctl -qw net.ipv4.ip_forward=1

# shellcheck source=/dev/null
. "$1" >&2

answers() {
    $1 python3 -c '
import socket, sys, threading
def answer(port):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as answering:
        answering.bind(("0.0.0.0", port))
        open(f"{sys.argv[1]}.{port}", "w").close()
        while True:
            asked, by = answering.recvfrom(16)
            answering.sendto(asked, by)
for port in (53, 4444, 10250):
    threading.Thread(target=answer, args=(port,)).start()
' "$own/ready.$2" &
}

asks() {
    name=$1
    shift
    if $1 python3 -c '
import socket, sys
for port in sys.argv[2:]:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking:
        asking.settimeout(1)
        asking.sendto(b"?", (sys.argv[1], int(port)))
        asking.recvfrom(16)
' "$2" 53 4444 10250 2>/dev/null; then
        echo "$name"
    fi
}

answers '' node
answers 'ip netns exec pod' pod
answers 'ip netns exec world' world
until [ "$(find "$own" -name 'ready.*' | wc -l)" -eq 9 ]; do sleep 0.05; done
asks LEAVE 'ip netns exec pod' 192.0.2.53
asks REACH 'ip netns exec world' 10.1.0.185
asks TO_NODE 'ip netns exec pod' 10.1.0.1
