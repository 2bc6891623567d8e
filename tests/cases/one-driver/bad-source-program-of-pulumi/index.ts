import * as aws from "@pulumi/aws";
import * as k8s from "@pulumi/kubernetes";

const gpus = new aws.eks.NodeGroup("gpus", {
  clusterName: "ml",
  amiType: "AL2023_x86_64_NVIDIA",
  instanceTypes: ["g5.2xlarge"],
  scalingConfig: { minSize: 2, maxSize: 2, desiredSize: 2 },
});

new k8s.helm.v3.Release("gpu-operator", {
  chart: "gpu-operator",
  version: "v25.10.0",
  values: { driver: { enabled: true }, toolkit: { enabled: false } },
});
