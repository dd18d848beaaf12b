"""One list of questions on its way to a model: what is known, what somebody else asks already, and what is asked now.

The questions of one row that share a prompt and a model go together in a request, several requests at once. A reply of which a
part does not count is asked for again, each of those questions alone.

A request is tried until there is a reply: it waits between tries, and asks for the strictest form of structured output that the
endpoint takes. An endpoint that is busy gets no request of anybody before its pause is over: who is sent away says so in the
session of the run.
"""

from __future__ import annotations

import os
import random
import time
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from itertools import count
from typing import Any, Final

import msgspec
from msgspec.structs import replace

from evaluators.model.issues import Issue
from evaluators.scoring.judges.answer_store import AnswerStore
from evaluators.scoring.judges.chat import ChatFailure, ChatReply, ChatRequest, Send, Structured
from evaluators.scoring.judges.judge import JudgeAnswer, JudgeQuestion, unanswered_issue
from evaluators.scoring.judges.messages import Messages, Prompt, estimated_tokens, messages_of, reply_schema
from evaluators.scoring.judges.model_endpoint import ModelEndpoint
from evaluators.scoring.judges.repeats import REPEAT
from evaluators.scoring.judges.replies import BadReply, verdicts_in
from evaluators.scoring.judges.session import Session, StoppedAsking

_MOST_FAILED_IN_A_ROW: Final = 5
"""After so many requests without a reply, an endpoint is given up for the rest of the run."""
_MOST_BAD_REPLIES: Final = 2
"""So often a question is asked again because its reply does not count."""
_MOST_KNOWN: Final = 20_000
"""So many answers of the store are remembered for each judge."""
_LOOK_AGAIN_SECONDS: Final = 0.05
_HIDDEN_SECRET: Final = "[hidden]"
_owners = count()


class PendingQuestion(msgspec.Struct):
    """One question on its way."""

    question: JudgeQuestion
    key: str
    prompt: Prompt
    answer: JudgeAnswer | None = None
    spent: tuple[int, int] = (0, 0)
    """What its requests and their replies cost so far, in tokens: those of refused replies, too."""
    seconds: float = 0.0
    """How long they took."""
    cost: int | None = 0
    """What they cost, in units of `prices`; None where nobody knows."""


def groups_of(judge: ModelEndpoint, pending: Iterable[PendingQuestion]) -> list[list[PendingQuestion]]:
    """The questions in the groups that share a request: of one row, with one prompt, one model and the same choices, and not more of them
    than the judge's `fields_per_request`.

    A question that is put several times has another request each time: a model that sees it twice answers alike.
    """
    groups: dict[Any, list[PendingQuestion]] = {}
    for entry in pending:
        repeat = entry.question.params.get(REPEAT, 1)
        choices = tuple(entry.question.payload.get("choices", ()))
        shared = entry.question.row, entry.prompt.name, repeat, choices, *judge.params_of(entry.question).values()
        groups.setdefault(shared, []).append(entry)
    size = judge.fields_per_request
    return [group[at : at + size] for group in groups.values() for at in range(0, len(group), size)]


class Round:
    """One list of questions, on its way through the cache and the endpoint."""

    send: Send
    """The way to the endpoint, while it is open."""

    def __init__(self, judge: ModelEndpoint, store: AnswerStore, session: Session) -> None:
        self.judge = judge
        self.store = store
        self.session = session
        self.owner = f"{os.getpid()}-{next(_owners)}"
        self.api_key = judge.api_key()
        self.name = judge.model_dump_json(fallback=repr)
        """What tells this judge from the others of the run, each of which has a budget of its own."""

    def run(self, pending: Sequence[PendingQuestion]) -> None:
        """Gives every question its answer: from the cache, from another worker that asks it, or from the endpoint."""
        judge, waited = self.judge, 0.0
        # so long somebody else may take over one question, at most
        patience = (judge.retries + 1) ** 2 * (judge.timeout_seconds + judge.longest_wait_seconds)
        while pending:
            pending = self._take_known_answers(pending)
            mine = self.session.claim([entry.key for entry in pending], self.owner) if pending else set()
            if waited > patience:
                mine = {entry.key for entry in pending}  # whoever had them is gone
            claimed = [entry for entry in pending if entry.key in mine]
            if claimed:
                # somebody may have answered between the look and the claim
                self._ask(self._take_known_answers(claimed))
                waited = 0.0
            pending = [entry for entry in pending if entry.answer is None]
            if pending:
                self._end_when_stopped()
                judge.pause(_LOOK_AGAIN_SECONDS)
                waited += _LOOK_AGAIN_SECONDS

    def _take_known_answers(self, pending: Sequence[PendingQuestion]) -> list[PendingQuestion]:
        """Gives the pending questions the answers that are known, in memory or in the store, and counts them. Returns the questions without
        one."""
        known = self.session.known.setdefault(self.name, {})
        for entry in pending:
            entry.answer = known.get(entry.key)
        read = self.store.answers_to([entry.key for entry in pending if entry.answer is None])
        for entry in pending:
            entry.answer = entry.answer or read.get(entry.key)
        if len(known) + len(read) > _MOST_KNOWN:
            known.clear()
        known.update(read)
        unknown = [entry for entry in pending if entry.answer is None]
        self.session.count(self.name, cached=len(pending) - len(unknown))
        return unknown

    def _ask(self, pending: Sequence[PendingQuestion]) -> None:
        """Opens the connection, as `send`, sends the questions in their requests, several at once, and releases their claims."""
        groups = groups_of(self.judge, pending)
        try:
            with (
                self.judge.connection() as self.send,
                ThreadPoolExecutor(self.judge.concurrency, "evaluators-judge") as pool,
            ):
                self._watch([pool.submit(self._request, group) for group in groups])
        finally:
            self.session.release([entry.key for entry in pending])

    def _watch(self, futures: Sequence[Future[None]]) -> None:
        """Waits for the requests. Raises what one of them raises, and StoppedAsking when the run is stopped; those that have not begun are
        cancelled then."""
        unfinished = set(futures)
        try:
            while unfinished:
                done, unfinished = wait(unfinished, timeout=0.2, return_when=FIRST_COMPLETED)
                for future in done:
                    future.result()
                self._end_when_stopped()
        except BaseException:
            for future in unfinished:
                future.cancel()
            raise

    def _end_when_stopped(self) -> None:
        """Raises StoppedAsking where the run was told to stop."""
        if self.session.stopped():
            raise StoppedAsking

    def _request(self, group: Sequence[PendingQuestion]) -> None:
        """Sends the questions of one request and gives them their answers. Where the reply does not count for some of them, each of these
        is asked alone; one that is alone is sent again a few times, and gets an error for an answer in the end. A stopped run sends
        nothing."""
        if self.session.stopped():
            return
        problems = self._send(group)
        if len(group) > 1:
            for entry in group:
                if entry.key in problems:
                    self._request([entry])
            return
        for _ in range(min(self.judge.retries, _MOST_BAD_REPLIES)):
            if not problems or self.session.stopped():
                break
            problems = self._send(group)
        if problems:
            error = unanswered_issue("judge-bad-reply", f"the judge's reply does not count: {problems[group[0].key]}")
            self._fail(group, error)

    def _send(self, group: Sequence[PendingQuestion]) -> dict[str, str]:
        """Sends one request, gives its questions their answers, stores these, and counts tokens and cost. A request to an endpoint that was
        given up, or beyond the budget, is not sent: its questions get the error for an answer, as after a request that failed.

        Gives the problems of the questions that another try may answer, by their keys.
        """
        judge, first = self.judge, group[0]
        # one model at one address with one key: another one may well answer where this one refuses
        model = judge.params_of(first.question)["model"]
        whom = repr((judge.address, judge.api_key_env, model))
        if whom in self.session.given_up:
            self._fail(group, self.session.given_up[whom])
            return {}
        messages = messages_of(first.prompt, [entry.question for entry in group])
        estimate = estimated_tokens(messages, len(group))
        estimated_sum, estimated_cost = sum(estimate), judge.cost_of(model, estimate)
        unknown = estimated_cost is None and judge.budget.max_cost is not None
        spending = len(group), estimated_sum, estimated_cost or 0
        if unknown or not self.session.reserve(self.name, spending, judge.budget.most):
            self._fail(group, judge.budget_issue(model, len(group), estimated_sum, estimated_cost))
            return {}
        # the estimate is reserved; what the request took beyond it is counted afterwards
        started_at, schema = time.monotonic(), reply_schema(first.prompt, first.question.payload.get("choices", ()))
        request = ChatRequest(messages=messages, schema=schema, structured="none", **judge.params_of(first.question))
        reply, repeated = self._reply_to(request, whom)
        if isinstance(reply, ChatFailure):
            self.session.count(self.name, tokens=-estimated_sum, cost=-(estimated_cost or 0))
            self._fail(group, self._count_failure(reply, whom), repeated)
            return {}
        self.session.failed_in_a_row[whom] = 0
        counted = any(reply.tokens)  # an endpoint may not say what it took
        cost = judge.cost_of(model, reply.tokens, reply.cached_tokens) if counted else None
        further_tokens = sum(reply.tokens) - estimated_sum if counted else 0
        further_cost = cost - (estimated_cost or 0) if cost is not None else 0
        self.session.count(self.name, tokens=further_tokens, cost=further_cost)
        shares = zip(*(_shares(amount, len(group)) for amount in (*reply.tokens, cost or 0)), strict=True)
        for entry, (sent, back, paid) in zip(group, shares, strict=True):
            entry.spent = entry.spent[0] + sent, entry.spent[1] + back
            entry.cost = None if entry.cost is None or cost is None else entry.cost + paid
            entry.seconds += (time.monotonic() - started_at) / len(group)
        return self._take_reply(group, messages, reply, repeated)

    def _reply_to(self, request: ChatRequest, whom: str) -> tuple[ChatReply | ChatFailure, int]:
        """(reply, repeats): the reply, or why the last try failed, and how often the request was repeated. It waits between the tries as
        the endpoint asks, and as long as a pause of the endpoint `whom` lasts; a wait that is longer than the settings allow is a
        failure."""
        judge, repeated, waited_for = self.judge, 0, 0.0
        while True:
            # somebody else's request may have been told of a pause
            while (until := self.session.paused_until(whom)) != waited_for and not self.session.stopped():
                waited_for = until
                if (left := until - time.time()) > 0:
                    judge.pause(left)
            try:
                return self._structured_reply(request), repeated
            except ChatFailure as failure:
                if not failure.again or repeated >= judge.retries or self.session.stopped():
                    return failure, repeated
                longest, seconds = judge.longest_wait_seconds, failure.after
                if seconds is None:  # 1, 2, 4 and so on, less a part by chance, so that not all come back at once
                    seconds = min(2.0**repeated * random.uniform(0.5, 1.0), longest)
                if seconds > longest:
                    why = f"{failure}; it asks to wait {seconds:g} s, and longest_wait_seconds is less"
                    return ChatFailure(why, "judge-failed", again=True), repeated
                repeated += 1
                if failure.busy:
                    until = time.time() + seconds
                    if self.session.pause(whom, until) == until:
                        waited_for = until
                judge.pause(seconds)

    def _structured_reply(self, request: ChatRequest) -> ChatReply:
        """The reply to a request with structured output of the form that the settings name; `auto` is the strictest form that the endpoint
        takes, which is kept for its model. Raises ChatFailure."""
        judge = self.judge
        shape: Structured = (
            judge.shapes.get(request.model, "json_schema") if judge.structured == "auto" else judge.structured
        )
        while True:
            self.session.count(self.name, requests=1)
            try:
                reply = self.send(replace(request, structured=shape))
            except ChatFailure as failure:
                if not failure.shape or judge.structured != "auto" or shape == "none":
                    raise
                shape = "json_object" if shape == "json_schema" else "none"
            else:
                judge.shapes[request.model] = shape
                return reply

    def _take_reply(
        self, group: Sequence[PendingQuestion], messages: Messages, reply: ChatReply, repeated: int
    ) -> dict[str, str]:
        """Gives the questions of a request the verdicts of its reply, and stores these with the `messages` that were sent. Returns the
        problems of the questions whose verdict does not count, by key. `repeated` is how often the request was sent again.

        What a refused reply cost is counted with the answer that comes later.
        """
        try:
            if reply.cut_off:
                raise BadReply("it is cut off")
            verdicts = verdicts_in(reply.text, group[0].prompt, len(group))
        except BadReply as refused:
            return {entry.key: self._without_key(str(refused)) for entry in group}
        problems: dict[str, str] = {}
        answered: list[tuple[str, JudgeAnswer]] = []
        for entry, verdict in zip(group, verdicts, strict=True):
            if isinstance(verdict, BadReply):
                problems[entry.key] = self._without_key(str(verdict))
                continue
            answer = replace(
                verdict, details=self._without_key(dict(verdict.details)), reason=self._without_key(verdict.reason),
                who=self._who(entry), tokens=entry.spent, retries=repeated, seconds=entry.seconds, cost=entry.cost,
            )  # fmt: skip
            why = entry.question.why_refused(answer) if entry.question.why_refused is not None else None
            if why is not None:
                problems[entry.key] = self._without_key(why)
                continue
            entry.answer = answer
            answered.append((entry.key, answer))
        safe_messages: Any = [{**each, "content": self._without_key(each["content"])} for each in messages]
        self.store.add(answered, safe_messages, self._without_key(reply.text or ""))
        self.session.count(self.name, answered=len(answered))
        return problems

    def _fail(self, group: Sequence[PendingQuestion], error: Issue, retries: int = 0) -> None:
        """Gives each question an answer with the error that kept it from a verdict, and counts it as failed. `retries` is how often their
        request was repeated."""
        for entry in group:
            entry.answer = JudgeAnswer(
                who=self._who(entry),
                error=error,
                tokens=entry.spent,
                retries=retries,
                seconds=entry.seconds,
                cost=entry.cost,
            )
        self.session.count(self.name, failed=len(group))

    def _who(self, entry: PendingQuestion) -> dict[str, Any]:
        """The record of who answered a question: judge, model and prompt."""
        return {
            "judge": self.judge.word,
            "model": self.judge.params_of(entry.question)["model"],
            "prompt": entry.prompt.label,
        }

    def _count_failure(self, failure: ChatFailure, whom: str) -> Issue:
        """Counts a request that failed, its tries used up, and gives the error of its questions. `whom` is the endpoint, model and key.

        The endpoint is given up for the run when it refuses outright, and when at least `_MOST_FAILED_IN_A_ROW` requests
        failed in a row, the last of them late, unreachable or without end.
        """
        session = self.session
        failed = session.failed_in_a_row[whom] = session.failed_in_a_row.get(whom, 0) + 1
        error = unanswered_issue(failure.code, self._without_key(str(failure)))
        stays_away = failure.again or failure.code == "judge-too-long"
        if failure.code == "judge-refused" or (stays_away and failed >= _MOST_FAILED_IN_A_ROW):
            session.given_up[whom] = error
        return error

    def _without_key(self, value: Any) -> Any:
        """The value with `[hidden]` in place of the key of the endpoint, at any depth, in case the endpoint repeats it."""
        if not self.api_key:
            return value
        if isinstance(value, str):
            return value.replace(self.api_key, _HIDDEN_SECRET)
        if isinstance(value, Mapping):
            return {self._without_key(name): self._without_key(inner) for name, inner in value.items()}
        return [self._without_key(inner) for inner in value] if isinstance(value, list) else value


def _shares(whole: int, parts: int) -> list[int]:
    """A whole number divided into so many whole numbers that add up to it, as equal as they can be."""
    return [whole * (part + 1) // parts - whole * part // parts for part in range(parts)]
