"""One `evaluation_config`, read: a word, or a map of metrics with their parameters and weights.

    "string_fuzzy"
    {metrics: [{metric_id: number_tolerance, params: {tolerance: 0.01}, weight: 2}], aggregation_weight: 3}

Only the form is checked here. Which comparators there are, and what they take, is asked of the comparators themselves.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any, Final

from msgspec import Struct

from evaluators.model.registry import suggestion
from evaluators.model.settings import BadSettings, Detail, Loc, spell
from evaluators.scoring.fields.lines import read_weight

CONFIG_KEYS: Final = ("metrics", "aggregation_weight")
METRIC_KEYS: Final = ("metric_id", "params", "weight")
SKIP: Final = "skip"


class AskedMetric(Struct, frozen=True):
    """One metric that a schema asks for, with where it is written."""

    metric_id: str
    params: Mapping[str, Any] = {}
    weight: Fraction = Fraction(1)
    loc: Loc = ()
    params_loc: Loc = ()

    @property
    def spelled(self) -> object:
        """The metric as a word or a one-key map."""
        return {self.metric_id: dict(self.params)} if self.params else self.metric_id

    def alike(self, other: AskedMetric) -> bool:
        """Both ask for the same comparison."""
        return (self.metric_id, self.params, self.weight) == (other.metric_id, other.params, other.weight)


class Words(Struct, frozen=True):
    """An `evaluation_config`, read. `metrics` is None where it names none: the type's own comparator is used."""

    metrics: tuple[AskedMetric, ...] | None = None
    weight: Fraction = Fraction(1)
    skip: bool = False


NO_WORDS: Final = Words()


def read_words(config: object, loc: Loc) -> Words:
    """What an `evaluation_config` asks for. Raises BadSettings with every problem and its place.

    An empty one skips the field, and so does an empty list of metrics.
    """
    if config is None:
        return NO_WORDS
    if isinstance(config, str):
        return Words(skip=True) if config == SKIP else Words((AskedMetric(config, loc=loc, params_loc=loc),))
    if not isinstance(config, Mapping):
        message = f"evaluation_config must be a word, or a map with metrics; found {spell(config)}"
        hint = 'write "evaluation_config": {"metrics": […]}' if isinstance(config, (list, tuple)) else None
        raise BadSettings([Detail(loc, message, hint)])
    details = [_unknown(key, loc, CONFIG_KEYS, "evaluation_config") for key in config if key not in CONFIG_KEYS]
    found: tuple[AskedMetric, ...] | None = None if config else ()
    if "metrics" in config:
        found = _metrics(config["metrics"], (*loc, "metrics"), details)
    weight = _weight(config, "aggregation_weight", loc, details)
    if details:
        raise BadSettings(details)
    return Words(found or None, weight, skip=found == ())


def _metrics(listed: object, loc: Loc, details: list[Detail]) -> tuple[AskedMetric, ...]:
    if not isinstance(listed, (list, tuple)):
        hint = 'write "metrics": [{"metric_id": "string_exact"}]'
        details.append(Detail(loc, f"metrics must be a list; found {spell(listed)}", hint))
        return ()
    asked: list[AskedMetric] = []
    for index, item in enumerate(listed):
        found = _metric(item, (*loc, index), details)
        if found is None:
            continue
        if any(found.metric_id == other.metric_id for other in asked):
            message = f'metric "{found.metric_id}" is named twice, and its results would have one name'
            details.append(Detail((*loc, index, "metric_id"), message, "keep one of them"))
        asked.append(found)
    return tuple(asked)


def _metric(item: object, loc: Loc, details: list[Detail]) -> AskedMetric | None:
    if not isinstance(item, Mapping):
        hint = f'write {{"metric_id": "{item}"}}' if isinstance(item, str) else None
        details.append(Detail(loc, f'a metric must be a map with "metric_id"; found {spell(item)}', hint))
        return None
    details.extend(_misplaced(key, item, loc) for key in item if key not in METRIC_KEYS)
    weight = _weight(item, "weight", loc, details)
    params = item.get("params")
    if params is not None and not isinstance(params, Mapping):
        details.append(Detail((*loc, "params"), f"params must be a map; found {spell(params)}"))
        params = None
    name = item.get("metric_id")
    if not isinstance(name, str) or name == SKIP:
        found = "is missing" if "metric_id" not in item else f"must name a comparator; found {spell(name)}"
        hint = 'write "evaluation_config": "skip" to leave the field out' if name == SKIP else None
        details.append(Detail((*loc, "metric_id") if "metric_id" in item else loc, f'"metric_id" {found}', hint))
        return None
    return AskedMetric(name, params or {}, weight, (*loc, "metric_id"), (*loc, "params"))


def _misplaced(key: object, item: Mapping[str, Any], loc: Loc) -> Detail:
    """A key that no metric has: often a parameter that stands beside `params`, not in it."""
    found = _unknown(key, loc, METRIC_KEYS, "a metric")
    if found.hint is None or found.hint.startswith("known"):
        hint = f'parameters of the comparator go under "params": {{"{key}": …}}'
        return Detail(found.loc, found.message, hint, True, found.code)
    return found


def _unknown(key: object, loc: Loc, known: tuple[str, ...], noun: str) -> Detail:
    hint = suggestion(str(key), known) or f"known: {', '.join(known)}"
    return Detail((*loc, str(key)), f'unknown key "{key}" for {noun}', hint, True, "unknown-setting")


def _weight(config: Mapping[str, Any], key: str, loc: Loc, details: list[Detail]) -> Fraction:
    if config.get(key) is None:
        return Fraction(1)
    try:
        return read_weight(config[key])
    except BadSettings as error:
        details.extend(Detail((*loc, key), one.message, one.hint) for one in error.details)
        return Fraction(1)
