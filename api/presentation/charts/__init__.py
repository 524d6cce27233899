"""Charts: what a figure looks like as a picture, for every place that shows one.

A chart is a value (`models`) from which a module per kind makes a Vega-Lite specification without colours. `drawing`
gives it the colours of a theme and draws it. Specifications are plain dictionaries, which the tests hold against
Altair's schema: importing Altair takes 310 ms, and vl_convert 6 ms. Keep out: queries, HTTP, the choice of a chart.
"""
