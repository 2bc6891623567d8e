#!/bin/bash
set -euo pipefail
apt-get install -y slurm-wlm
cat > /etc/slurm/slurm.conf <<EOF
ClusterName=lab
SlurmctldHost=$(hostname -s)
StateSaveLocation=/var/spool/slurmctld
GresTypes=gpu
SlurmctldTimeout=5m
NodeName=gpu[1-2] CPUs=64 RealMemory=500000 Gres=gpu:a100:8
PartitionName=gpu Nodes=gpu[1-2] Default=YES
EOF
tee /etc/slurm/cgroup.conf <<'EOF' > /dev/null
CgroupPlugin=autodetect
ConstrainDevice=yes
EOF
systemctl restart slurmctld
