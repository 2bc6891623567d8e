#!/bin/bash
set -e
apt-get update
apt-get install -y cuda-drivers cuda-toolkit-12-9
cat > /etc/profile.d/site.sh <<EOF
#!/bin/sh
export PATH=/opt/site/bin:\$PATH
EOF
echo 'export PATH=/usr/local/cuda/bin:$PATH' > /etc/profile.d/cuda.sh
echo "PATH=/usr/local/cuda/bin:$PATH" >> /etc/environment
