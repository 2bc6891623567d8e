param size string = 'Standard_ND96isr_H100_v5 VMs'

module aks './modules/aks.bicep' = {
  name: 'deploy-aks'
  params: {
    size: size
  }
}
