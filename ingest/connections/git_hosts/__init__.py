"""Streams of Git hosts: their repositories, then the pull requests of each wanted one."""
