"""State of earlier work: fingerprints of inputs, locations of repositories, files of a warehouse."""
