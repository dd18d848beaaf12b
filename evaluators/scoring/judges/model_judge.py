"""What every judge that asks a model has in common: its settings, and how it gets from questions to answers.

Strategy. What is known from before is taken from the cache. What somebody else of this run is asking is waited for. The rest
is asked: the questions of one row that share a prompt and a model go together in a request, several requests at once. A
request is repeated after a wait when the endpoint is busy or down. A reply of which a part does not count is asked for again,
each of those questions alone. A plug says one thing: how a request becomes a reply.
"""

from __future__ import annotations

import json
import os
import re
import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing, contextmanager, suppress
from functools import lru_cache
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import Any, ClassVar, Final, Literal, Self

from pydantic import Field, PrivateAttr, ValidationInfo, model_validator

from evaluators.model.issues import Issue, Problems, extra_hint, problem
from evaluators.model.settings import Name, Settings, bad
from evaluators.scoring.judges.answer_store import AnswerStore
from evaluators.scoring.judges.chat import Send, Structured
from evaluators.scoring.judges.judge import Estimate, Judge, JudgeAnswer, JudgeQuestion, unanswered
from evaluators.scoring.judges.messages import Prompt, estimated_tokens, messages_of, prompt_names, prompt_of
from evaluators.scoring.judges.prices import PriceList, amount_text, read_prices, units
from evaluators.scoring.judges.rounds import PendingQuestion, Round
from evaluators.scoring.judges.session import REPEAT, Session, shared_session
from evaluators.scoring.values.json_text import compact

DEFAULT_MODEL: Final = "DEFAULT_LLM_MODEL"
"""The environment variable that names the model where a suite names none."""
CACHE: Final = ".evaluators/judge-answers.sqlite"
_OWN: Final = ("model", "messages", "response_format", "stream", "n", "temperature", "max_tokens")
_OVERRIDES: Final = ("model", "temperature", "max_tokens")


class Budget(Settings):
    """How much a run may ask of this judge."""

    max_questions: int | None = Field(None, ge=0, strict=True)
    """So many questions are sent at most; what is known from before does not count."""
    max_tokens: int | None = Field(None, ge=0, strict=True)
    """So many tokens are spent at most, those of requests and replies together."""
    max_cost: float | None = Field(None, ge=0, allow_inf_nan=False, strict=True)
    """So much money is spent at most, in the currency of `prices`."""

    @property
    def most(self) -> tuple[int | None, int | None, int | None]:
        """The most questions, tokens and units of money."""
        return self.max_questions, self.max_tokens, None if self.max_cost is None else int(units(self.max_cost))


class ModelJudge(Judge):
    """A judge that asks a model."""

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
    _alone: Session | None = PrivateAttr(default=None)
    _alone_store: AnswerStore | None = PrivateAttr(default=None)
    _prices: PriceList | None = PrivateAttr(default=None)
    _shapes: dict[str, Structured] = PrivateAttr(default_factory=dict)

    @model_validator(mode="before")
    @classmethod
    def _model_from_environment(cls, data: Any, info: ValidationInfo) -> Any:
        if not isinstance(data, Mapping) or data.get("model") is not None:
            return data
        file = data.get("env_file")
        with suppress(Problems):  # `ready` says it
            file = file if isinstance(file, str) and file else None
            return {**data, "model": _variable(DEFAULT_MODEL, _folder_of(info), file)}
        return data

    @model_validator(mode="after")
    def _check(self, info: ValidationInfo) -> Self:
        self._folder = _folder_of(info)
        if self.budget.max_cost is not None and self.prices is None:
            raise bad("max_cost needs prices", "budget", "max_cost", hint="name a file with prices: prices: prices.yaml")
        for name in self.parameters:
            if name in _OWN:
                hint = f"write {name} beside parameters" if name in type(self).model_fields else "leave it out"
                raise bad(f'"{name}" is set by the judge itself', "parameters", name, hint=hint, key=True)
        return self

    # what a plug says

    def connected(self) -> AbstractContextManager[Send]:
        """The way to the endpoint, open inside: a function from a request to its reply, for several threads.

        The function raises ChatFailure. Every plug implements this.
        """
        raise NotImplementedError  # the contract: each plug reaches its endpoint in its own way

    @property
    def address(self) -> str:
        """Where questions go, as people read it. Every plug implements it."""
        raise NotImplementedError  # the contract: each plug knows its own address

    # what others ask of a judge

    def notice(self) -> tuple[str, ...]:
        budget = [f"{name} {value:,}" for name, value in self.budget if value is not None]
        temperature = "not sent" if self.temperature is None else f"{self.temperature:g}"
        sending = (
            f"Temperature {temperature}, {self.timeout_seconds:g} s for a reply, {self.retries} retries, "
            f"{self.concurrency} requests at once, up to {self.fields_per_request} fields of a row in a request, "
            f"budget: {', '.join(budget) or 'none'}."
        )
        keeping = f"Answers are kept in {self._cache_file()}." if self.cache else "Answers are not kept for the next run."
        return f"Questions go to {self.address}, model {self.model}.", sending, keeping, *self._priced()

    def _priced(self) -> Iterator[str]:
        if (prices := self._price_list()) is not None:
            known = self.model in prices.models
            kept = self.budget.max_cost is not None
            so = "max_cost cannot be kept, so it is asked nothing" if kept else "what it costs is not known"
            lacks = f" {self.prices} has no price of {self.model}: {so}."
            yield f"Costs are in {prices.currency}.{'' if known else lacks}"

    def addresses(self) -> tuple[str, ...]:
        return self.address, *super().addresses()

    def ready(self) -> None:
        """Raises Problems (config) where no model is named, a key is not set, the cache cannot be used, or a package is missing."""
        key = _variable(self.api_key_env, self._folder, self.env_file)
        if self.model is None:
            hint = f"write model: NAME, or set {DEFAULT_MODEL}"
            raise problem(
                "no-model", f"the judge names no model, and {DEFAULT_MODEL} is not set", where="judge", hint=hint
            )
        if self.api_key_env is not None and key is None:
            raise problem(
                "no-key", f"the key of the judge is not there: {self.api_key_env} is not set", where="judge",
                hint=f"set {self.api_key_env} in the environment, or name a file with it: env_file: .env",
            )  # fmt: skip
        if self.cache:
            try:
                AnswerStore(_made(self._cache_file())).close()
            except OSError as error:
                hint = "name another file, or write cache: false"
                raise problem(
                    "judge-cache", f"the answers of the judge cannot be kept: {error}", where="judge", hint=hint
                ) from None
        self._price_list()
        self.check_library()

    def price_file(self) -> Path | None:
        return None if self.prices is None else self._folder / self.prices

    def _price_list(self) -> PriceList | None:
        """What models cost. Raises Problems (config) where the file cannot be read."""
        if self._prices is None and (file := self.price_file()) is not None:
            self._prices = read_prices(file)
        return self._prices

    def cost_of(self, model: str, tokens: tuple[int, int], cached: int = 0) -> int | None:
        """What so many tokens cost, in units; None where the model has no price."""
        prices = self._price_list()
        return None if prices is None else prices.cost_of(model, tokens, cached)

    def check_library(self) -> None:
        """Raises Problems (config) where the package that sends requests is not installed."""
        if self.library is not None and find_spec(self.library) is None:
            message = f'the judge "{self.word}" needs a package that is not installed'
            raise problem("missing-extra", message, where="judge", hint=extra_hint(self.extra))

    def estimate(self, questions: Sequence[JudgeQuestion]) -> Estimate:
        asked = [one for one in self._pending(questions) if one.answer is None]
        if self.cache and self._cache_file().is_file():
            with self._store() as store:
                known = store.answers_to([one.key for one in asked])
            asked = [one for one in asked if one.key not in known]
        groups = self.groups(asked)
        sizes = [
            estimated_tokens(messages_of(group[0].prompt, [one.question for one in group]), len(group))
            for group in groups
        ]
        models = [self.params_of(group[0].question)["model"] for group in groups]
        costs = [self.cost_of(model, size) for model, size in zip(models, sizes, strict=True)]
        sent, back = sum(sent for sent, _ in sizes), sum(back for _, back in sizes)
        return Estimate(len(asked), len(sizes), sent, back, sum(cost or 0 for cost in costs), costs.count(None))

    def meaning(self) -> Mapping[str, Any]:
        """What answers depend on: the model and how it is asked, where it is, and the wording of every prompt."""
        shared = {"temperature", "max_tokens", "parameters", "model"}
        return {**self.model_dump(mode="json", include=shared), "address": self.address, "prompts": {
            name: prompt.checksum for name in prompt_names() if (prompt := prompt_of(name)) is not None
        }}  # fmt: skip

    def api_key(self) -> str | None:
        """The key; None where none is named, or it is not set."""
        return None if self.api_key_env is None else _variable(self.api_key_env, self._folder, self.env_file)

    def over_budget(self, model: str, questions: int, tokens: int, cost: int | None) -> Issue:
        """Why a request to a model with so many questions and about so many tokens, at about this cost, is not sent any more."""
        most = self.budget
        if most.max_cost is not None and cost is None:
            said = f"max_cost cannot be kept: {self.prices} has no price of {model}"
            return unanswered("judge-budget", said, "add the model to the prices")
        if most.max_questions is not None and questions > most.max_questions:
            has = "1 question" if questions == 1 else f"{questions:,} questions"
            message = f"max_questions is {most.max_questions:,}, and this request has {has}"
            hint = f"raise it, or write fields_per_request: {most.max_questions}" if most.max_questions else "raise it"
        elif most.max_tokens is not None and tokens > most.max_tokens:
            message = f"max_tokens is {most.max_tokens:,}, and this request takes about {tokens:,}"
            hint = (
                "raise it" if questions == 1 else "raise it, or let fewer fields share a request: fields_per_request: 1"
            )
        elif most.max_cost is not None and (cost or 0) > units(most.max_cost):
            message = f"max_cost is {most.max_cost:g}, and this request takes about {amount_text(cost or 0)}"
            hint = "raise it"
        else:
            hint = "raise it: what was answered so far is kept, and the next run goes on from there"
            return unanswered("judge-budget", "the budget of the judge is spent", hint if self.cache else None)
        return unanswered("judge-budget", f"the budget of the judge is below one request: {message}", hint)

    # asking

    def answer(self, questions: Sequence[JudgeQuestion]) -> Sequence[JudgeAnswer]:
        pending = self._pending(questions)
        try:
            if self.model is None:
                self.ready()
            with self._store() as store:
                Round(self, store, self._session()).run([one for one in pending if one.answer is None])
        except (OSError, sqlite3.Error) as error:
            lost = unanswered("judge-cache", f"the answers of the judge cannot be kept: {error}")
            return [one.answer or JudgeAnswer(error=lost) for one in pending]
        except Problems as error:  # who asks outside of a run need not have called `ready`
            lost = unanswered(error.issues[0].code, error.issues[0].message, error.issues[0].hint)
            return [one.answer or JudgeAnswer(error=lost) for one in pending]
        return [one.answer or JudgeAnswer(error=unanswered("judge-failed", "there is no answer")) for one in pending]

    def _pending(self, questions: Sequence[JudgeQuestion]) -> list[PendingQuestion]:
        found = []
        for one in questions:
            prompt = prompt_of(one.prompt)
            if prompt is None:
                message = f'there is no prompt "{one.prompt}"'
                error = unanswered("no-prompt", message, f"known: {', '.join(prompt_names())}")
                found.append(PendingQuestion(one, "", _NO_PROMPT, JudgeAnswer(error=error)))
            else:
                found.append(PendingQuestion(one, self._key(one, prompt), prompt))
        return found

    def _key(self, question: JudgeQuestion, prompt: Prompt) -> str:
        """A checksum of all that an answer depends on."""
        asked_of = {
            "judge": self.word, "address": self.address, **self.params_of(question),
            "parameters": dict(self.parameters), "alone": self.fields_per_request == 1,
            "prompt": prompt.label, "text": prompt.checksum, "question": question.body(),
        }  # fmt: skip
        try:
            return sha256(compact(asked_of)).hexdigest()
        except (TypeError, ValueError, RecursionError):  # what a transform made of a value need not be JSON
            return sha256(json.dumps(asked_of, sort_keys=True, default=repr).encode()).hexdigest()

    @property
    def shapes(self) -> dict[str, Structured]:
        """The form of structured output that each model was found to take."""
        return self._shapes

    def pause(self, seconds: float) -> None:
        """Waits between two tries."""
        self._wait(seconds)

    def params_of(self, question: JudgeQuestion) -> dict[str, Any]:
        """The model and its settings for a question: the judge's own, and what the field says instead."""
        own = {"model": self.model, "temperature": self.temperature, "max_tokens": self.max_tokens}
        return own | {name: value for name, value in question.params.items() if name in _OVERRIDES}

    def groups(self, pending: Iterable[PendingQuestion]) -> list[list[PendingQuestion]]:
        """The questions that share a request: of one row, with one prompt, one model and the same choices.

        A question that is put several times has another request each time: a model that sees it twice answers alike.
        """
        found: dict[Any, list[PendingQuestion]] = {}
        for one in pending:
            repeat = one.question.params.get(REPEAT, 1)
            choices = tuple(one.question.payload.get("choices", ()))
            shared = one.question.row, one.prompt.name, repeat, choices, *self.params_of(one.question).values()
            found.setdefault(shared, []).append(one)
        size = self.fields_per_request
        return [group[at : at + size] for group in found.values() for at in range(0, len(group), size)]

    def _cache_file(self) -> Path:
        return self._folder / str(self.cache)

    def _session(self) -> Session:
        if (shared := shared_session()) is not None:
            return shared
        if self._alone is None:
            self._alone = Session()
        return self._alone

    @contextmanager
    def _store(self) -> Iterator[AnswerStore]:
        shared = shared_session()
        if self.cache:
            with closing(AnswerStore(_made(self._cache_file()))) as store:
                yield store
        elif shared is not None:
            with closing(AnswerStore(shared.file)) as store:
                yield store
        else:
            if self._alone_store is None:
                self._alone_store = AnswerStore(":memory:")
            yield self._alone_store


def _folder_of(info: ValidationInfo) -> Path:
    return Path((info.context or {}).get("folder") or Path())


def _variable(name: str | None, folder: Path, file: str | None) -> str | None:
    """What a variable holds: in the env_file, else in the environment. Raises Problems (config) where the file cannot be read."""
    variables = {} if file is None else read_env_file(folder / file)
    return None if name is None else variables.get(name) or os.environ.get(name) or None


def _made(file: Path) -> Path:
    """The file, in a folder that is there. A folder of our own is left out of version control."""
    if not file.parent.is_dir():
        file.parent.mkdir(parents=True, exist_ok=True)
        if file.parent.name == ".evaluators":
            (file.parent / ".gitignore").write_text("*\n", encoding="utf-8")
    return file


_NO_PROMPT: Final = Prompt("", 0, "", "", {}, "")


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
    return _variables(text, str(file))


@lru_cache(maxsize=8)
def _variables(text: str, name: str) -> Mapping[str, str]:
    found: dict[str, str] = {}
    for number, line in enumerate(text.splitlines(), 1):
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        match = _LINE.fullmatch(line)
        if match is None:
            message = "a line must be NAME=value, a comment, or empty"
            raise problem("bad-env-file", message, where=f"{name}:{number}")
        found[match[1]] = _value(match[2].strip())
    return found


def _value(text: str) -> str:
    """What stands after the sign: without its quotes, and without a comment behind it."""
    if len(text) >= 2 and text[0] in "\"'" and (end := text.find(text[0], 1)) > 0:
        return text[1:end]
    return re.split(r"\s+#", text, maxsplit=1)[0]
