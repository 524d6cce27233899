"""What is known of earlier work: fingerprints of inputs, where repositories are read, files of a warehouse."""
