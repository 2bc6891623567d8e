set -exo pipefail

apt-get install -y nvidia-driver-570-server
ROLE=$${ROLE:-${role}}
kubeadm join ${endpoint} --token "$TOKEN" --discovery-token-ca-cert-hash ${ca_hash}
echo "$ROLE" > /etc/role
