param size string

resource aks 'Microsoft.ContainerService/managedClusters@2025-01-01' = {
  name: 'ml'
  properties: {
    kubernetesVersion: '1.33'
    agentPoolProfiles: [
      {
        name: 'gpu'
        count: 1
        vmSize: size
      }
    ]
  }
}
