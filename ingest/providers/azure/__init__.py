"""Azure DevOps and Azure Boards."""
