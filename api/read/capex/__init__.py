"""Reads of capitalized effort: the report, the preview of a policy, and commits to confirm."""
