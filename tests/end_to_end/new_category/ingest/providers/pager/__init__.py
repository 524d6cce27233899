"""Pager, a made-up incident tool."""
