#!/bin/bash
set -euo pipefail
gcloud compute instances create trainer --zone=us-central1-a --machine-type=a2-highgpu-1g --tags=notebooks
# To a network; to one that somebody else names; of machines of another tag; of another network; out of it; among them.
gcloud compute firewall-rules create notebooks --allow=tcp:8888 --target-tags=notebooks --source-ranges=203.0.113.0/24
gcloud compute firewall-rules create office --allow=tcp:8888 --target-tags=notebooks --source-ranges="$OFFICE"
gcloud compute firewall-rules create bastions --allow=tcp:22 --target-tags=bastion
gcloud compute firewall-rules create labs --network=labs --allow=tcp:22
gcloud compute firewall-rules create out --direction=EGRESS --allow=tcp:9000 --target-tags=notebooks
gcloud compute firewall-rules create among --allow=tcp:1-65535 --source-tags=notebooks --target-tags=notebooks
gcloud compute instances create inner --machine-type=g2-standard-4 --no-address --network=inner
gcloud compute firewall-rules create inner-ssh --network=inner --allow=tcp:22
# A machine without GPUs, and a range of one's own.
az vm create --resource-group web --name bastion --size Standard_D2s_v5 --image Ubuntu2204
az vm open-port --resource-group web --name bastion --port 22
az vm create --resource-group gpus --name trainer --size Standard_NC24ads_A100_v4 --image Ubuntu2204
az network nsg rule create -g gpus --nsg-name trainerNSG -n ssh --priority 1001 \
  --source-address-prefixes 203.0.113.0/24 --destination-port-ranges 22
az network nsg rule create -g gpus --nsg-name trainerNSG -n no --priority 1002 --access Deny --destination-port-ranges 22
