"""The official conformance suite of the Model Context Protocol, on the product and on fixture tools in its place."""
