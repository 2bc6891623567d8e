#!/bin/bash
set -e
apt-get install -y munge slurmdbd
chmod 400 /etc/munge/munge.key
chmod 644 /etc/slurm/slurm.conf /home/cluster/.ssh/id_rsa.pub
cp /etc/munge/munge.key /home/cluster/munge.key
chmod 644 /home/cluster/munge.key
pdcp -a /home/cluster/munge.key /etc/munge/munge.key
rm -f /home/cluster/munge.key
