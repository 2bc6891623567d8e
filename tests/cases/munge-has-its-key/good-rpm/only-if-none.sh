#!/bin/bash
apt-get install -y munge
if [ ! -f /etc/munge/munge.key ]; then
  dd if=/dev/urandom bs=1 count=1024 of=/etc/munge/munge.key
fi
systemctl start munge
