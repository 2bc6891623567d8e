#!/bin/bash
sudo apt-get update
sudo apt-get install -y build-essential dkms
sudo echo "blacklist nouveau" > /etc/modprobe.d/blacklist-nouveau.conf
sudo echo "options nouveau modeset=0" >> /etc/modprobe.d/blacklist-nouveau.conf
sudo update-initramfs -u
sudo sh ./NVIDIA-Linux-x86_64-580.95.05.run --silent --dkms
