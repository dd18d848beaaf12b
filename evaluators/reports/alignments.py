"""What `explain` says of the alignments of lists: one page for all, under the name of each and under `align`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, get_args

from evaluators.reports.document import Item, Listing, Page, Paragraph, Section
from evaluators.scoring.fields.reading import AlignHow

SETTING: Final = "align"

DOES: Final[Mapping[AlignHow, str]] = {
    "ordered": "The first item goes with the first, the second with the second. This is so where nothing is said.",
    "any_order": "An item goes with an item that is right in every field, wherever it stands.",
    "key_field": "Items that have the same key go together, such as the same article number.",
    "hungarian": "As many items as possible are right in every field; then the other pairs agree as much as they can.",
}
_UNPAIRED: Final = (
    "An item without a partner counts twice: its fields are missing on one side and extra on the other. With one other "
    "field right, [{A, 2}] for [{A, 3}] has an F1 of 0.333, and with the item left out 0.5. Plain hungarian pairs the two, "
    "and what is right in them counts."
)
"""What is said of alignments that may leave an item without a partner although the other list has one for it."""
_WRITTEN: Final[Mapping[AlignHow, tuple[str, ...]]] = {
    "ordered": ("items: {align: ordered}",),
    "any_order": ("tags: {align: any_order}", "tags: {align: {any_order: {unique: true}}}"),
    "key_field": ("items: {align: {key_field: {key: sku}}}",),
    "hungarian": ("items: {align: hungarian}", "items: {align: {hungarian: {at_least: 0.5}}}"),
}


def is_alignment(name: str) -> bool:
    """Whether a name is that of an alignment, or of the setting that chooses one."""
    return name == SETTING or name in get_args(AlignHow)


def alignment_page(name: str) -> Page:
    """The page of the alignment of this name, or of all of them where the name is `align`."""
    chosen = [how for how in DOES if name in (SETTING, how)]
    introduction = Paragraph(
        "An alignment says which items of two lists are compared with each other. It is under `fields` of an evaluator, "
        "at the path of the list."
    )
    items = tuple(Item(f"{how}: {DOES[how]}", quote=_WRITTEN[how]) for how in chosen)
    others = [how for how in DOES if how not in chosen]
    other_names = (Paragraph(f"The other alignments are {', '.join(others)}."),) if others else ()
    about_unpaired = () if chosen == ["ordered"] else (Paragraph(_UNPAIRED),)
    return Page(name, (Section(None, (introduction, Listing(items), *about_unpaired, *other_names)),))


def alignment_data(name: str) -> list[Mapping[str, str]]:
    """One alignment, or all, as plain data for programs."""
    return [{"kind": "alignments", "name": how, "does": does} for how, does in DOES.items() if name in (SETTING, how)]
