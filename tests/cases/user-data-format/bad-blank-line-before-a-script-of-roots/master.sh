
#!/bin/bash
set -e

dnf install -y kubelet kubeadm --disableexcludes=kubernetes
systemctl enable kubelet
kubeadm init --pod-network-cidr=10.244.0.0/16

mkdir -p /home/ec2-user/.kube
cp /etc/kubernetes/admin.conf /home/ec2-user/.kube/config
chown ec2-user /home/ec2-user/.kube/config
sudo -u ec2-user kubectl apply -f https://raw.githubusercontent.com/flannel-io/flannel/master/Documentation/kube-flannel.yml
