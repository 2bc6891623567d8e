#!/bin/bash
# Bootstraps a workstation: everything else is in the playbook repository.
set -euo pipefail
umask 022

REPO=https://git.example.net/infra/workstations.git
BRANCH=${BRANCH:-main}
INVENTORY=localhost,
LOCK=/run/ansible-pull.lock

log() { logger -s -t bootstrap -- "$@"; }
cleanup() {
    rm -f "$LOCK"
    [ -d "${tmp:-}" ] && rm -rf "$tmp"
}
trap cleanup EXIT INT TERM

exec 9>"$LOCK"
flock -n 9 || { log "another run holds the lock"; exit 0; }

if command -v dnf >/dev/null; then
    dnf -y -q install git python3-pip
elif command -v apt-get >/dev/null; then
    apt-get -q update
    apt-get -q -y install git python3-pip python3-venv
else
    log "no package manager"
    exit 1
fi

python3 -m venv /opt/ansible
/opt/ansible/bin/pip install --quiet 'ansible-core>=2.16,<2.18'

tmp=$(mktemp -d)

log "base settings for GPU nodes (nvidia driver, containerd)"
curl -fsSL --retry 5 -o "$tmp/nvidia-base.sh" https://artifacts.example.net/bootstrap/nvidia-base.sh
bash "$tmp/nvidia-base.sh" --role workstation

cat > /etc/ansible-pull.env <<EOF
REPO=$REPO
BRANCH=$BRANCH
EOF

log "playbook"
/opt/ansible/bin/ansible-pull \
    --url "$REPO" \
    --checkout "$BRANCH" \
    --inventory "$INVENTORY" \
    --directory /var/lib/ansible-pull \
    --accept-host-key \
    local.yml

cat > /etc/systemd/system/ansible-pull.service <<'EOF'
[Unit]
Description=pull and apply the playbook
After=network-online.target
Wants=network-online.target

[Service]
Type=oneshot
EnvironmentFile=/etc/ansible-pull.env
ExecStart=/opt/ansible/bin/ansible-pull --url ${REPO} --checkout ${BRANCH} -i localhost, local.yml
EOF

cat > /etc/systemd/system/ansible-pull.timer <<'EOF'
[Timer]
OnBootSec=15min
OnUnitActiveSec=1h

[Install]
WantedBy=timers.target
EOF
systemctl daemon-reload
systemctl enable --now ansible-pull.timer

nvidia-smi -q -d PERFORMANCE
