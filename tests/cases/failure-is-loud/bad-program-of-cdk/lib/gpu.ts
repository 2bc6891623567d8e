import * as ec2 from 'aws-cdk-lib/aws-ec2';

const packages = [
  `apt-get update`,
  'apt-get install -y nvidia-driver-570-server',
];
const userData = ec2.UserData.forLinux();
userData.addCommands(...packages, `echo ${stage} is done`);
new ec2.Instance(this, 'Gpu', { vpc, machineImage, userData, instanceType: new ec2.InstanceType('g5.xlarge') });
