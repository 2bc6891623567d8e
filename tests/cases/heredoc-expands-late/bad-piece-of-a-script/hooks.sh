set -eo pipefail

cat > /home/$USER_NAME/before_job.sh <<EOF
#!/bin/bash
nvidia-smi --query-gpu=index,memory.used --format=csv,noheader | awk -F, '{print $2}' > /tmp/before
if [ -n "$OS_ID" ]; then
  echo "${environment} on $OS_ID"
fi
EOF
chmod 755 /home/$USER_NAME/before_job.sh
apt-get install -y nvidia-container-toolkit nvidia-driver-570-server
echo "$${HOOKS:-before_job.sh}" >> /home/$USER_NAME/.env
