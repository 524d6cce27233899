"""Shared parts of Git hosts: their rows, and streams of repositories, then of the pull requests of each wanted one."""
