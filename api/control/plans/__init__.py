"""Plans: commit limits, trials and renewals."""
