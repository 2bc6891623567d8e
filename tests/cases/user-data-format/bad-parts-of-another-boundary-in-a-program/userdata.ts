import * as aws from "@pulumi/aws";

const userData = `MIME-Version: 1.0
Content-Type: multipart/mixed; boundary="PART"

--PARTS
Content-Type: text/x-shellscript

#!/bin/bash
set -euo pipefail
/etc/eks/bootstrap.sh gpu-one
--PARTS--
`;

export const template = (image: string) =>
  new aws.ec2.LaunchTemplate("gpu", {
    imageId: image,
    instanceType: "g5.2xlarge",
    userData: Buffer.from(userData).toString("base64"),
  });
