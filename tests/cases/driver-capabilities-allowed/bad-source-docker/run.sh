#!/bin/bash
docker run --rm --gpus all \
  -e NVIDIA_DRIVER_CAPABILITIES=compute,utility,profiling \
  registry.example.com/cuda:12.8 nvidia-smi
