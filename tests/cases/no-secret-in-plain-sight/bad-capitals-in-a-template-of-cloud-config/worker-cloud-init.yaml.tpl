#cloud-config
chpasswd:
  list: |
    gpu:${GPU_USER_PASSWORD}
write_files:
  - path: /etc/systemd/system/overlay.service
    content: |
      [Service]
      ExecStart=/usr/bin/netbird up --setup-key ${OVERLAY_SETUP_KEY} --hostname $${HOSTNAME}
runcmd:
  - export K3S_TOKEN=${K3S_TOKEN}
  - curl -sfL https://get.k3s.io | K3S_URL=https://${SERVER}:6443 sh -
