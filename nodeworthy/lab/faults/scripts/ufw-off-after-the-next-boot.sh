#!/bin/sh
# Fault: ufw filters, and will not after the next boot
# Rule: firewall-no-wider
# Pool: h100-ufw
set -e
sed -i 's/^ENABLED=.*/ENABLED=no/' /etc/ufw/ufw.conf
