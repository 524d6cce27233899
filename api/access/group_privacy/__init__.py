"""The minimum group size: which figures and splits of small groups stay hidden."""
