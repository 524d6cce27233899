"""`…/checkKinds` and `…/checkOccurrences`."""
