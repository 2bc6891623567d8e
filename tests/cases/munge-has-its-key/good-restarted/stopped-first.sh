#!/bin/bash
apt-get install -y munge
systemctl stop munge
dd if=/shared/munge.key of=/etc/munge/munge.key
systemctl start munge
