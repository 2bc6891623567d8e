import * as aws from "@pulumi/aws";

interface Part { contentType: string; content: string }

function nodeadmUserData(parts: Part[]): string {
  const boundary = "PART";
  const header = `MIME-Version: 1.0
Content-Type: multipart/mixed; boundary="${boundary}"

`;
  let userData = header;
  for (const part of parts) {
    userData += `--${boundary}
Content-Type: ${part.contentType}

${part.content}
`;
  }
  return `${userData}--${boundary}--\n`;
}

const userData = `#!/bin/bash
set -euo pipefail
/etc/eks/bootstrap.sh gpu-one
`;

export const template = (image: string) =>
  new aws.ec2.LaunchTemplate("gpu", {
    imageId: image,
    instanceType: "g5.2xlarge",
    userData: Buffer.from(nodeadmUserData([{ contentType: "text/x-shellscript", content: userData }])).toString("base64"),
  });
