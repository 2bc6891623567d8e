#!/bin/bash
set -euo pipefail
cat > /etc/slurm/slurm.conf <<EOF
ClusterName=lab
SlurmctldHost=head
StateSaveLocation=/var/spool/slurmctld
PartitionName=all Nodes=box[1-4] Default=YES
EOF
for each in 1 2 3 4; do
  echo "NodeName=box$each CPUs=64" >> /etc/slurm/slurm.conf
done
