"""Summaries as a caller sees them: without figures of few people, and drafts of the running period."""
