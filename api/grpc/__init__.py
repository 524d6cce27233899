"""The methods of the service over gRPC. Each asks the same application that answers REST."""
