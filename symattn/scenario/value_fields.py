"""The forms of values that several tables of a file have.

What a value may be written as is for the JSON schema: validators check more closely, and say better what is wrong.
"""

# Annotations are no texts in this module (no `from __future__`): pydantic would have to read each of them.

from typing import Annotated, Literal

from pydantic import Field, PlainValidator
from sympy import Expr

from symattn import limits
from symattn.quantities import LARGEST_SIZE
from symattn.scenario import forms
from symattn.scenario.fields import checked_entry, fraction, names, setting, texts
from symattn.scenario.forms import NUMBER, Described

NumberField = Annotated[str, Field(pattern=NUMBER, max_length=limits.NUMBER_LENGTH)] | int
TextsField = Annotated[dict[str, str], PlainValidator(texts), Described(forms.words)]
FractionField = Annotated[Expr, PlainValidator(fraction, json_schema_input_type=NumberField)]
_AnySetting = str | int | bool | list[str]
SettingField = Annotated[
    str | int | bool | tuple[str, ...], PlainValidator(setting, json_schema_input_type=_AnySetting)
]
NamesField = Annotated[tuple[str, ...] | str, PlainValidator(names, json_schema_input_type=str | list[str])]
CheckField = Annotated[str | Literal[False], PlainValidator(checked_entry, json_schema_input_type=str | bool)]
PairField = Annotated[list[str], Field(min_length=2, max_length=2)]
DecimalsField = Annotated[int, Field(ge=1, le=limits.DIGITS)]
SizesField = Annotated[dict[str, Annotated[int, Field(ge=1, le=LARGEST_SIZE)]], Field(min_length=1)]
