"""What answers cost: prices by model, from a file of the user's.

    currency: USD
    models:
      some-model: {input: 0.15, cached_input: 0.075, output: 0.6}

A price is for a million tokens and has at most six decimals, so that a token costs a whole number of UNITs, 10^-12 of the currency:
costs are whole numbers, and are never rounded. A model without a price has no cost; that is None, and never 0.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any, Final, TypeAlias

from pydantic import BeforeValidator, Field

from evaluators.model.issues import Blame, Issue, Problems, problem
from evaluators.model.settings import BadSettings, Name, Settings, bad, build, spell
from evaluators.scoring.values.files import NoSmallFile, read_small
from evaluators.scoring.values.yaml_text import NotYAML, load_untrusted

UNIT: Final = 10**12
"""How many units 1 of a currency is."""
_PER_TOKEN: Final = UNIT // 10**6
_MOST: Final = 10_000


def in_units(amount: float) -> Fraction:
    """An amount of money, exactly as it is written, in units: `UNIT` of them are 1 of the currency."""
    return Fraction(str(amount)) * UNIT


def _units_per_token(value: object) -> int:
    """A price for a million tokens, as a suite's user writes it, in units for one token. Raises BadSettings for what is no price."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= _MOST:
        raise bad(f"a price is a number from 0 to {_MOST:,}, for a million tokens; found {spell(value)}")
    exact = Fraction(str(value)) * _PER_TOKEN
    if exact.denominator != 1:
        raise bad(f"a price has at most six decimals; found {spell(value)}")
    return exact.numerator


Price: TypeAlias = Annotated[int, BeforeValidator(_units_per_token)]


class ModelPrice(Settings):
    """The prices of a model, in units for one token."""

    input: Price
    output: Price
    cached_input: Price | None = None
    """Of tokens that the provider had kept from an earlier request; those of `input` without it."""


class PriceList(Settings):
    """The prices of some models, in one currency."""

    currency: Name
    models: dict[str, ModelPrice] = Field(min_length=1)

    def cost_of(self, model: str, tokens: tuple[int, int], cached: int = 0) -> int | None:
        """The cost of a request and its reply, in units; None for a model without a price. `cached` are among the tokens of the request."""
        price = self.models.get(model)
        if price is None:
            return None
        cached = min(cached, tokens[0])
        cached_price = price.input if price.cached_input is None else price.cached_input
        return (tokens[0] - cached) * price.input + cached * cached_price + tokens[1] * price.output


def read_prices(file: Path) -> PriceList:
    """The prices in a file. Raises Problems (config) with everything that is wrong with it.

    Of a file that is not called like one, nothing is shown: its lines may be anybody's secrets.
    """
    if file.resolve().suffix.lower() not in (".yaml", ".yml", ".json"):
        hint = "prices are a file whose name ends with .yaml, .yml or .json"
        raise problem("no-prices", "no file of prices, and nothing of it is shown", where=str(file), hint=hint)
    try:
        return _prices_in(read_small(file).decode("utf-8-sig"), str(file))
    except (OSError, ValueError, NoSmallFile) as error:
        why = (getattr(error, "strerror", None) or str(error)).lower()
        raise problem("no-prices", f"the prices cannot be read: {why}", where=str(file)) from None


@lru_cache(maxsize=8)
def _prices_in(text: str, name: str) -> PriceList:
    """The price list in a text of YAML. Raises Problems (config) with everything that is wrong with it; `name` is the file."""
    hint = "write currency: USD, and below models: a line MODEL: {input: 0.15, output: 0.6}, for a million tokens"
    try:
        data: Any = load_untrusted(text)
        if not isinstance(data, dict):
            raise bad(f"prices are a map with currency and models; found {spell(data)}")
        return build(PriceList, data, noun="prices")
    except NotYAML as error:
        raise problem("bad-prices", f"the prices are not YAML: {error}", where=name) from None
    except BadSettings as error:
        raise Problems(
            Issue(
                detail.code,
                Blame.CONFIG,
                ".".join(map(str, detail.loc)) + ": " * bool(detail.loc) + detail.message,
                name,
                detail.hint or hint,
            )
            for detail in error.details
        ) from None
