"""Validation errors in plain words, in place of the texts of the validation library.

Keep out: the answer (statuses.py).
"""

from typing import Any

# Texts by the error types of the validation library.
PLAIN_WORDS = {
    "missing": "is required",
    "string_type": "must be text",
    "string_too_long too_long": "use at most {max_length} characters",
    "string_too_short too_short": "use at least {min_length} characters",
    "bool_type bool_parsing": "must be true or false",
    "int_type int_parsing int_parsing_size int_from_float": "must be a whole number",
    "float_type float_parsing finite_number": "must be a number",
    "list_type": "must be a list",
    "dict_type model_type model_attributes_type": "must be an object",
    "greater_than": "must be more than {gt}",
    "greater_than_equal": "must be at least {ge}",
    "less_than": "must be less than {lt}",
    "less_than_equal": "must be at most {le}",
    "literal_error enum": "must be one of {expected}",
    "date_type date_parsing date_from_datetime_parsing date_from_datetime_inexact": "must be a date such as 2026-11-20",
    "datetime_type datetime_parsing datetime_from_date_parsing": "must be an instant such as 2026-11-20T09:30:00Z",
    "timezone_aware": "needs a time zone, such as the Z of 2026-11-20T09:30:00Z",
}


def field_of(location: tuple[Any, ...]) -> str:
    """The name of the invalid field, as the caller wrote it."""
    if location[0] == "body" and isinstance(location[-1], int) and len(location) == 2:
        return "body"  # where in its text it stops being JSON
    return ".".join(str(part) for part in location[1:]) or str(location[0])


def problem_of(item: Any) -> str:
    """The problem of an item of `ValidationError.errors()`. It never repeats the value."""
    if item["type"] == "extra_forbidden":
        return "unknown parameter; /openapi.json lists the parameters of this path"
    if item["type"] == "json_invalid":
        return (
            f"is not valid JSON from character {item['loc'][-1]} on; send an object such as the one in /docs"
        )
    if item["type"] == "model_attributes_type" and item["loc"] == ("body",):
        return "must be a JSON object; send one with the header `Content-Type: application/json`"
    kind = str(item["type"])
    told = next((words for kinds, words in PLAIN_WORDS.items() if kind in kinds.split()), None)
    if told is None:
        # Our own validators' words: the library puts a prefix before them.
        message = str(item["msg"]).removeprefix("Value error, ").removeprefix("Assertion failed, ")
        return message[:1].lower() + message[1:]
    context = dict(item.get("ctx", {}))
    if kind in ("too_long", "too_short") and context.get("field_type") in ("List", "Tuple", "Set"):
        told = told.replace("characters", "items")
    if "expected" in context:
        context["expected"] = str(context["expected"]).replace(" or ", ", ").replace("'", "")
    return told.format_map(context)
