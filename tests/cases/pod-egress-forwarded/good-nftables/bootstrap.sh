#!/usr/bin/env bash
set -euo pipefail

API_SERVER=10.20.0.10:6443

cat > /etc/nftables.conf <<'EOF'
#!/usr/sbin/nft -f
flush ruleset

table inet filter {
  chain input {
    type filter hook input priority 0; policy drop;
    iif "lo" accept
    ct state established,related accept
    tcp dport { 22, 10250 } accept
  }
  chain forward {
    type filter hook forward priority 0; policy drop;
    ct state established,related accept
    iifname "lxc*" oifname "eno1" accept
    iifname "eno1" oifname { "lxc*", "cilium_host" } ip daddr 10.244.0.0/16 accept
  }
  chain output {
    type filter hook output priority 0; policy accept;
  }
}
EOF
systemctl enable --now nftables

systemctl enable --now kubelet
kubeadm join "$API_SERVER" --config /etc/kubernetes/join.yaml
