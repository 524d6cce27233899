"""Keeps what Jinja compiled of dbt's models and macros.

dbt makes a new environment for each of five hundred texts of a build and compiles them again, which is an eighth of the
processor time of its threads. Environments of one class have the same extensions and filters, so the code follows from
the class and the text.
"""

from __future__ import annotations

from types import CodeType

import jinja2
from dbt_common.clients.jinja import MacroFuzzEnvironment


def keep_compiled_templates() -> None:
    """Compile each text once in this process."""
    kept: dict[tuple[type[jinja2.Environment], str], CodeType] = {}

    def from_string(
        environment: jinja2.Environment,
        source: str,
        *given: dict[str, object] | None,
        **named: dict[str, object] | None,
    ) -> jinja2.Template:
        (values,) = given or (named.pop("globals", None),)
        assert not named, f"dbt asks Jinja for {list(named)} now, which this function leaves out"
        key = type(environment), source
        if (code := kept.get(key)) is None:
            code = kept[key] = environment.compile(source)
        return environment.template_class.from_code(environment, code, environment.make_globals(values), None)

    type.__setattr__(MacroFuzzEnvironment, "from_string", from_string)
