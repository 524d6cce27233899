"""Bitbucket Cloud and Data Center."""
