"""Single lines of one delivered change, read again from a clone when somebody asks: the lake keeps their numbers alone.

replay       the delivery with the files that it touched, classified again by the code of a run
excerpts     a small history of a few paths, in a folder of its own
lines        what is found, as plain values
"""
