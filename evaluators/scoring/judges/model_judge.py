"""What every judge that asks a model has in common: its settings, and how it gets from questions to answers.

Strategy. What is known from before is taken from the cache. What somebody else of this run is asking is waited for. The rest
is asked: the questions of one row that share a prompt and a model go together in a request, several requests at once. A
request is repeated after a wait when the endpoint is busy or down. A reply of which a part does not count is asked for again,
each of those questions alone. A plug says one thing: how a request becomes a reply.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from pydantic import PrivateAttr

from evaluators.model.issues import Problems, problem
from evaluators.scoring.judges.answer_store import AnswerStore
from evaluators.scoring.judges.judge import Estimate, JudgeAnswer, JudgeQuestion, unanswered_issue
from evaluators.scoring.judges.messages import Prompt, estimated_tokens, messages_of, prompt_names, prompt_of
from evaluators.scoring.judges.model_endpoint import DEFAULT_MODEL, ModelEndpoint, variable
from evaluators.scoring.judges.rounds import PendingQuestion, Round, groups_of
from evaluators.scoring.judges.session import Session
from evaluators.scoring.values.json_text import compact


class ModelJudge(ModelEndpoint):
    """A judge that asks a model."""

    _alone: Session | None = PrivateAttr(default=None)
    _alone_store: AnswerStore | None = PrivateAttr(default=None)

    def notice(self) -> tuple[str, ...]:
        """Sentences on where questions go, how they are sent, where answers are kept, and on the currency of costs."""
        budget = [f"{name} {value:,}" for name, value in self.budget if value is not None]
        temperature = "not sent" if self.temperature is None else f"{self.temperature:g}"
        sending = (
            f"Temperature {temperature}, {self.timeout_seconds:g} s for a reply, {self.retries} retries, "
            f"{self.concurrency} requests at once, up to {self.fields_per_request} fields of a row in a request, "
            f"budget: {', '.join(budget) or 'none'}."
        )
        keeping = f"Answers are kept in {self._cache_file()}." if self.cache else "Answers are not kept for the next run."
        return f"Questions go to {self.address}, model {self.model}.", sending, keeping, *self._price_notice()

    def _price_notice(self) -> Iterator[str]:
        """A sentence on the currency of the prices, and on a model that has none; nothing without prices."""
        if (prices := self._price_list()) is not None:
            known = self.model in prices.models
            is_limited = self.budget.max_cost is not None
            effect = "max_cost cannot be kept, so it is asked nothing" if is_limited else "what it costs is not known"
            unpriced = f" {self.prices} has no price of {self.model}: {effect}."
            yield f"Costs are in {prices.currency}.{'' if known else unpriced}"

    def addresses(self) -> tuple[str, ...]:
        return self.address, *super().addresses()

    def ready(self) -> None:
        """Raises Problems (config) where no model is named, a key is not set, the cache or the prices cannot be used, or a package is
        missing. Makes the file of the cache where it is not there."""
        key = variable(self.api_key_env, self._folder, self.env_file)
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
                AnswerStore(_make_folder(self._cache_file())).close()
            except OSError as error:
                hint = "name another file, or write cache: false"
                raise problem(
                    "judge-cache", f"the answers of the judge cannot be kept: {error}", where="judge", hint=hint
                ) from None
        self._price_list()
        self.check_library()

    def estimate(self, questions: Sequence[JudgeQuestion]) -> Estimate:
        """The estimated requests, tokens and costs of questions without a stored answer."""
        entries = [entry for entry in self._pending(questions) if entry.answer is None]
        if self.cache and self._cache_file().is_file():
            with self._store(None) as store:
                known = store.answers_to([entry.key for entry in entries])
            entries = [entry for entry in entries if entry.key not in known]
        groups = groups_of(self, entries)
        sizes = [
            estimated_tokens(messages_of(group[0].prompt, [entry.question for entry in group]), len(group))
            for group in groups
        ]
        models = [self.params_of(group[0].question)["model"] for group in groups]
        costs = [self.cost_of(model, size) for model, size in zip(models, sizes, strict=True)]
        sent, back = sum(sent for sent, _ in sizes), sum(back for _, back in sizes)
        return Estimate(len(entries), len(sizes), sent, back, sum(cost or 0 for cost in costs), costs.count(None))

    def meaning(self) -> Mapping[str, Any]:
        """The part of the suite's fingerprint: the model and how it is asked, its address, and the wording of every prompt."""
        shared = {"temperature", "max_tokens", "parameters", "model"}
        return {**self.model_dump(mode="json", include=shared), "address": self.address, "prompts": {
            name: prompt.checksum for name in prompt_names() if (prompt := prompt_of(name)) is not None
        }}  # fmt: skip

    def answer(self, questions: Sequence[JudgeQuestion]) -> Sequence[JudgeAnswer]:
        return self.answer_in(questions, None)

    def answer_in(self, questions: Sequence[JudgeQuestion], session: Session | None) -> Sequence[JudgeAnswer]:
        """Asks the questions, in the session of the run or else in one of its own, and returns the answers in order. A question without one
        gets an answer with the error that kept it from being answered."""
        pending = self._pending(questions)
        try:
            if self.model is None:
                self.ready()
            with self._store(session) as store:
                Round(self, store, session or self._own_session()).run(
                    [question for question in pending if question.answer is None]
                )
        except (OSError, sqlite3.Error) as error:
            lost = unanswered_issue("judge-cache", f"the answers of the judge cannot be kept: {error}")
            return [question.answer or JudgeAnswer(error=lost) for question in pending]
        except Problems as error:  # who asks outside of a run need not have called `ready`
            lost = unanswered_issue(error.issues[0].code, error.issues[0].message, error.issues[0].hint)
            return [question.answer or JudgeAnswer(error=lost) for question in pending]
        return [
            question.answer or JudgeAnswer(error=unanswered_issue("judge-failed", "there is no answer"))
            for question in pending
        ]

    def _pending(self, questions: Sequence[JudgeQuestion]) -> list[PendingQuestion]:
        """The questions with their prompts and keys; one whose prompt is unknown has an error for an answer already."""
        pending = []
        for question in questions:
            prompt = prompt_of(question.prompt)
            if prompt is None:
                message = f'there is no prompt "{question.prompt}"'
                error = unanswered_issue("no-prompt", message, f"known: {', '.join(prompt_names())}")
                pending.append(PendingQuestion(question, "", _NO_PROMPT, JudgeAnswer(error=error)))
            else:
                pending.append(PendingQuestion(question, self._key(question, prompt), prompt))
        return pending

    def _key(self, question: JudgeQuestion, prompt: Prompt) -> str:
        """A checksum of all that an answer depends on, by which it is found again: model, settings, prompt and question."""
        parts = {
            "judge": self.word, "address": self.address, **self.params_of(question),
            "parameters": dict(self.parameters), "alone": self.fields_per_request == 1,
            "prompt": prompt.label, "text": prompt.checksum, "question": question.body(),
        }  # fmt: skip
        try:
            return sha256(compact(parts)).hexdigest()
        except (TypeError, ValueError, RecursionError):  # what a transform made of a value need not be JSON
            return sha256(json.dumps(parts, sort_keys=True, default=repr).encode()).hexdigest()

    def _cache_file(self) -> Path:
        """The file in which answers are kept from run to run."""
        return self._folder / str(self.cache)

    def _own_session(self) -> Session:
        """The session of a judge that is asked outside of a run."""
        if self._alone is None:
            self._alone = Session()
        return self._alone

    @contextmanager
    def _store(self, session: Session | None) -> Iterator[AnswerStore]:
        """The store of answers, open within the `with` block: in the cache file; without a cache in the file of the session; and outside of
        a run in memory, where it stays for the next call."""
        if self.cache:
            with closing(AnswerStore(_make_folder(self._cache_file()))) as store:
                yield store
        elif session is not None:
            with closing(AnswerStore(session.file)) as store:
                yield store
        else:
            if self._alone_store is None:
                self._alone_store = AnswerStore(":memory:")
            yield self._alone_store


def _make_folder(file: Path) -> Path:
    """The same file, once its folder is made where there is none. A folder `.evaluators` gets a file that keeps it out of version
    control."""
    if not file.parent.is_dir():
        file.parent.mkdir(parents=True, exist_ok=True)
        if file.parent.name == ".evaluators":
            (file.parent / ".gitignore").write_text("*\n", encoding="utf-8")
    return file


_NO_PROMPT: Final = Prompt("", 0, "", "", {}, "")
