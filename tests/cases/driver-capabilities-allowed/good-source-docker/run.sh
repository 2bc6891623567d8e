#!/bin/bash
# docker run -e NVIDIA_DRIVER_CAPABILITIES=profiling
docker run --rm --gpus '"capabilities=compute"' -e NVIDIA_DRIVER_CAPABILITIES=profiling registry.example.com/cuda:12.8
docker run --rm --gpus all -e NVIDIA_DRIVER_CAPABILITIES=all registry.example.com/cuda:12.8
