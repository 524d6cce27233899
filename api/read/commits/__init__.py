"""Reads of commits: lists, explanations, import bursts and the targets of corrections."""
