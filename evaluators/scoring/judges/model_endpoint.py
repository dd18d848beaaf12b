"""A model behind an endpoint: how it is named, reached and paid, what a plug says of it, and the file with its key."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, suppress
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, ClassVar, Final, Literal, Self

from pydantic import Field, PrivateAttr, ValidationInfo, model_validator

from evaluators.model.issues import Issue, Problems, extra_hint, problem
from evaluators.model.settings import Name, Settings, bad
from evaluators.scoring.judges.chat import Send, Structured
from evaluators.scoring.judges.judge import Judge, JudgeQuestion, amount_text, unanswered_issue
from evaluators.scoring.judges.prices import PriceList, in_units, read_prices

DEFAULT_MODEL: Final = "DEFAULT_LLM_MODEL"
"""The environment variable that names the model where a suite names none."""
CACHE: Final = ".evaluators/judge-answers.sqlite"
_OWN: Final = ("model", "messages", "response_format", "stream", "n", "temperature", "max_tokens")
_OVERRIDES: Final = ("model", "temperature", "max_tokens")


class Budget(Settings):
    """The most that a run may ask of this judge."""

    max_questions: int | None = Field(None, ge=0, strict=True)
    """So many questions are sent at most; what is known from before does not count."""
    max_tokens: int | None = Field(None, ge=0, strict=True)
    """So many tokens are spent at most, those of requests and replies together."""
    max_cost: float | None = Field(None, ge=0, allow_inf_nan=False, strict=True)
    """So much money is spent at most, in the currency of `prices`."""

    @property
    def most(self) -> tuple[int | None, int | None, int | None]:
        """The most questions, tokens and units of money; None for what has no limit."""
        return self.max_questions, self.max_tokens, None if self.max_cost is None else int(in_units(self.max_cost))


class ModelEndpoint(Judge):
    """A judge's settings of the model that it asks: where it is, how it is asked, what it costs and how much of it a run may use."""

    model: Name | None = None
    """The model that is asked. Without it, the environment variable DEFAULT_LLM_MODEL names it."""
    api_key_env: Name | None = None
    """The environment variable that holds the key. The key itself is never in a suite."""
    env_file: Name | None = None
    """A file of `NAME=value` lines, relative to the suite, in which that variable is looked up first. None is read unasked."""
    temperature: float | None = Field(0.0, ge=0.0, le=2.0)
    """How freely the model answers. Empty sends none, for models that take none."""
    max_tokens: int | None = Field(None, ge=1, strict=True)
    """How long a reply may be; the endpoint's own limit without it."""
    parameters: Mapping[str, Any] = {}
    """What else is sent with every request, as the endpoint knows it: `{seed: 7}`."""
    timeout_seconds: float = Field(60.0, gt=0)
    """How long a reply is waited for."""
    retries: int = Field(4, ge=0, strict=True)
    """How often a request is repeated where the endpoint is busy, down or too slow, or its reply does not count."""
    longest_wait_seconds: float = Field(60.0, ge=0)
    """An endpoint that asks for a longer wait between two tries is given up."""
    concurrency: int = Field(8, ge=1, strict=True)
    """How many requests are under way at the same time, in each worker."""
    fields_per_request: int = Field(8, ge=1, strict=True)
    """How many fields of a row may share a request. 1 asks about each alone."""
    structured: Literal["auto", "json_schema", "json_object", "none"] = "auto"
    """How the endpoint is asked for JSON. `auto` begins with json_schema and asks for less where that is refused."""
    budget: Budget = Budget()
    """How much a run may ask of this judge: `{max_questions: 500, max_tokens: 200000}`. What was answered is kept for the next run."""
    prices: Name | None = None
    """A file with what models cost for a million tokens, relative to the suite: the run then has the measure `judge_cost`."""
    cache: Name | Literal[False] = CACHE
    """The file that keeps answers from run to run, relative to the suite. `false` keeps none."""

    library: ClassVar[str | None] = None
    """The package that a plug sends its requests with, where it needs one. It is imported when something is sent."""
    extra: ClassVar[str] = ""
    """What installs it."""

    _folder: Path = PrivateAttr(default_factory=Path)
    _wait: Callable[[float], None] = PrivateAttr(default=time.sleep)
    _prices: PriceList | None = PrivateAttr(default=None)
    _shapes: dict[str, Structured] = PrivateAttr(default_factory=dict)

    @model_validator(mode="before")
    @classmethod
    def _model_from_environment(cls, data: Any, info: ValidationInfo) -> Any:
        """The settings; where the suite names no model, with the one that DEFAULT_LLM_MODEL names."""
        if not isinstance(data, Mapping) or data.get("model") is not None:
            return data
        file = data.get("env_file")
        with suppress(Problems):  # `ready` tells of a file that cannot be read
            file = file if isinstance(file, str) and file else None
            return {**data, "model": variable(DEFAULT_MODEL, _folder_of(info), file)}
        return data

    @model_validator(mode="after")
    def _set_folder(self, info: ValidationInfo) -> Self:
        """Keeps the folder where relative paths start, and gives the settings back. Raises BadSettings for a cost limit without prices, and
        for parameters that the judge sets itself."""
        self._folder = _folder_of(info)
        if self.budget.max_cost is not None and self.prices is None:
            raise bad("max_cost needs prices", "budget", "max_cost", hint="name a file with prices: prices: prices.yaml")
        for name in self.parameters:
            if name in _OWN:
                hint = f"write {name} beside parameters" if name in type(self).model_fields else "leave it out"
                raise bad(f'"{name}" is set by the judge itself', "parameters", name, hint=hint, key=True)
        return self

    # what a plug says

    def connection(self) -> AbstractContextManager[Send]:
        """A context manager that opens a connection to the endpoint. It gives a function from a request to its reply, which several
        threads may call inside the `with` block.

        The function raises ChatFailure. Every plug implements this.
        """
        raise NotImplementedError  # the contract: each plug reaches its endpoint in its own way

    @property
    def address(self) -> str:
        """The address to which questions go, as people read it. Every plug implements it."""
        raise NotImplementedError  # the contract: each plug knows its own address

    # the key, the costs and the budget

    def price_file(self) -> Path | None:
        """The file with the prices of its answers; None where the suite names none."""
        return None if self.prices is None else self._folder / self.prices

    def _price_list(self) -> PriceList | None:
        """The prices of models; None without a file. Raises Problems (config) where the file cannot be read."""
        if self._prices is None and (file := self.price_file()) is not None:
            self._prices = read_prices(file)
        return self._prices

    def cost_of(self, model: str, tokens: tuple[int, int], cached: int = 0) -> int | None:
        """The cost of so many tokens, in units; None where the model has no price."""
        prices = self._price_list()
        return None if prices is None else prices.cost_of(model, tokens, cached)

    def check_library(self) -> None:
        """Raises Problems (config) where the package that sends requests is not installed."""
        if self.library is not None and find_spec(self.library) is None:
            message = f'the judge "{self.word}" needs a package that is not installed'
            raise problem("missing-extra", message, where="judge", hint=extra_hint(self.extra))

    def api_key(self) -> str | None:
        """The key of the endpoint, from its variable; None where no variable is named, or it is not set."""
        return None if self.api_key_env is None else variable(self.api_key_env, self._folder, self.env_file)

    def budget_issue(self, model: str, questions: int, tokens: int, cost: int | None) -> Issue:
        """The issue of a request that the budget does not allow: the limit that this request alone exceeds, or else that the budget is
        spent. The request has so many `questions`, about so many `tokens`, and about this `cost` in units, None where the model has no
        price."""
        most = self.budget
        if most.max_cost is not None and cost is None:
            message = f"max_cost cannot be kept: {self.prices} has no price of {model}"
            return unanswered_issue("judge-budget", message, "add the model to the prices")
        if most.max_questions is not None and questions > most.max_questions:
            has = "1 question" if questions == 1 else f"{questions:,} questions"
            message = f"max_questions is {most.max_questions:,}, and this request has {has}"
            hint = f"raise it, or write fields_per_request: {most.max_questions}" if most.max_questions else "raise it"
        elif most.max_tokens is not None and tokens > most.max_tokens:
            message = f"max_tokens is {most.max_tokens:,}, and this request takes about {tokens:,}"
            hint = (
                "raise it" if questions == 1 else "raise it, or let fewer fields share a request: fields_per_request: 1"
            )
        elif most.max_cost is not None and (cost or 0) > in_units(most.max_cost):
            message = f"max_cost is {most.max_cost:g}, and this request takes about {amount_text(cost or 0)}"
            hint = "raise it"
        else:
            hint = "raise it: what was answered so far is kept, and the next run goes on from there"
            return unanswered_issue("judge-budget", "the budget of the judge is spent", hint if self.cache else None)
        return unanswered_issue("judge-budget", f"the budget of the judge is below one request: {message}", hint)

    @property
    def shapes(self) -> dict[str, Structured]:
        """The form of structured output that each model was found to take, by model; whoever finds one adds it."""
        return self._shapes

    def pause(self, seconds: float) -> None:
        """Waits so many seconds between two tries."""
        self._wait(seconds)

    def params_of(self, question: JudgeQuestion) -> dict[str, Any]:
        """The model and its settings for a question: the judge's own, and what the field says instead."""
        own = {"model": self.model, "temperature": self.temperature, "max_tokens": self.max_tokens}
        return own | {name: value for name, value in question.params.items() if name in _OVERRIDES}


def _folder_of(info: ValidationInfo) -> Path:
    """The folder where the suite's relative paths start, from the context of the settings."""
    return Path((info.context or {}).get("folder") or Path())


def variable(name: str | None, folder: Path, file: str | None) -> str | None:
    """The value of the variable `name`, from a `file` of variables in `folder`, or else from the environment. None where it is not set,
    and where no name is given. Raises Problems (config) where the file cannot be read."""
    variables = {} if file is None else read_env_file(folder / file)
    return None if name is None else variables.get(name) or os.environ.get(name) or None


_LINE: Final = re.compile(r"(?:export\s+)?([A-Za-z_]\w*)\s*=\s*(.*)")


def read_env_file(file: Path) -> Mapping[str, str]:
    """The variables that a file sets.

    Raises Problems (config) where it cannot be read, or has a line that sets nothing. No message shows a value.
    """
    try:
        text = file.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        why = (getattr(error, "strerror", None) or "it is not UTF-8").lower()
        raise problem("no-env-file", f"the file of variables cannot be read: {why}", where=str(file)) from None
    return _variables_in(text, str(file))


@lru_cache(maxsize=8)
def _variables_in(text: str, name: str) -> Mapping[str, str]:
    """The variables of a text of `NAME=value` lines. Raises Problems for a line that is none; `name` is the file."""
    variables: dict[str, str] = {}
    for number, line in enumerate(text.splitlines(), 1):
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        match = _LINE.fullmatch(line)
        if match is None:
            message = "a line must be NAME=value, a comment, or empty"
            raise problem("bad-env-file", message, where=f"{name}:{number}")
        variables[match[1]] = _value_behind(match[2].strip())
    return variables


def _value_behind(text: str) -> str:
    """The value in the text behind the `=` of a line: without its quotes, and without a comment behind it."""
    if len(text) >= 2 and text[0] in "\"'" and (end := text.find(text[0], 1)) > 0:
        return text[1:end]
    return re.split(r"\s+#", text, maxsplit=1)[0]
