#!/bin/bash
set -e
rpm -ivh https://dl.fedoraproject.org/pub/epel/epel-release-latest-7.noarch.rpm
yum install -y slurm-slurmd munge
