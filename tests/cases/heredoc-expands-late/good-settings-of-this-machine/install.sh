#!/bin/bash
set -euo pipefail
tee /etc/etcd/etcd.conf <<EOF
# of this machine
ETCD_NAME=$(hostname)
ETCD_LISTEN_PEER_URLS="https://$(hostname -i):2380"
EOF
source /etc/etcd/etcd.conf
systemctl enable --now etcd kubelet
address=$(hostname -i)
cat > /usr/local/bin/etcd-health <<EOF
#!/bin/sh
exec etcdctl --endpoints "https://$address:2379" endpoint health
EOF
