"""Query parameters that only requests have: none, and the mask of an update."""

from typing import Annotated, ClassVar

from fastapi import Query as FromQuery
from pydantic import BaseModel, Field, field_validator

from api.query.parameters import Query


class NoParameters(Query):
    """No parameters."""


NoQuery = Annotated[NoParameters, FromQuery()]


class UpdateMask(Query):
    """Parameters of a partial update: the fields of the body to change; without a mask, the sent ones.

    A subclass lists the allowed fields in `names`.
    """

    names: ClassVar[tuple[str, ...]] = ()
    update_mask: Annotated[str, Field(max_length=500)] = ""

    @classmethod
    def __pydantic_init_subclass__(cls, **_: object) -> None:
        """Document the fields of the mask."""
        mask = cls.model_fields["update_mask"]
        mask.description = (
            f"Fields to change, separated by commas: {', '.join(cls.names)}. Default: the fields in the body."
        )
        mask.examples = [cls.names[0]]
        cls.model_rebuild(force=True)

    @field_validator("update_mask")
    @classmethod
    def _known(cls, value: str) -> str:
        unknown = [name for name in value.split(",") if name and name not in cls.names]
        if unknown:
            raise ValueError(
                f"there is no field {unknown[0]!r} to update; choose from {', '.join(cls.names)}"
            )
        return value


def chosen_fields(query: UpdateMask, body: BaseModel) -> set[str]:
    """Names of the fields of `body` that a mask lets through: those of the mask, or those sent."""
    masked = {name for name in query.update_mask.split(",") if name}
    shown = {field.alias or name: name for name, field in type(body).model_fields.items()}
    return {shown[name] for name in masked} if masked else body.model_fields_set
