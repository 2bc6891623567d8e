#!/bin/bash
set -euo pipefail
NAME=trainer
gcloud compute --project=labs instances create "$NAME" --zone=us-central1-a --machine-type=a2-highgpu-1g --tags=notebooks
gcloud compute firewall-rules create notebooks --allow=tcp:8888,icmp --target-tags=notebooks
gcloud compute firewall-rules create everything --direction=INGRESS --action=ALLOW --rules=all \
  --source-ranges=0.0.0.0/0
gcloud compute instances create old --machine-type n1-standard-8 --accelerator type=nvidia-tesla-t4,count=1 --network labs
gcloud compute firewall-rules create labs-ssh --network labs --allow tcp:22 --source-ranges 10.0.0.0/8,0.0.0.0/0
az vm create --resource-group gpus --name "$NAME" --size Standard_NC24ads_A100_v4 --image Ubuntu2204
az vm open-port --resource-group gpus --name "$NAME" --port 8888
az network nsg rule create -g gpus --nsg-name trainerNSG -n ssh --priority 1001 --destination-port-ranges 22
