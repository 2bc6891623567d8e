#!/bin/bash
set -e
apt-get install -y munge slurmdbd
mungekey --force
chmod 400 /etc/munge/munge.key
cp /etc/munge/munge.key /home/cluster/munge.key
chmod 644 /home/cluster/munge.key
sudo chmod 0644 /etc/slurm/slurmdbd.conf
