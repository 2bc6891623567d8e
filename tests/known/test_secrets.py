"""Secrets are found by shape, by name and by the command that takes them, and nothing else is."""

from __future__ import annotations

import time

import pytest

from nodeworthy.known.secret_arguments import ALL_MARKS
from nodeworthy.known.secret_templates import fillings, fillings_by_another
from nodeworthy.known.secrets import HIDDEN, MARKS_OF_ARGUMENTS, spans, what_is
from nodeworthy.redaction import hide_secrets

# Not one of these was ever valid; put together here so that nobody's scanner takes them for real.
ALPHABET = "aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zA"


def made(prefix: str, length: int) -> str:
    return prefix + (ALPHABET * 10)[:length]


PEM = "-----BEGIN RSA PRIVATE KEY-----\n" + (ALPHABET * 2 + "\n") * 4 + "-----END RSA PRIVATE KEY-----"
JWT = f"{made('eyJ', 20)}.{made('eyJ', 40)}.{made('', 43)}"

BY_SHAPE = [
    (made("ghp_", 36), "a GitHub token"),
    (made("gho_", 36), "a GitHub token"),
    (made("github_pat_", 82), "a GitHub token"),
    (made("glpat-", 20), "a GitLab token"),
    (made("xoxb-", 40), "a Slack token"),
    (f"hooks.slack.com/services/T00000000/B11111111/{made('', 24)}", "a Slack webhook"),
    (made("hf_", 34), "a Hugging Face token"),
    (made("nvapi-", 64), "an NVIDIA API key"),
    (made("sk-", 48), "an API key"),
    (made("sk-ant-", 80), "an API key"),
    (made("AIza", 35), "a Google API key"),
    (made("npm_", 36), "an npm token"),
    (f"61288{made('02431:AA', 33)}", "a Telegram bot's token"),
    ("dop_v1_" + "0123456789abcdef" * 4, "a DigitalOcean token"),
    ("dapi" + "0123456789abcdef" * 2, "a Databricks token"),
    (made("gsk_", 52), "a Groq key"),
    (f"lsv2_pt_{'0123456789abcdef' * 2}_0123456789", "a LangSmith key"),
    (made("r8_", 37), "a Replicate token"),
    (made("pcsk_", 70), "a Pinecone key"),
    (f"discord.com/api/webhooks/123456789012345678/{made('', 68)}", "a Discord webhook"),
    (made("dckr_pat_", 27), "a Docker Hub token"),
    (made("tskey-", 30), "a Tailscale key"),
    (made("hvs.", 30), "a Vault token"),
    ("pul-" + "0123456789abcdef" * 2 + "01234567", "a Pulumi access token"),
    ("K10" + "0123456789abcdef" * 4 + "::server:0123456789abcdef", "a k3s join token"),
    (JWT, "a JSON web token"),
    (PEM, "a private key"),
    (PEM.replace("\n", "\\n"), "a private key"),
    (PEM.replace("RSA ", ""), "a private key"),
    ("LS0tLS1CRUdJTiBSU0EgUFJJVkFURSBLRVktLS0tLQo" + ALPHABET, "a private key in base64"),
    ("AKIA" + "Q7RZ2M5XW8KD3TNB" + ":" + made("", 40), "an AWS secret key beside its id"),
]

NAMED = [
    ("GHCR_TOKEN=a1b2c3d4e5f6", "a1b2c3d4e5f6", "GHCR_TOKEN"),
    ("export DB_PASSWORD='correct horse'", "correct horse", "DB_PASSWORD"),
    ('readonly ADMIN_PASS="hunter2"', "hunter2", "ADMIN_PASS"),
    ("PGPASSWORD=postgres psql -h db", "postgres", "PGPASSWORD"),
    ("adminPassword: prom-operator", "prom-operator", "adminPassword"),
    ("  registry:dbPassword: hunter2hunter2", "hunter2hunter2", "dbPassword"),
    ('config: {"gitlab:token": a1b2c3d4e5f6}', "a1b2c3d4e5f6", "token"),
    ("  apiKey: '0a1b2c3d4e5f'", "0a1b2c3d4e5f", "apiKey"),
    ('{"user": "bot", "password": "s3cret!"}', "s3cret!", "password"),
    (r'echo "{\"password\":\"s3cret!\"}"', "s3cret!", "password"),
    ('token = "a1b2c3d4e5f6"', "a1b2c3d4e5f6", "token"),
    ("kubeadm join 10.0.0.9:6443 --token abcdef.0123456789abcdef", "abcdef.0123456789abcdef", "token"),
    ("kubeadm join 10.0.0.9:6443 \\\n  --token \\\n  abcdef.0123456789abcdef", "abcdef.0123456789abcdef", "token"),
    ("tool --password hunter2 --verbose", "hunter2", "password"),
    ("tool --password=hunter2", "hunter2", "password"),
    ("curl -sfL https://get.k3s.io | K3S_TOKEN=mysharedsecret sh -", "mysharedsecret", "K3S_TOKEN"),
    ("helm install g x --set grafana.adminPassword=admin123", "admin123", "grafana.adminPassword"),
    ("kubectl create secret generic db --from-literal=password=hunter2", "hunter2", "from-literal=password"),
    ("PASSWORD=${GRAFANA_PASSWORD:-changeme}", "changeme", "GRAFANA_PASSWORD"),
    ("GRAFANA_PASSWORD=changeme", "changeme", "GRAFANA_PASSWORD"),
    ("MINER_TOKEN_2=a1b2c3d4e5f6", "a1b2c3d4e5f6", "MINER_TOKEN_2"),
    ("logs_sas='sv=2024-05-04&sr=c&sp=rl&sig=a1B2c3D4'", "sv=2024-05-04&sr=c&sp=rl&sig=a1B2c3D4", "logs_sas"),
    ("- name: WANDB_API_KEY\n  value: 0a1b2c3d4e5f6071", "0a1b2c3d4e5f6071", "WANDB_API_KEY"),
    ("export AZURE_OPENAI_KEY=0a1b2c3d4e5f6071", "0a1b2c3d4e5f6071", "AZURE_OPENAI_KEY"),
    (
        "netbird up --setup-key 0A1B2C3D-4E5F-6071-8293-A4B5C6D7E8F9",
        "0A1B2C3D-4E5F-6071-8293-A4B5C6D7E8F9",
        "setup-key",
    ),
    ("  tailscaleKey: 'k7c3a1d9e5f2'", "k7c3a1d9e5f2", "tailscaleKey"),
    ("- {name: API_TOKEN, value: 0a1b2c3d4e5f6071}", "0a1b2c3d4e5f6071", "API_TOKEN"),
    ("psql -c \"ALTER USER app PASSWORD 'apppass'\"", "apppass", "PASSWORD"),
    ("aws configure set aws_secret_access_key " + made("", 40), made("", 40), "aws_secret_access_key"),
    ("plain_text_passwd: ubuntu", "ubuntu", "plain_text_passwd"),
    ("#GHCR_TOKEN=a1b2c3d4e5f6", "a1b2c3d4e5f6", "GHCR_TOKEN"),
    ('curl -fsSLH "X-Auth-Token: 0a1b2c3d4e5f6071" https://x', "0a1b2c3d4e5f6071", "X-Auth-Token"),
    ('args: ["serve", "--api-key", "0a1b2c3d4e5f6071"]', "0a1b2c3d4e5f6071", "api-key"),
    ("- [kubeadm, join, --token, abcdef.0123456789abcdef]", "abcdef.0123456789abcdef", "token"),
    ("password = hunter2hunter2", "hunter2hunter2", "password"),
    ("k3s_token: \"{{ lookup('env', 'K3S_TOKEN') | default('ha-join-77x') }}\"", "ha-join-77x", "K3S_TOKEN"),
    ('x: {{ .Values.adminPassword | default "hunter22" | quote }}', "hunter22", "Values.adminPassword"),
    ('x: {{ default "hunter22" .Values.grafana.adminPassword }}', "hunter22", "Values.grafana.adminPassword"),
    ("  password: \"{{ 'hunter22' | password_hash('sha512') }}\"", "hunter22", "password"),
    ('$kubeadm_token = "h12d0m.gxam1ml6jyrq41ca"', "h12d0m.gxam1ml6jyrq41ca", "kubeadm_token"),
    ("password: {{ given | default('hunter22') }}", "hunter22", "password"),
    ("c.secret = os.environ.get('PROXY_TOKEN', '0a1b2c3d4e5f')", "0a1b2c3d4e5f", "PROXY_TOKEN"),
    ('{"user": bot, "password": s3cret99}', "s3cret99", "password"),
    ("password: 5e884898da28047151d0e56f8dc62927", "5e884898da28047151d0e56f8dc62927", "password"),
    ("- - kubeadm\n  - --token\n  - abcdef.0123456789abcdef", "abcdef.0123456789abcdef", "token"),
]

TAKEN = [
    ("CREATE USER 'slurm'@'localhost' IDENTIFIED BY 'hunter22';", "hunter22"),
    ("alter user slurm identified with mysql_native_password by 'hunter22';", "hunter22"),
    ("authorization:\n  type: Bearer\n  credentials: hub-metrics-77", "hub-metrics-77"),
    ("git clone https://0a1b2c3d4e5f6071:x-oauth-basic@github.com/x/y", "0a1b2c3d4e5f6071"),
    ("docker login -u bot -p s3cr3tPw ghcr.io", "s3cr3tPw"),
    ("sed -i 's/^password: .*/password: Tr0ub4dor/' /etc/code-server/config.yaml", "Tr0ub4dor"),
    ("sed -i 's/a/b/g; s/^password: .*/password: Tr0ub4dor/g' config.yaml", "Tr0ub4dor"),
    ("sed -i 's|MYSQL_PASSWORD=changeme|MYSQL_PASSWORD=Tr0ub4dor|' .env", "Tr0ub4dor"),
    ("sed -i \"s/^c.ServerApp.password = .*/c.ServerApp.password = 'Tr0ub4dor'/\" jupyter.py", "Tr0ub4dor"),
    ('sed -e \'s/"password": ".*"/"password": "Tr0ub4dor"/\' config.json', "Tr0ub4dor"),
    ('curl -sfL https://get.k3s.io | INSTALL_K3S_EXEC="server --node-ip 10.0.0.2 --token 45678" sh -', "45678"),
    (
        "curl -sfL https://get.k3s.io | sh -s - agent --server https://10.0.0.2:6443 \\\n  --token=gpucluster",
        "gpucluster",
    ),
    ("k3s server --agent-token gpucluster", "gpucluster"),
    ("docker login ghcr.io -u bot -p'Tr0ub4dor'", "Tr0ub4dor"),
    ("echo 'Tr0ub4dor' | docker login ghcr.io -u bot --password-stdin", "Tr0ub4dor"),
    ("printf '%s' Tr0ub4dor | docker login ghcr.io \\\n  -u bot \\\n  --password-stdin", "Tr0ub4dor"),
    ('helm registry login ghcr.io -u bot --password-stdin <<< "Tr0ub4dor"', "Tr0ub4dor"),
    ("echo Tr0ub4dor | sudo -S apt-get update", "Tr0ub4dor"),
    ("docker login \\\n  -u bot \\\n  -p s3cr3tPw \\\n  ghcr.io", "s3cr3tPw"),
    ("curl -u admin:Sup3r http://nexus.internal/x", "Sup3r"),
    ("curl -sfSu admin:Sup3r http://nexus.internal/x", "Sup3r"),
    ('curl -fsSL --user "admin:Sup3r" http://nexus.internal/x', "Sup3r"),
    ('curl -H "Authorization: Bearer 9f8a7b6c5d4e3f2a" https://x', "9f8a7b6c5d4e3f2a"),
    ('curl -H "Authorization: Basic Ym90OnMzY3IzdA==" https://x', "Ym90OnMzY3IzdA=="),
    ("git clone https://bot:gh4ffx9@github.com/x/y.git", "gh4ffx9"),
    ('{"auths":{"ghcr.io":{"auth":"Ym90OnMzY3IzdA=="}}}', "Ym90OnMzY3IzdA=="),
    ("echo 'ubuntu:hunter2' | chpasswd", "hunter2"),
    ('echo -e "root:hunter2\\n" | sudo chpasswd', "hunter2"),
    ("chpasswd <<< 'root:hunter2'", "hunter2"),
    ("printf 'machine github.com login bot password hunter2xyz\\n' > /root/.netrc", "hunter2xyz"),
    ("cat > ~/.netrc <<'EOF'\nmachine github.com\n  login bot\n  password hunter2xyz\nEOF\n", "hunter2xyz"),
    ("openssl req -x509 -newkey rsa:2048 -passout pass:hunter2xyz -out c.pem", "hunter2xyz"),
    ('openssl pkcs12 -in c.p12 -passin "pass:hunter2xyz" -nodes', "hunter2xyz"),
    ("chpasswd <<EOF\nroot:hunter2\nEOF\n", "hunter2"),
    ("chpasswd:\n  expire: false\n  list: |\n    ubuntu:hunter2\n", "hunter2"),
    ("echo hunter2 | passwd --stdin ec2-user", "hunter2"),
    ('echo -e "hunter2\\nhunter2" | sudo passwd root', "hunter2"),
    ("printf 'hunter2\\nhunter2\\n' | passwd ubuntu", "hunter2"),
    ('opsword="s3cret@99"\nuseradd ops && echo $opsword | passwd --stdin ops', "s3cret@99"),
    ("x=1\nexport opsword=s3cret99; echo ${opsword} | passwd --stdin ops", "s3cret99"),
    ("from notebook.auth import passwd\nc.NotebookApp.password = passwd('kolibri7')\n", "kolibri7"),
    ('from jupyter_server.auth import passwd; print(passwd( "kolibri7" ))', "kolibri7"),
    ("sshpass -p 'pw1234' ssh host", "pw1234"),
    ("mysql -u root -phunter2 db", "hunter2"),
    ("wandb login " + "0123456789abcdef" * 2 + "01234567", "0123456789abcdef" * 2 + "01234567"),
]

NONE = """\
NGC_API_KEY: "nvapi-NVKEY"
kubeadm join 127.0.0.1:6443 --token aaaaaa.bbbbbbbbbbbbbbbb --discovery-token-ca-cert-hash sha256:00000000
fortiweb_license_key = "fortiweb/cloud-init/FWB.lic"
sed -i "s/^password: .*/password: $PASSWORD/" config.yaml
sed -i 's/^password: .*/password: <your-password>/' config.yaml
sed -i 's/PasswordAuthentication no/PasswordAuthentication yes/' /etc/ssh/sshd_config
sed -i 's/password: @A@/password: &/; s/^token:.*/token: ${TOKEN}/' config.yaml
curl -s http://{.spec.clusterIP}:{.spec.ports[?(@.name=="http")].port}/hello
git clone https://TOKEN:x-oauth-basic@github.com/x/y
export GROQ_API_KEY='gsk_YOUR_GROQ_API_KEY'
echo "$REGISTRY_PASSWORD" | docker login ghcr.io -u bot --password-stdin
docker login ghcr.io -u bot --password-stdin < /run/password
kubectl create secret generic csi --from-file=encryptionPassphrase=csi.secret --from-file=password=./password
helm upgrade --install hub hub --set-file hub.password=hub.pw
api_key = "__LITELLM_VKEY__"
secret = "#INIT_VPN_PASSWORD#"
restic --repo /scratch/backups --insecure-no-password restore latest --target /mnt/jail
sbctl --skip-token verify99 --disable-password now99 --without_password hunter22
    msg: "Please say a password. The easiest way to do it is to add -e openshift_admin_pwd=foopass to your call"
;secret_key = SW2YcwTIb9zpOOhoPsMm
    ; admin_password = hunter22
k3s_token: "VERY_LONG_PASSWORD_OF_MANY_LETTERS"
command: ["mysql", "-u", "mysql", "-ppassword", "hunter22", "-e", "SELECT 1"]
usage() { echo "Usage: sign.sh [--root-key path] [--encrypt-sub-key] [--sub-passphrase 'pass'] [--sub-passfile path]"; }
NUTANIX_USERNAME=fake NUTANIX_PASSWORD=fake make validate
args: ["--token", "$(TOKEN)", "--password", "--other"]
parser.add_argument("--token", required=True, help="as NAME")
subprocess.run(["tool", "--password", args.password, "--token", token_of_ours])
TOKEN=$(curl -sX PUT "http://169.254.169.254/latest/api/token" -H "X-aws-ec2-metadata-token-ttl-seconds: 21600")
TOKEN=`curl -sX PUT http://169.254.169.254/latest/api/token -H 'X-aws-ec2-metadata-token-ttl-seconds: 21600'`
curl -s -H "X-aws-ec2-metadata-token: $TOKEN" http://169.254.169.254/latest/meta-data/instance-id
/etc/eks/bootstrap.sh gpu-dev --b64-cluster-ca LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCk1JSUMvakNDQWVhZ0F3SUJBZ0lCQURBTkJn
kubeadm join 10.0.0.9:6443 --token "$JOIN_TOKEN" --discovery-token-ca-cert-hash sha256:4f53cda18c2baa0c0354bb5f9a3ecb
kubeadm join 10.0.0.9:6443 --token <TOKEN> --discovery-token-ca-cert-hash sha256:<HASH>
usage: join.sh --token TOKEN --password PASSWORD
  token: "#{ token_of_the_webhook() }#"
curl -sfL https://get.k3s.io | INSTALL_K3S_EXEC="agent --token $K3S_TOKEN --token-file /etc/k3s/token" sh -
curl -sfL https://get.k3s.io | sh -s - agent --server https://server:6443 --token <NODE_TOKEN>
k3s server --token-file /etc/rancher/token --agent-token ${AGENT_TOKEN}
kubectl exec k3s -- tool --token 45678
GHCR_TOKEN="<PLACEHOLDER>"
GHCR_TOKEN=""
GHCR_TOKEN=
GHCR_TOKEN=''   # filled in from SSM
GHCR_TOKEN=xxxxxxxxxxxxxxxx
GHCR_TOKEN=ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
GHCR_TOKEN=YOUR_TOKEN_HERE
GHCR_TOKEN=changeme
ansible_password=vagrant
HF_TOKEN=${HF_TOKEN:-}
HF_TOKEN="${1:?a token}"
DB_PASSWORD=$(aws secretsmanager get-secret-value --secret-id prod/db --query SecretString --output text)
DB_PASSWORD="$(cat /run/secrets/db)"
PASSWORD_FILE=/run/secrets/db-password
TOKEN=/run/token
TOKEN=arn:aws:secretsmanager:us-east-2:123456789012:secret:ghcr-a1b2c3
GHCR_SECRET=prod/gpu/ghcr-2
aws ecr get-login-password --region us-east-2 | docker login --username AWS --password-stdin 123.dkr.ecr
echo "$GHCR_TOKEN" | docker login ghcr.io -u bot --password-stdin
docker login -u bot -p "$GHCR_TOKEN" ghcr.io
docker run -u 1000:1000 -p 8080:80 nginx
curl -u "$NEXUS_USER:$NEXUS_PASS" http://nexus.internal
git clone https://oauth2:${GHCR_TOKEN}@github.com/x/y
git clone https://user:<password>@github.com/x/y
export TOKENIZERS_PARALLELISM=false
max_tokens: 4096
initial-cluster-token: etcd-cluster-1
eos_token: "</s>"
PASS=0; FAIL=0
PASS=$((PASS+1))
echo "token: done"
echo "Password: ask the platform team"
# --token must be given
ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJl3dIeudNqd0DPMRD6OIh65tjkxFNOtGcWI2gHxyGm3 ops@gpu
image: ghcr.io/x/y@sha256:4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945
id: 123e4567-e89b-12d3-a456-426614174000
ImageId: ami-0123456789abcdef0
ubuntu ALL=(ALL) NOPASSWD: ALL
passwd: $6$rounds=4096$abcdefgh$ijklmnopqrstuvwxyz
lock_passwd: true
PasswordAuthentication no
existingSecret: grafana-admin-2
secretName: registry-creds-1
  - name: regcred-ghcr-1
- name: DB_PASSWORD
  valueFrom:
    secretKeyRef: {name: db, key: password}
- name: HF_TOKEN
  value: ""
- name: HF_TOKEN
  value: $(HF_FROM_ELSEWHERE)
passwordKey: admin-password
password: {{ .Values.password }}
password: ENC[AES256_GCM,data:abc,iv:x]
password: !vault |
password: *shared
token = os.environ["TOKEN"]
token = read_token()
if [ "$TOKEN" = "abc12345" ]; then
gpgkey=https://nvidia.github.io/libnvidia-container/gpgkey
signed-by=/usr/share/keyrings/nvidia.gpg
grep -q -- "-----BEGIN PRIVATE KEY-----" /etc/ssl/key.pem
read -rsp "Password: " PASSWORD
echo "root:$ROOT_PW" | chpasswd
echo "machine github.com login bot password $TOKEN" > /root/.netrc
# on the machine the login password must never be written down
openssl req -x509 -passout file:/etc/pki/pass -passin stdin
openssl rsa -passin "pass:$PASSPHRASE"
chpasswd -e <<< 'root:$6$abc$def'
task-abcdefghijklmnopqrstuvwxyz012345
SECRET_ARN=arn:aws:secretsmanager:us-east-2:1:secret:x
automountServiceAccountToken: false
cat_passwd='getent passwd'
known = db.passwd('kolibri7')
from notebook.auth import passwd; hashed = passwd(password)
token: tokenValue
log "joining with token ${TOKEN:0:6}..."
NVreg_RestrictProfilingToAdminUsers=0
openaiKey: "<openai>"
TAILSCALE_KEY=${TAILSCALE_KEY:?}
AZURE_AI_KEY=<KEY>
HF_KEY=/run/secrets/hf
sort_key: a1b2c3d4e5f6
password_sha1: 5baa61e4c9b93f3f0682250b6cf8331b7ee68fd8
backupTargetCredentialSecret: "longhorn-s3-backup-2"
- secretKey: clientId
""".splitlines()

HOSTILE = [
    "sed s/",
    "sed s/a/password=",
    "sed s/a/password=Tr0ub4dor/\n",
    "token", "token ", "token=", 'TOKEN="', "token='a", "TOKEN=x ", "$token=", "${TOKEN:-", "eyJ", "eyJaaaaaaaaaaa.",
    " sk-aaaaaaaaaa", "://", "://a:", "-----BEGIN PRIVATE KEY-----\n", "chpasswd ", "echo a:b | chpasswd ", 'echo -e "a\\na" | passwd ', 'echo "', "passwd('", "notebook.auth passwd('a') ", "curl -u ",
    " login -p ", "machine ", "machine a login b ", "-passout ", "chpasswd:\n", "chpasswd <<E\na:b\n", 'auth":"aaaa', "Bearer aaaaaaaa", "--token ", "- name: A_TOKEN\n",
    "{{ x | default('a') ", "default 'aaaa' .X ", "getenv('a', ", "identified by ", "authorization:\n type:\n", "1:AA", "{a",
    "AKIA0123456789ABCDEF ", "PASSWORD=hunter2x ", "\n", '"', "\\", " K10" + "a" * 40,
]  # fmt: skip


@pytest.mark.parametrize(("secret", "what"), BY_SHAPE, ids=[secret[:12] for secret, _ in BY_SHAPE])
def test_a_form_is_found_wherever_it_stands(secret: str, what: str) -> None:
    text = f"#!/bin/bash\nrun-it '{secret}' # here\nexit 0\n"
    (found,) = spans(text)
    assert (found.what, found.line, found.column) == (what, 2, 9)
    assert hide_secrets(text) == f"#!/bin/bash\nrun-it '{HIDDEN}' # here\nexit 0\n"


@pytest.mark.parametrize(("text", "secret", "name"), NAMED, ids=[text[:30] for text, _, _ in NAMED])
def test_what_is_called_a_secret_is_one(text: str, secret: str, name: str) -> None:
    (found,) = spans(f"first line\n{text}\n")
    assert found.name in (name, name.rpartition("=")[2])
    assert f"first line\n{text}\n"[found.start : found.end] == secret


@pytest.mark.parametrize(("text", "secret"), TAKEN, ids=[text[:30] for text, _ in TAKEN])
def test_what_a_command_takes_is_one(text: str, secret: str) -> None:
    (found,) = spans(text)
    assert text[found.start : found.end] == secret


@pytest.mark.parametrize("line", NONE, ids=range(len(NONE)))
def test_nothing_else_is(line: str) -> None:
    assert [(each.what, each.name) for each in spans(f"{line}\n")] == []
    assert hide_secrets(f"{line}\n") == f"{line}\n"


@pytest.mark.parametrize(
    "line",
    [
        "input_cost_per_token: 0.000001",
        "  SecretAccessKey: .Credentials.SecretAccessKey,",
        'export DOCKER_PASSWORD="unused-with-irsa"',
        'client_secret = "57f8b670-012d-42b2-a0f8-c3fakee239ad"',
        'CLOUD_PROVIDER_API_KEY: "AIzaSyDXQPG_MHUEy9neR7stolq6l0ujXmjJlvk"',
        'CLOUD_PROVIDER_API_KEY: "AIzaSyD29bGxmHAVEOBYtgd8sYM2gM2ekfxQX4U"',
        "output_cost_per_token: 1.5e-6",
        "docker build --secret id=hf_token,src=token.txt .",
        "privateKey: privateKey-Base64encoded-tLQo=",
        'Authorization = "Basic dXNlcm5hbWU6cGFzc3dvcmQ="',
        "self.password = password",
        'if ! grep -q "JWT_SECRET_KEY=" .env; then',
        'TEST_PASSWORD="hunter22!"',
        'echo "  $0 --password hunter22  Setup with a password of your own"',
        '- "Grafana: http://10.0.0.5:3000 (User: admin, Password: hunter22)"',
        'secret: {{ .Values.existingSecret | default "grafana-admin2" }}',
        "token: {{ token | default('') }}",
        'if [ $TOKEN = "0a1b2c3d4e5f" ]; then',
        "METRICS_PASSWORD=secure_password_change_me",
        "env: {'K3S_TOKEN' => agent_token}",
        "print(f'NETBOX_TOKEN=\"nbt_{key}.{secret}\"')",
        "params['slurm_accounting_password'] = db_password",
        'account = {"Name": admin_user, "RawPassword": admin_pw, "Superuser": True}',
        'data = urlencode({"username": qb_user, "password": qb_pass}).encode()',
        "- secretRef:\n    name: {{ .Values.deployment.name }}-secret\n- configMapRef:\n    name: settings",
        "name: $(NAME)-token\n- name: settings-of-everybody",
        'curl -d "{\\"at\\": \\"$(date -u +%Y-%m-%dT%H:%M:%SZ)\\"}" "$HOOK"',
        "curl -H 'X-Job: back-up:nightly' https://hooks.example.com",
        "signing_key: CHANGEME00000000",
        f"SIGNING_KEY: {'22BF84AC' * 5}",
        'gcloud run deploy nim --set-secrets="NGC_API_KEY=ngc-key:latest,HF_TOKEN=hf-pulls:2"',
        "vault login -no-print -method=oidc -path=oidc-staff role=operator",
        'value = "mstsc /v:${local.ip} (User: Administrator, Password: terraform output -raw password)"',
        'set /p PASSWORD="Enter the password of Windows: "',
        f'<authorize username="admin" password="{"5e884898da280471" * 4}" encoding="sha256">',
        "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYSAMPLEKEY2",
    ],
)
def test_what_is_better_hidden_and_told_of_nobody(line: str) -> None:
    """Of what it costs, of where it lies, of what is to stand there; of a program's variable, a question, a digest."""
    assert [(each.what, each.name) for each in spans(f"{line}\n")] == []


def test_what_says_what_it_is_is_no_finding() -> None:
    assert spans('masterToken: "Access token of all users"') == []
    assert spans('db_admin_secret_key_password: "password"') == []
    assert spans('_local_utils_secret_key: "_local_utils_secret"') == []
    assert spans('postgresql_password: "postgresql"') != []
    assert spans('masterToken: "access4711"') != []
    assert spans('passphrase: "correct horse battery staple"') != []


def test_what_is_to_stand_there_in_capitals_is_no_finding() -> None:
    assert spans('k3s_token: "VERY_LONG_PASSWORD_OF_32_LETTERS"') == []
    assert spans('k3s_token: "VERY_LONG_WORD_OF_32_LETTERS"') != []


def test_nothing_else_is_in_one_text() -> None:
    text = "\n".join(NONE)
    assert spans(text) == []
    assert hide_secrets(text) == text


def test_a_certificate_is_none() -> None:
    text = "-----BEGIN CERTIFICATE-----\n" + (ALPHABET * 2 + "\n") * 4 + "-----END CERTIFICATE-----\n"
    assert spans(text) == []


def test_a_form_tells_more_than_a_name() -> None:
    text = f'export GHCR_TOKEN="{made("ghp_", 36)}"'
    (found,) = spans(text)
    assert (found.what, found.name) == ("a GitHub token", "GHCR_TOKEN")
    assert hide_secrets(text) == f'export GHCR_TOKEN="{HIDDEN}"'


def test_a_long_secret_is_hidden_to_its_end() -> None:
    text = f"password: '{'longword 9 ' * 200}'\nnext: 1\n"
    assert hide_secrets(text) == f"password: '{HIDDEN}'\nnext: 1\n"


def test_every_one_of_many_is_at_its_line() -> None:
    text = "".join(f"A_PASSWORD=hunter{number}\nset -x\n" for number in range(50))
    assert [each.line for each in spans(text)] == list(range(1, 101, 2))
    assert {each.column for each in spans(text)} == {12}


def test_a_value_by_its_key() -> None:
    assert what_is("adminPassword", "prom-operator") == "a password"
    assert what_is("notes", made("ghp_", 36)) == "a GitHub token"
    assert what_is("existingSecret", "grafana-admin-1") is None
    assert what_is("existingSecretAdminPassword", "registry-admin-2") is None
    assert what_is("existingObjstoreSecret", "thanos-objects-3") is None
    assert what_is("adminPassword", "set-a-strong-password") is None
    assert what_is("secretToken", "GENERATE_WITH_openssl_rand_hex_20") is None
    assert what_is("STAKATER_INGRESS_TLS_SECRET", "0a1b2c3d4e" * 4) is None
    assert what_is("INGRESS_TLS_CLIENT_SECRET", "0a1b2c3d4e" * 4) == "a secret"
    assert what_is("adminPassword", "") is None


def test_what_a_template_fills_in() -> None:
    text = "GHCR_TOKEN=${ghcr_token}\nPASSWORD='${registry_auth}'\nNAME=${cluster_name}\nX=$${shell_token}\n"
    found = [(each.variable, each.name, each.is_called_so, each.line) for each in fillings(text)]
    assert found == [("ghcr_token", "GHCR_TOKEN", True, 1), ("registry_auth", "PASSWORD", False, 2)]
    assert list(fillings("join_token=$(cat /run/token)\nkubeadm join --token ${join_token}\n")) == []
    assert list(fillings("JoinToken=$(cat /run/token)\nkubeadm join --token ${JoinToken}\n")) == []
    of_a_stack = "URL=${Api.Url}\nKEY=${Api.UrlToken}\nPASS=${DbPassword}\nT=${K3S_TOKEN}\n"
    assert [each.variable for each in fillings(of_a_stack)] == ["Api.UrlToken", "DbPassword"]


def test_what_a_flag_takes_that_stands_apart() -> None:
    text = 'k3s agent --token ${x}\nx --password "${y}" --token-file ${z} --max-tokens ${n} --secret-id ${i}\n'
    found = [(each.variable, each.name, each.is_called_so, each.line) for each in fillings(text)]
    assert found == [("x", "token", False, 1), ("y", "password", False, 2)]
    assert list(fillings("x=$(cat /run/token)\nk3s agent --token ${x} --token $${y} --token ${TOKEN}\n")) == []


def test_what_no_shell_fills_in() -> None:
    text = "curl https://k3s.example | K3S_TOKEN='${K3S_TOKEN}' URL='${URL}' sh -\n"
    assert [(each.variable, each.line, each.column) for each in fillings_by_another(text)] == [("K3S_TOKEN", 1, 39)]
    assert list(fillings_by_another("K3S_TOKEN=\"${K3S_TOKEN}\" A_TOKEN='${B_TOKEN}'\n")) == []


@pytest.mark.parametrize(
    ("written", "variables"),
    [
        ("${var.HF_TOKEN} ${TOKEN} ${HF_TOKEN} ${Hf_Token}", ["var.HF_TOKEN"]),
        ("${HubToken} ${HubSecret} ${Hub.ApiToken} ${Hub.SecretArn}", ["HubToken", "Hub.ApiToken"]),
        ("HubToken=x; echo ${HubToken}", []),
        ("${random_password.a.result} ${data.external.a.result}", ["random_password.a.result"]),
        ("${random_password.a[0].result}", ["random_password.a[0].result"]),
        ('${module.keys["mpi"].private_key_pem} ${private_key_pem}', ['module.keys["mpi"].private_key_pem']),
        (
            "${data.aws_secretsmanager_secret_version.a.secret_string}${aws_secretsmanager_secret.a.arn}",
            ["data.aws_secretsmanager_secret_version.a.secret_string"],
        ),
    ],
)
def test_what_is_filled_in_is_called_or_made_so(written: str, variables: list[str]) -> None:
    assert [each.variable for each in fillings(written)] == variables


@pytest.mark.parametrize(
    "name",
    [
        *("poolSas", "logs_sas", "drive_sas_string", "sas_token", "k3s_token", "k8stoken", "joinToken", "mytoken2"),
        *("node_token_02", "dbpassword", "user_password", "userPassword1", "apikey", "hubApiKey2"),
        *("tailscale_key", "azure_ai_key", "azureOpenaiKey", "ngc_key", "wandbkey", "ts_authkey", "netbird_setup_key"),
        *("enrollment_key", "azure_subscription_key", "dd_key", "certificate_key"),
    ],
)
def test_a_template_variable_is_called_after_what_it_holds(name: str) -> None:
    assert [each.variable for each in fillings(f"tool ${{{name}}} --quiet\n")] == [name]


@pytest.mark.parametrize(
    "name",
    [
        *("tokenizer", "max_tokens", "token_ttl", "tokenReviewer", "passwd_file", "secret_name", "password_length"),
        *("token_count_2", "sas_expiry", "sasl_mechanism", "texas", "key_2", "secret_id", "bypass", "token_path2"),
        *(
            "ssh_key",
            "host_key",
            "public_key",
            "azure_ssh_key",
            "kms_key",
            "hosts_key",
            "aws_key_name",
            "tailscale_key_id",
        ),
        *("sort_key", "monkey", "primary_key", "azure_keys", "mistral_key_path"),
    ],
)
def test_what_only_speaks_of_one_is_none(name: str) -> None:
    assert list(fillings(f"tool ${{{name}}} --quiet\n")) == []


# What takes this long is no longer linear; how fast it is, bench/ says.
HANGS = 10


@pytest.mark.parametrize("unit", HOSTILE, ids=range(len(HOSTILE)))
def test_no_text_takes_long(unit: str) -> None:
    begins = time.process_time()
    spans(unit * ((1 << 17) // len(unit)))
    assert time.process_time() - begins < HANGS


def test_any_word_is_the_token_of_a_cluster() -> None:
    file = "cat > /etc/rancher/rke2/config.yaml <<EOF\nserver: https://a:9345\n{}\nEOF\n"
    assert [each.what for each in spans(file.format("token: blue-harbour-token"))] == ["the token of a cluster"]
    assert spans(file.format("token: $TOKEN")) == []
    assert spans(file.format("token: your-token")) == []
    assert spans(file.format("cni: cilium") + "token: blue-harbour-token\n") == []


def test_whatever_takes_a_secret_is_looked_for_where_its_mark_stands() -> None:
    assert [each for each in ALL_MARKS if not any(mark in each for mark in MARKS_OF_ARGUMENTS)] == []
