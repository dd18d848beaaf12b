"""The suites that are measured."""

from __future__ import annotations

from pathlib import Path
from typing import Final

DOTS: Final = (
    "shipment_id", "sender", "contact", "shipped_on", "service", "weight_kg", "insured", "surcharge", "remarks",
    "destination.town", "destination.postcode", "parcels.0.code",
)  # fmt: skip
"""Twelve fields, in dots."""

MIXED: Final = (
    "shipment_id", "sender", "$.contact", "shipped_on", "service", "/weight_kg", "insured", "surcharge", "remarks",
    "destination.town", "$.destination.postcode", "/parcels/0/code",
)  # fmt: skip
"""The same fields in three spellings."""

FIELDS: Final = "json_multi_field_match: {fields: [%s]}"
NORMALIZED: Final = "json_field_match_normalized"

SHIPMENT: Final = "schema_match: {fields: {%s, parcels: {align: %s}, %s, 'labels[*]': exact}}"
"""Every field of a shipment, its parcels aligned: some 25 to 31 leaves a row."""
LEAVES: Final = ", ".join(
    f"{name}: {'numeric' if name in ('weight_kg', 'surcharge') else 'exact'}"
    for name in (*DOTS[:11], "destination.street", "destination.country")
)
PARCEL: Final = ", ".join(
    f"'parcels[*].{name}': {how}"
    for name, how in (("code", "exact"), ("contents", "exact"), ("count", "numeric"), ("value", "numeric"))
)
ALIGNED: Final = {"ordered": "ordered", "key": "{key_field: {key: code}}", "hungarian": "hungarian"}


def shipment(align: str) -> str:
    """The evaluator that scores every field of a shipment."""
    return SHIPMENT % (LEAVES, ALIGNED[align], PARCEL)


SUITES: Final = {
    "exact": ("exact_match", "contains_json"),
    "three": ("exact_match", "contains_json", FIELDS % ", ".join(DOTS)),
    "dots": (FIELDS % ", ".join(DOTS),),
    "fields": (FIELDS % ", ".join(MIXED),),
    "diff": ("json_diff_match",),
    **{f"schema_{align}": (shipment(align),) for align in ALIGNED},
    "six": ("exact_match", "contains_json", FIELDS % ", ".join(MIXED), "json_diff_match", NORMALIZED, shipment("key")),
    "five": ("exact_match", "contains_json", FIELDS % ", ".join(MIXED), "json_diff_match", NORMALIZED),
}


def text(name: str) -> str:
    """A suite as YAML."""
    return "\n".join(["version: 1", f"name: {name}", "evaluators:", *(f"  - {one}" for one in SUITES[name]), ""])


def write(folder: Path) -> dict[str, Path]:
    """All suites as files, by name."""
    paths = {name: folder / f"{name}.yaml" for name in SUITES}
    for name, path in paths.items():
        path.write_text(text(name), encoding="utf-8")
    return paths
