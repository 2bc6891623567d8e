"""Templates of CloudFormation, also those that CDK writes: read, evaluated, and told as a stack of AWS."""
