#!/bin/bash
sudo apt-get update
sudo apt-get install -y build-essential dkms
echo "blacklist nouveau" | sudo tee /etc/modprobe.d/blacklist-nouveau.conf
sudo sh -c 'echo "options nouveau modeset=0" >> /etc/modprobe.d/blacklist-nouveau.conf'
sudo nvidia-smi -q > ~/gpus.txt
sudo update-initramfs -u
sudo sh ./NVIDIA-Linux-x86_64-580.95.05.run --silent --dkms
