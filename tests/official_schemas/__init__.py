"""The providers' own descriptions of their interfaces, which packages of npm and PyPI carry.

They are installed by the lock files of this folder: nothing of them is part of the project.
"""
