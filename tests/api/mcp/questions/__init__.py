"""Ten questions that a manager asks, over an invented shop that is analysed from Git to the build."""
