"""What a figure means and how it reads: definitions of metrics, formats and sentences, for every place that shows one.

Pure: it takes values and gives texts and formulas. The API and orchestration may both import it. Add: a metric, a
format, a sentence, the specification of a chart. Keep out: databases, HTTP, settings.
"""
