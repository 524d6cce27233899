"""The operator of a deployment: its settings, its license, and the keys that may sign for it.

A leaf: neither FastAPI nor the control database. `orchestration` may import it.
"""
