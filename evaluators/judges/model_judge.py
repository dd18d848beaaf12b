"""What every judge that asks a model has in common: its settings, and how it gets from questions to answers.

Strategy. What is known from before is taken from the cache. What somebody else of this run is asking is waited for. The rest
is asked: the questions of one row that share a prompt and a model go together in a request, several requests at once. A
request is repeated after a wait when the endpoint is busy or down. A reply of which a part does not count is asked for again,
each of those questions alone. A plug says one thing: how a request becomes a reply.
"""

from __future__ import annotations

import json
import os
import random
import sqlite3
import time
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import AbstractContextManager, closing, contextmanager, suppress
from dataclasses import dataclass, replace
from hashlib import sha256
from itertools import count
from pathlib import Path
from typing import Any, Final, Literal, Self, TypeAlias

from pydantic import AliasChoices, Field, PrivateAttr, ValidationInfo, model_validator

from evaluators.issues import Issue, Problems, problem
from evaluators.judges.answer_store import AnswerStore
from evaluators.judges.asking_session import Session, StoppedAsking, shared_session
from evaluators.judges.env_file import read_env_file
from evaluators.judges.judge import Estimate, Judge, JudgeAnswer, JudgeQuestion, unanswered
from evaluators.judges.messages import Messages, estimated_tokens, messages_of, reply_schema
from evaluators.judges.prompt_files import Prompt, prompt_names, prompt_of
from evaluators.judges.replies import BadReply, JudgeVerdict, verdicts_in
from evaluators.settings import bad
from evaluators.settings_model import Name, Settings
from evaluators.values.json_text import compact

DEFAULT_MODEL: Final = "DEFAULT_LLM_MODEL"
"""The environment variable that names the model where a suite names none."""
CACHE: Final = ".evaluators/judge-answers.sqlite"
_OWN: Final = ("model", "messages", "response_format", "stream", "n", "temperature", "max_tokens")
_OVERRIDES: Final = ("model", "temperature", "max_tokens")
_MOST_FAILED_IN_A_ROW: Final = 5
"""After so many requests without a reply, an endpoint is given up for the rest of the run."""
_MOST_BAD_REPLIES: Final = 2
"""So often a question is asked again because its reply does not count."""
_LOOK_AGAIN_SECONDS: Final = 0.05
_HIDDEN_SECRET: Final = "[hidden]"
_owners = count()

Structured = Literal["json_schema", "json_object", "none"]


class Budget(Settings):
    """How much a run may ask of this judge."""

    max_questions: int | None = Field(None, ge=0, strict=True)
    """So many questions are sent at most; what is known from before does not count."""
    max_tokens: int | None = Field(None, ge=0, strict=True)
    """So many tokens are spent at most, those of requests and replies together."""


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """One request, as a plug sends it."""

    model: str
    messages: Messages
    temperature: float | None
    max_tokens: int | None
    schema: Mapping[str, Any]
    structured: Structured
    """How the endpoint is asked to keep to the schema."""


@dataclass(frozen=True, slots=True)
class ChatReply:
    """What came back."""

    text: str | None
    tokens: tuple[int, int] = (0, 0)
    cut_off: bool = False


class ChatFailure(Exception):
    """Why there is no reply, as a plug found it."""

    def __init__(
        self,
        message: str,
        code: Literal["judge-refused", "judge-failed", "judge-timeout", "judge-unreachable"],
        *,
        again: bool = False,
        after: float | None = None,
        shape: bool = False,
    ) -> None:
        super().__init__(message)
        self.code: str = code
        self.again = again
        """Trying again may help."""
        self.after = after
        """So many seconds are to be waited before, as the endpoint says."""
        self.shape = shape
        """The request itself was refused: the endpoint may not know structured output."""


Send: TypeAlias = Callable[[ChatRequest], ChatReply]


@dataclass(slots=True)
class _Pending:
    """One question on its way."""

    question: JudgeQuestion
    key: str
    prompt: Prompt
    answer: JudgeAnswer | None = None


class ModelJudge(Judge):
    """A judge that asks a model."""

    model: Name | None = None
    """The model that is asked. Without it, the environment variable DEFAULT_LLM_MODEL names it."""
    api_key_env: Name | None = None
    """The environment variable that holds the key. The key itself never stands in a suite."""
    env_file: Name | None = None
    """A file of `NAME=value` lines, relative to the suite, in which that variable is looked up first. None is read unasked."""
    temperature: float | None = Field(0.0, ge=0.0, le=2.0)
    """How freely the model answers. Empty sends none, for models that take none."""
    max_tokens: int | None = Field(None, ge=1, strict=True)
    """How long a reply may be; the endpoint's own limit without it."""
    parameters: Mapping[str, Any] = {}
    """What else is sent with every request, as the endpoint knows it: `{seed: 7}`."""
    timeout_seconds: float = Field(60.0, gt=0, validation_alias=AliasChoices("timeout_seconds", "timeout"))
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
    cache: Name | Literal[False] = CACHE
    """The file that keeps answers from run to run, relative to the suite. `false` keeps none."""

    _folder: Path = PrivateAttr(default_factory=Path)
    _wait: Callable[[float], None] = PrivateAttr(default=time.sleep)
    _alone: Session | None = PrivateAttr(default=None)
    _alone_store: AnswerStore | None = PrivateAttr(default=None)
    _shapes: dict[str, Structured] = PrivateAttr(default_factory=dict)

    @model_validator(mode="before")
    @classmethod
    def _model_from_environment(cls, data: Any, info: ValidationInfo) -> Any:
        if not isinstance(data, Mapping) or data.get("model") is not None:
            return data
        file = data.get("env_file")
        with suppress(Problems):  # `ready` says it
            variables = _variables(_folder_of(info), file) if isinstance(file, str) and file else {}
            return {**data, "model": variables.get(DEFAULT_MODEL) or os.environ.get(DEFAULT_MODEL) or None}
        return data

    @model_validator(mode="after")
    def _check(self, info: ValidationInfo) -> Self:
        self._folder = _folder_of(info)
        for name in self.parameters:
            if name in _OWN:
                hint = f"write {name} beside parameters" if name in type(self).model_fields else "leave it out"
                raise bad(f'"{name}" is set by the judge itself', "parameters", name, hint=hint, key=True)
        return self

    # what a plug says

    def connected(self) -> AbstractContextManager[Send]:
        """The way to the endpoint, open inside: a function from a request to its reply, for several threads.

        The function raises ChatFailure.
        """
        raise NotImplementedError  # the contract: each plug reaches its endpoint in its own way

    @property
    def address(self) -> str:
        """Where questions go, as people read it."""
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
        return f"Questions go to {self.address}, model {self.model}.", sending, keeping

    def ready(self) -> None:
        """Raises Problems (config) where no model is named, a key is not set, or the cache cannot be used."""
        variables = _variables(self._folder, self.env_file)
        if self.model is None:
            hint = f"write model: NAME, or set {DEFAULT_MODEL}"
            raise problem(
                "no-model", f"the judge names no model, and {DEFAULT_MODEL} is not set", where="judge", hint=hint
            )
        if self.api_key_env is not None and not self._variable(self.api_key_env, variables):
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

    def estimate(self, questions: Sequence[JudgeQuestion]) -> Estimate:
        asked = [one for one in self._pending(questions) if one.answer is None]
        if self.cache and self._cache_file().is_file():
            with self._store() as store:
                known = store.answers_to([one.key for one in asked])
            asked = [one for one in asked if one.key not in known]
        sizes = [
            estimated_tokens(messages_of(group[0].prompt, [one.question for one in group]), len(group))
            for group in self._groups(asked)
        ]
        return Estimate(len(asked), len(sizes), sum(sent for sent, _ in sizes), sum(back for _, back in sizes))

    def meaning(self) -> Mapping[str, Any]:
        shared = {"temperature", "max_tokens", "parameters", "model"}
        return {**self.model_dump(mode="json", include=shared), "address": self.address, "prompts": {
            name: prompt.checksum for name in prompt_names() if (prompt := prompt_of(name)) is not None
        }}  # fmt: skip

    def api_key(self) -> str | None:
        """The key; None where none is named, or it is not set."""
        if self.api_key_env is None:
            return None
        return self._variable(self.api_key_env, _variables(self._folder, self.env_file))

    def _variable(self, name: str, variables: Mapping[str, str]) -> str | None:
        return variables.get(name) or os.environ.get(name) or None

    # asking

    def answer(self, questions: Sequence[JudgeQuestion]) -> Sequence[JudgeAnswer]:
        pending = self._pending(questions)
        try:
            if self.model is None:
                self.ready()
            with self._store() as store:
                Round(self, store, *self._session()).run([one for one in pending if one.answer is None])
        except (OSError, sqlite3.Error) as error:
            lost = unanswered("judge-cache", f"the answers of the judge cannot be kept: {error}")
            return [one.answer or JudgeAnswer(error=lost) for one in pending]
        except Problems as error:  # who asks outside of a run need not have called `ready`
            lost = unanswered(error.issues[0].code, error.issues[0].message, error.issues[0].hint)
            return [one.answer or JudgeAnswer(error=lost) for one in pending]
        return [one.answer or JudgeAnswer(error=unanswered("judge-failed", "there is no answer")) for one in pending]

    def _pending(self, questions: Sequence[JudgeQuestion]) -> list[_Pending]:
        found = []
        for one in questions:
            prompt = prompt_of(one.prompt)
            if prompt is None:
                message = f'there is no prompt "{one.prompt}"'
                error = unanswered("no-prompt", message, f"known: {', '.join(prompt_names())}")
                found.append(_Pending(one, "", _NO_PROMPT, JudgeAnswer(error=error)))
            else:
                found.append(_Pending(one, self._key(one, prompt), prompt))
        return found

    def _key(self, question: JudgeQuestion, prompt: Prompt) -> str:
        """A checksum of all that an answer depends on."""
        asked_of = {
            "judge": type(self).__module__.rpartition(".")[2], "address": self.address, **self._params(question),
            "parameters": dict(self.parameters), "alone": self.fields_per_request == 1,
            "prompt": prompt.label, "text": prompt.checksum, "question": question.body(),
        }  # fmt: skip
        try:
            return sha256(compact(asked_of)).hexdigest()
        except (TypeError, ValueError, RecursionError):  # what a transform made of a value need not be JSON
            return sha256(json.dumps(asked_of, sort_keys=True, default=repr).encode()).hexdigest()

    def _params(self, question: JudgeQuestion) -> dict[str, Any]:
        own = {"model": self.model, "temperature": self.temperature, "max_tokens": self.max_tokens}
        return own | {name: value for name, value in question.params.items() if name in _OVERRIDES}

    def _groups(self, pending: Iterable[_Pending]) -> list[list[_Pending]]:
        """The questions that share a request: of one row, with one prompt and one model."""
        found: dict[Any, list[_Pending]] = {}
        for one in pending:
            shared = one.question.row, one.prompt.name, *self._params(one.question).values()
            found.setdefault(shared, []).append(one)
        size = self.fields_per_request
        return [group[at : at + size] for group in found.values() for at in range(0, len(group), size)]

    def _cache_file(self) -> Path:
        return self._folder / str(self.cache)

    def _session(self) -> tuple[Session, Callable[[], bool]]:
        shared = shared_session()
        if shared is not None:
            return shared.session, shared.stopped
        if self._alone is None:
            self._alone = Session()
        return self._alone, lambda: False

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


class Round:
    """One list of questions, on its way through the cache and the endpoint."""

    def __init__(self, judge: ModelJudge, store: AnswerStore, session: Session, stopped: Callable[[], bool]) -> None:
        self.judge = judge
        self.store = store
        self.session = session
        self.stopped = stopped
        self.owner = f"{os.getpid()}-{next(_owners)}"
        self.key = judge.api_key()
        self.name = judge.model_dump_json(fallback=repr)
        """What tells this judge from the others of the run, each of which has a budget of its own."""
        self.send: Send = _not_connected

    def run(self, pending: Sequence[_Pending]) -> None:
        """Gives every question its answer."""
        waited, patience = 0.0, self._patience()
        while pending:
            pending = self._unknown(pending)
            mine = self.session.claim([one.key for one in pending], self.owner) if pending else set()
            if waited > patience:
                mine = {one.key for one in pending}  # whoever had them is gone
            asked = [one for one in pending if one.key in mine]
            if asked:
                # somebody may have answered between the look and the claim
                self._ask(self._unknown(asked))
                waited = 0.0
            pending = [one for one in pending if one.answer is None]
            if pending:
                self._stop_when_told()
                self.judge._wait(_LOOK_AGAIN_SECONDS)
                waited += _LOOK_AGAIN_SECONDS

    def _unknown(self, pending: Sequence[_Pending]) -> list[_Pending]:
        """Those that have no answer in the cache; the others get theirs."""
        known = self.store.answers_to([one.key for one in pending])
        for one in pending:
            one.answer = one.answer or known.get(one.key)
        self.session.count(cached=len(known))
        return [one for one in pending if one.answer is None]

    def _ask(self, pending: Sequence[_Pending]) -> None:
        groups = self.judge._groups(pending)
        try:
            with (
                self.judge.connected() as self.send,
                ThreadPoolExecutor(self.judge.concurrency, "evaluators-judge") as pool,
            ):
                self._watch([pool.submit(self._request, group) for group in groups])
        finally:
            self.session.release([one.key for one in pending])

    def _watch(self, futures: Sequence[Future[None]]) -> None:
        """Waits for the requests, and ends early when the run is stopped: those that are under way are finished."""
        open_ = set(futures)
        try:
            while open_:
                done, open_ = wait(open_, timeout=0.2, return_when=FIRST_COMPLETED)
                for one in done:
                    one.result()
                self._stop_when_told()
        except BaseException:
            for one in open_:
                one.cancel()
            raise

    def _stop_when_told(self) -> None:
        if self.stopped():
            raise StoppedAsking

    def _request(self, group: Sequence[_Pending]) -> None:
        """Asks the questions of one request. Where the reply does not count for some of them, each is asked alone."""
        if self.stopped():
            return
        problems = self._sent(group)
        if len(group) > 1:
            for one in group:
                if one.key in problems:
                    self._request([one])
            return
        for _ in range(min(self.judge.retries, _MOST_BAD_REPLIES)):
            if not problems or self.stopped():
                break
            problems = self._sent(group)
        if problems:
            error = unanswered("judge-bad-reply", f"the judge's reply does not count: {problems[group[0].key]}")
            self._failed(group, error)

    def _sent(self, group: Sequence[_Pending]) -> dict[str, str]:
        """Sends one request, and keeps what it brought. Gives why there is no verdict, by key, where another try may help."""
        judge, first = self.judge, group[0]
        whom = self._whom(first)
        if whom in self.session.given_up:
            self._failed(group, self.session.given_up[whom])
            return {}
        messages = messages_of(first.prompt, [one.question for one in group])
        guess = sum(estimated_tokens(messages, len(group)))
        if not self.session.reserve(self.name, len(group), guess, judge.budget.max_questions, judge.budget.max_tokens):
            hint = "raise it: what was answered so far is kept, and the next run goes on from there"
            self._failed(
                group, unanswered("judge-budget", "the budget of the judge is spent", hint if judge.cache else None)
            )
            return {}
        begun, tries = time.monotonic(), Tries(judge, self._counted_send, self.stopped)
        try:
            reply = tries.reply(ChatRequest(messages=messages, schema=reply_schema(first.prompt), structured="none",
                                            **judge._params(first.question)))  # fmt: skip
        except ChatFailure as failure:
            self.session.correct(self.name, -guess)
            self._failed(group, self._given_up_or(failure, whom), tries.repeated)
            return {}
        self.session.failed_in_a_row[whom] = 0
        self.session.correct(self.name, sum(reply.tokens) - guess if any(reply.tokens) else 0)
        share = JudgeAnswer(
            tokens=(reply.tokens[0] // len(group), reply.tokens[1] // len(group)),
            retries=tries.repeated, seconds=(time.monotonic() - begun) / len(group),
        )  # fmt: skip
        return self._taken(group, messages, reply, share)

    def _counted_send(self, request: ChatRequest) -> ChatReply:
        self.session.count(requests=1)
        return self.send(request)

    def _taken(
        self, group: Sequence[_Pending], messages: Messages, reply: ChatReply, share: JudgeAnswer
    ) -> dict[str, str]:
        """Gives the questions their verdicts. What a refused reply cost is counted with the answer that comes later."""
        try:
            if reply.cut_off:
                raise BadReply("it is cut off")
            verdicts = verdicts_in(reply.text, group[0].prompt, len(group))
        except BadReply as refused:
            return {one.key: self._safe(str(refused)) for one in group}
        problems: dict[str, str] = {}
        kept: list[tuple[str, JudgeAnswer]] = []
        for one, verdict in zip(group, verdicts, strict=True):
            if isinstance(verdict, BadReply):
                problems[one.key] = self._safe(str(verdict))
                continue
            answer = self._answer(one, verdict, share)
            why = one.question.refused(answer) if one.question.refused is not None else None
            if why is not None:
                problems[one.key] = self._safe(why)
                continue
            one.answer = answer
            kept.append((one.key, answer))
        self.store.keep(kept, [{**each, "content": self._safe(each["content"])} for each in messages],
                        self._safe(reply.text or ""))  # fmt: skip
        self.session.count(answered=len(kept))
        return problems

    def _answer(self, one: _Pending, verdict: JudgeVerdict, share: JudgeAnswer) -> JudgeAnswer:
        return replace(
            share, score=verdict.score, passed=verdict.passed, details=self._safe(dict(verdict.details)),
            reason=None if verdict.reason is None else self._safe(verdict.reason), who=self._who(one),
        )  # fmt: skip

    def _failed(self, group: Sequence[_Pending], error: Issue, retries: int = 0) -> None:
        for one in group:
            one.answer = JudgeAnswer(who=self._who(one), error=error, retries=retries)
        self.session.count(failed=len(group))

    def _who(self, one: _Pending) -> dict[str, Any]:
        plug = type(self.judge).__module__.rpartition(".")[2]
        return {"judge": plug, "model": self.judge._params(one.question)["model"], "prompt": one.prompt.label}

    def _whom(self, one: _Pending) -> Hashable:
        """Who is asked: one model at one address with one key. Another one may well answer where this one refuses."""
        return self.judge.address, self.judge.api_key_env, self.judge._params(one.question)["model"]

    def _given_up_or(self, failure: ChatFailure, whom: Hashable) -> Issue:
        """The failure as a question's error. Refusals and an endpoint that stays away are not tried with every question."""
        session = self.session
        failed = session.failed_in_a_row[whom] = session.failed_in_a_row.get(whom, 0) + 1
        error = unanswered(failure.code, self._safe(str(failure)))
        if failure.code == "judge-refused" or (failure.again and failed >= _MOST_FAILED_IN_A_ROW):
            session.given_up[whom] = error
        return error

    def _safe(self, value: Any) -> Any:
        """The value without the key of the judge, should an endpoint repeat it."""
        if not self.key:
            return value
        if isinstance(value, str):
            return value.replace(self.key, _HIDDEN_SECRET)
        if isinstance(value, Mapping):
            return {self._safe(name): self._safe(inner) for name, inner in value.items()}
        return [self._safe(inner) for inner in value] if isinstance(value, list) else value

    def _patience(self) -> float:
        """So long somebody else may take over one question, at most."""
        judge = self.judge
        return (judge.retries + 1) ** 2 * (judge.timeout_seconds + judge.longest_wait_seconds)


class Tries:
    """One request, tried until there is a reply."""

    def __init__(self, judge: ModelJudge, send: Send, stopped: Callable[[], bool]) -> None:
        self.judge = judge
        self.send = send
        self.stopped = stopped
        self.repeated = 0

    def reply(self, request: ChatRequest) -> ChatReply:
        """The reply. Raises ChatFailure when the last try failed."""
        while True:
            try:
                return self._in_a_shape(request)
            except ChatFailure as failure:
                if not failure.again or self.repeated >= self.judge.retries or self.stopped():
                    raise
                seconds = _pause(self.repeated) if failure.after is None else failure.after
                if seconds > self.judge.longest_wait_seconds:
                    said = f"{failure}; it asks to wait {seconds:g} s, and longest_wait_seconds is less"
                    raise ChatFailure(said, "judge-failed", again=True) from failure
                self.repeated += 1
                self.judge._wait(seconds)

    def _in_a_shape(self, request: ChatRequest) -> ChatReply:
        """The reply, with the strictest form of structured output that the endpoint takes."""
        judge = self.judge
        shape: Structured = (
            judge._shapes.get(request.model, "json_schema") if judge.structured == "auto" else judge.structured
        )
        while True:
            try:
                reply = self.send(replace(request, structured=shape))
            except ChatFailure as failure:
                if not failure.shape or judge.structured != "auto" or shape == "none":
                    raise
                shape = "json_object" if shape == "json_schema" else "none"
            else:
                judge._shapes[request.model] = shape
                return reply


def _not_connected(request: ChatRequest) -> ChatReply:
    raise ChatFailure("there is no connection", "judge-unreachable")


def _pause(number: int) -> float:
    """Seconds to wait before a further try: 1, 2, 4 and so on, less a part by chance, so that not all come back at once."""
    return float(2**number) * random.uniform(0.5, 1.0)


def _folder_of(info: ValidationInfo) -> Path:
    return Path((info.context or {}).get("folder") or Path())


def _variables(folder: Path, file: str | None) -> Mapping[str, str]:
    """What an env_file sets. Raises Problems (config) where it cannot be read."""
    return {} if file is None else read_env_file(folder / file)


def _made(file: Path) -> Path:
    """The file, in a folder that is there. A folder of our own is left out of version control."""
    if not file.parent.is_dir():
        file.parent.mkdir(parents=True, exist_ok=True)
        if file.parent.name == ".evaluators":
            (file.parent / ".gitignore").write_text("*\n", encoding="utf-8")
    return file


_NO_PROMPT: Final = Prompt("", 0, "", "", {}, "")
