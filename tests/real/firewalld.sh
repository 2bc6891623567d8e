# firewalld with a bus and a configuration of its own, sourced before it is told anything: $backend is nftables or
# iptables, and $own a folder to work in.

export DBUS_SYSTEM_BUS_ADDRESS=unix:path=/run/dbus/system_bus_socket
mkdir -p /run/dbus /run/firewalld
cp -a /etc/firewalld "$own/firewalld"
mount --bind "$own/firewalld" /etc/firewalld
sed -i "s/^FirewallBackend=.*/FirewallBackend=$backend/" /etc/firewalld/firewalld.conf
dbus-daemon --system --fork --nopidfile
firewalld --nopid
until firewall-cmd --state; do sleep 0.1; done
