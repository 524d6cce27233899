"""Summaries of a week, month or quarter: facts become a document, and a document becomes text.

`composing.compose` makes the document from facts alone; `verification.verify` holds any document against its facts,
whoever wrote it; `formats` renders it. Keep out: reading facts, storing summaries, HTTP.
"""
