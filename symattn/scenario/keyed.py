"""A table of a scenario file that holds exactly the keys that are declared, and the sentence for every other one."""

# Annotations are no texts in this module (no `from __future__`): pydantic would have to read each of them.

from typing import Any, ClassVar, Self

from pydantic import BaseModel, ConfigDict, Field, ModelWrapValidatorHandler, ValidationError, model_validator
from pydantic_core import InitErrorDetails

from symattn import limits
from symattn.errors import nearest, unknown
from symattn.scenario.problem import Problem


def key(said: str, default: Any = ..., /) -> Any:
    """A key of a table: what it is for, which an editor shows, and what it is where it is left out, if it may be."""
    return Field(default, description=said)


class KeyedTable(BaseModel):
    """A TOML table: exactly the keys that are declared, of exactly the declared types."""

    # Only the whole file is read: what reads a table by itself is built when that is asked for.
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, defer_build=True)

    _elsewhere: ClassVar[tuple[str, ...]] = ()
    """Keys of another form of the table."""
    _strange: ClassVar[str] = ""
    """What else to say of a key that nobody knows."""

    @model_validator(mode="wrap")
    @classmethod
    def _known_keys(cls, value: Any, handler: ModelWrapValidatorHandler[Self]) -> Self:
        """The keys that nobody knows, and what is wrong with the others."""
        if not isinstance(value, dict):
            return handler(value)
        known = [field.alias or name for name, field in cls.model_fields.items()]
        strange = [key for key in value if key not in known]
        if not strange:
            return handler(value)
        del strange[limits.PROBLEMS + 1 :]  # nobody is told of more, and each takes a search for what was meant
        every = [*known, *cls._elsewhere]
        told = {key: unknown("key", key, every, "symattn schema") + cls._strange.format(key=key) for key in strange}
        told |= {key: f"{key} goes with {cls._elsewhere[0]} = …" for key in strange if key in cls._elsewhere}
        problems = [
            InitErrorDetails(type="value_error", loc=(), input=value, ctx={"error": Problem((key,), sentence)})
            for key, sentence in told.items()
        ]
        meant = {name for key in strange for name in nearest(key, every)}
        if meant.intersection(cls._elsewhere):  # of the other form nothing here is required
            meant.update(known)
        try:
            handler({key: part for key, part in value.items() if key in known})
        except ValidationError as error:
            # A key that is missing under its name and there under another is one mistake.
            problems += [
                InitErrorDetails(type=line["type"], loc=line["loc"], input=line["input"], ctx=line.get("ctx", {}))
                for line in error.errors(include_url=False)
                if not (line["type"] == "missing" and len(line["loc"]) == 1 and line["loc"][0] in meant)
            ]
        raise ValidationError.from_exception_data(cls.__name__, problems)
