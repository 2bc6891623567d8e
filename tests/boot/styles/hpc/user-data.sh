#!/bin/bash
# GPU node of the batch cluster: EFS for homes, FSx for scratch, images from ECR.
set -euo pipefail
exec &> >(tee -a /var/log/bootstrap.log)

EFS_ID=fs-0123456789abcdef0
FSX=fs-0fedcba9876543210.fsx.eu-central-1.amazonaws.com
FSX_NAME=abcdefgh
ACCOUNT=123456789012
REGION=eu-central-1
ECR="$ACCOUNT.dkr.ecr.$REGION.amazonaws.com"

. /etc/os-release
case "$ID-$VERSION_ID" in
  amzn-2023*) pkg() { dnf install -y "$@"; } ;;
  amzn-2)     pkg() { yum install -y "$@"; } ;;
  *)          echo "not for $PRETTY_NAME" >&2; exit 1 ;;
esac

fstab() { # device, mount point, type, options
  mkdir -p "$2"
  grep -qE "[[:space:]]$2[[:space:]]" /etc/fstab || printf '%s\t%s\t%s\t%s\t0 0\n' "$@" >> /etc/fstab
}

pkg amazon-efs-utils lustre-client docker amazon-ecr-credential-helper python3

fstab "$EFS_ID:/" /home efs _netdev,nofail,tls,iam
fstab "$FSX@tcp:/$FSX_NAME" /scratch lustre defaults,noatime,flock,_netdev,nofail,x-systemd.requires=network-online.target

# scratch may come later: jobs wait for it, the node does not
mount /home || echo "no /home yet"
mount /scratch || echo "no /scratch yet"

mkdir -p /root/.docker /etc/docker
cat > /root/.docker/config.json <<JSON
{"credHelpers": {"$ECR": "ecr-login"}}
JSON

python3 - <<'PY'
import json
import pathlib

path = pathlib.Path("/etc/docker/daemon.json")
config = json.loads(path.read_text()) if path.exists() else {}
config["log-driver"] = "journald"
config["default-ulimits"] = {"memlock": {"Name": "memlock", "Hard": -1, "Soft": -1}}
path.write_text(json.dumps(config, indent=2))
PY

systemctl enable docker.service
systemctl restart docker.service

aws ecr get-login-password --region "$REGION" | docker login --username AWS --password-stdin "$ECR"
for image in solver:2024.3 mesher:1.9; do
  docker pull "$ECR/$image" &
done
wait

cat > /usr/local/sbin/wait-for-scratch <<'SH'
#!/bin/bash
for _ in $(seq 60); do
  mountpoint -q /scratch && exit 0
  mount /scratch
  sleep 5
done
exit 1
SH
chmod +x /usr/local/sbin/wait-for-scratch

cat > /etc/systemd/system/scratch-ready.service <<'UNIT'
[Unit]
Description=Wait for /scratch
Wants=network-online.target
After=network-online.target

[Service]
Type=oneshot
ExecStart=/usr/local/sbin/wait-for-scratch

[Install]
WantedBy=multi-user.target
UNIT
systemctl enable scratch-ready.service
