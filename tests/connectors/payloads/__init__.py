"""Payloads: what the connectors read of stored answers of providers, and what they leave unread.

`python -m tests.connectors.payloads FOLDER` walks a folder of JSON files. A file is tried with the shapes of the
connector that its path names; files of other kinds are listed apart. A provider registers a shape by one line in
`shapes.SHAPES`.
The files stay outside the project.
"""
