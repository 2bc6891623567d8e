#!/bin/sh
# Fault: something flushed the rules of the kernel, and ufw believes that it is on
# Rule: firewall-no-wider
# Pool: h100-ufw
set -e
for each in INPUT FORWARD OUTPUT; do
    iptables -P "$each" ACCEPT
done
iptables -F
iptables -X
