#!bin/sh
# Run as `sh join.sh` on a machine of the lab.
sudo swapoff -a # kubelet does not start beside swap
echo 'net.ipv4.ip_forward = 1' | sudo tee /etc/sysctl.d/k8s.conf
sudo sysctl --system
sudo kubeadm join --config node.yaml
