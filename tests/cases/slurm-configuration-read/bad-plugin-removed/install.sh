#!/bin/bash
set -e
CONF_DIR="/etc/slurm"
CONF="${CONF_DIR}/slurm.conf"
sudo mkdir -p "${CONF_DIR}"
sudo tee "${CONF}" > /dev/null <<EOF
ClusterName=single
SlurmctldHost=localhost
SlurmUser=slurm
StateSaveLocation=/var/spool/slurm/ctld
SlurmdSpoolDir=/var/spool/slurm/d
ProctrackType=proctrack/cgroup
SelectType=select/cons_res
SelectTypeParameters=CR_CPU_Memory
NodeName=localhost CPUs=$(nproc) State=UNKNOWN
PartitionName=all Nodes=localhost Default=YES MaxTime=INFINITE State=UP
EOF
