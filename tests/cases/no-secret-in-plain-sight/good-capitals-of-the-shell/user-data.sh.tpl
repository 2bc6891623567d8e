#!/bin/bash
set -euo pipefail
HF_TOKEN=$(aws secretsmanager get-secret-value --secret-id ${secret_id} --query SecretString --output text)
docker run --gpus all -e HF_TOKEN=${HF_TOKEN} vllm/vllm-openai:v0.11.0 --model ${model}
