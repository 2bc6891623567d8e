"""Manifests that somebody else wrote, by each of the ways to take them over."""

import pulumi_kubernetes.yaml as older
import pulumi_kubernetes.yaml.v2 as newer

RERANKER = """
apiVersion: v1
kind: Pod
metadata: {name: reranker}
spec:
  containers:
    - name: reranker
      image: ghcr.io/huggingface/text-embeddings-inference:1.8
      resources: {requests: {nvidia.com/gpu: 1}}
"""

older.ConfigFile("embedding", file="manifests/embedding.yaml")
newer.ConfigGroup("rest", files=["manifests/*.yaml"], yaml=RERANKER)
