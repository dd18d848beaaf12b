"""What differs between the families of evaluators whose trees the walk goes along: one row for each of them, and nothing else.

| | schemas | `fields:` of schema_match | listed fields |
|---|---|---|---|
| one result is | a value | a value | a line, with all its values |
| a container that is lost, empty or of another kind | has results of its own | the same | says nothing beside the fields in it |
| a key that the tree lacks | is extra where only the output has it | the same | is ignored |
| `[*]` means | the items of a list | and, of two objects, their values | and the values of an object |
| a comparator that reads the output alone, where only the output has the key | is not asked: the key is extra | is asked | is asked |
| the same, where the output lacks the key | only what the expected side has is missing | it is missing | it is missing |
| an expected value that cannot be read | is a fault at its place | the same | is one for all values of its line in that row |
"""

from __future__ import annotations

from typing import Final, Literal

from msgspec import Struct


class Policy(Struct, frozen=True):
    """How the places of a tree are read."""

    one_result: Literal["value", "line"]
    containers: Literal["results", "looked through"]
    """`looked through`: keys that the tree lacks are ignored."""
    every: Literal["item", "item or value"]
    """What `[*]` means."""
    one_sided: Literal["extra", "asked"]


SCHEMA: Final = Policy(one_result="value", containers="results", every="item", one_sided="extra")
FIELDS: Final = Policy(one_result="value", containers="results", every="item or value", one_sided="asked")
LISTED: Final = Policy(one_result="line", containers="looked through", every="item or value", one_sided="asked")
