# What each worker does behind the head that names its storage.
sleep 30
sysctl -w net.ipv4.tcp_sack=1
apt-get install -y nvidia-driver-570-server
