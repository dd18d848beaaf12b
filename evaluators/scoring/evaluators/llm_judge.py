"""`llm_judge`: a language model says how well the output meets a rubric."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any, Literal, Self

from pydantic import AliasChoices, Field, PrivateAttr, ValidationInfo, model_validator

from evaluators.model.issues import RowProblem
from evaluators.model.rows import FieldStatus, Outcome, Result, RowStatus
from evaluators.model.settings import Loc, Name, bad
from evaluators.scoring.evaluators._evaluator import Asking, Evaluator, Example, Needs, Reason, ScoredFields, Text
from evaluators.scoring.evaluators._rubric import (
    AGREEMENT,
    Choices,
    Criteria,
    Judgement,
    Member,
    OwnJudge,
    Scale,
    agreement_of,
    columns_named_in,
    exact_fraction,
    judgement_of,
    mean,
    path_of,
    without_placeholders,
)
from evaluators.scoring.evaluators._scored_fields import CHOICE
from evaluators.scoring.judges.asking import ask_judge
from evaluators.scoring.judges.judge import Judge, JudgeAnswer, JudgeQuestion
from evaluators.scoring.needs import ROLES, Column


class LlmJudge(Evaluator):
    """Ask a language model how well the output meets a rubric, and score what it says.

    Use it for what no rule can tell: tone, helpfulness, whether an answer follows from a text. Where a rule can tell, use
    the rule: it is exact, free, and says the same tomorrow. A judge can be wrong; compare it with rows that people have
    marked (`evaluators calibrate`) before a decision rests on it.

    It needs the suite's `judge:`, which says who is asked. Say what is asked in one of two ways:

    - `rubric`: one question in words.
    - `criteria`: several questions by name, each with a `weight`. The judge scores each of them, and the row's score is their
      weighted mean. A total that the judge makes itself is not looked at. Each criterion is also a field of the report: it is
      right in a row when its score is at least `pass_at`.

    The judge sees the output and the columns that you name, and nothing else of the row: `{{input}}` in a rubric names
    the input, and `columns: [input, source]` does the same. A cell is never put into the rubric. It is quoted beside it, as
    data, and the judge is told that nothing in it is an instruction.

    Scores run from 0 to 1. With `scale: [1, 5]` the judge thinks in 1 to 5, and 3 is the score 0.5. A row passes at 0.5 unless
    `pass_at` says otherwise, always on the scale from 0 to 1.

    With `choices: {excellent: 1, fair: 0.5, poor: 0}` the judge answers a rubric with one of these names, each of which has its
    score. The run counts the rows of each choice. An answer that is none of them is asked for again, and is never a score.

    With a `panel`, several judges are asked. `decide: mean` (used unless you choose) scores the mean of their scores, and
    `decide: majority` scores 1 where more than half of them let the row pass, and else 0. The run has the metric `agreement`:
    the share of pairs of judges that say the same of a row.

    A judge that does not answer, or answers nonsense, is no score of 0: the row counts as unjudged.
    """

    type: Literal["llm_judge"] = "llm_judge"
    pass_at: float = Field(0.5, ge=0.0, le=1.0, strict=True, validation_alias=AliasChoices("pass_at", "threshold"))
    """A row passes when its score is at least this."""
    rubric: Name | None = None
    """What the output must be like, in words."""
    criteria: Criteria | None = None
    """Several questions by name: a text each, or a map with `rubric` and `weight`."""
    choices: Choices | None = None
    """The names that the judge may answer a rubric with, each with its score from 0 to 1."""
    columns: tuple[Name, ...] = ()
    """What the judge sees beside the output: `input`, `expected`, or the name of any other column."""
    scale: Scale = (0.0, 1.0)
    """The worst and the best score that the judge may give."""
    panel: tuple[Member, ...] = ()
    """Several judges in place of one: each has a `model`, a `temperature`, or a `judge` of its own."""
    decide: Literal["mean", "majority"] = "mean"
    """What the scores of a panel come to."""
    judge: OwnJudge | None = None
    """A judge of its own, in place of the suite's."""
    model: Name | None = None
    """The model that is asked, in place of the judge's own."""
    temperature: float | None = Field(None, ge=0.0, le=2.0)
    """How freely it answers, in place of the judge's own setting."""
    max_tokens: int | None = Field(None, ge=1, strict=True)
    """How long its answer may be, in place of the judge's own setting."""

    _judge: Judge | None = PrivateAttr(None)

    examples = (
        Example(
            "a rubric",
            output="Thank you for waiting. Your parcel arrives on Monday.",
            settings={"rubric": "Is the answer polite and to the point?"},
            score=1.0,
            passed=True,
        ),
        Example(
            "a rubric about the input",
            input="When does my parcel arrive?",
            output="We sell parcels of every size.",
            settings={"rubric": "Does the output answer {{input}}?", "scale": [1, 5]},
            score=0.25,
            passed=False,
        ),
        Example(
            "named choices",
            output="Your parcel arrives on Monday.",
            settings={"rubric": "How polite is it?", "choices": {"excellent": 1, "fair": 0.5, "poor": 0}},
            score=0.5,
            passed=True,
        ),
        Example(
            "criteria with weights",
            output="It arrives Monday, obviously.",
            settings={
                "criteria": {
                    "clarity": {"rubric": "Is it clear when the parcel arrives?", "weight": 3},
                    "tone": "Is the answer polite?",
                }
            },
            score=0.75,
            passed=True,
        ),
    )

    @model_validator(mode="after")
    def _set_judge(self, info: ValidationInfo) -> Self:
        """Checks the settings, keeps the judge that is asked (its own, or that of the suite) in `_judge`, and gives the settings back.
        Raises BadSettings for settings that do not go together, and where there is no judge."""
        if (self.rubric is None) is (self.criteria is None):
            found = "neither" if self.rubric is None else "both"
            raise bad(f'"llm_judge" needs "rubric" or "criteria"; found {found}', hint='write rubric: "Is it polite?"')
        if self.choices is not None and (self.criteria is not None or self.scale != (0.0, 1.0)):
            other = "criteria" if self.criteria is not None else "scale"
            raise bad(f'choices have scores of their own: leave out "{other}"', "choices", key=True)
        judge = (info.context or {}).get("judge")
        self._judge = self.judge or (judge if isinstance(judge, Judge) else None)
        all_have_judges = all(member.judge is not None for member in self.panel) and bool(self.panel)
        if self._judge is None and judge is None and not all_have_judges:
            hint = "name one for the suite: judge: {openai_compatible: {base_url: …, model: …}}"
            raise bad('"llm_judge" needs a judge, and there is none', hint=hint)
        return self

    @property
    def columns_shown(self) -> tuple[str, ...]:
        """The columns that the judge sees: the output, and those that are named."""
        texts = [self.rubric or "", *(criterion.rubric for criterion in (self.criteria or {}).values())]
        return tuple(dict.fromkeys(["output", *self.columns, *columns_named_in(texts)]))

    def needs(self) -> Needs:
        """The columns that the judge sees, as texts."""
        return tuple(
            Text(self.column(name) if name in ROLES else Column(name, literal=True)) for name in self.columns_shown
        )

    def asking(self) -> Asking:
        """The questions to its judges, which `measure` asks, and the judges that it names itself."""
        return Asking(self.measure, self._own_judges())

    def _own_judges(self) -> Mapping[Loc, Judge]:
        """The judges that the evaluator names itself, by their places in its settings."""
        judges: dict[Loc, Judge | None] = {("judge",): self.judge}
        judges |= {("panel", number, "judge"): member.judge for number, member in enumerate(self.panel)}
        return {loc: judge for loc, judge in judges.items() if judge is not None}

    def scored_fields(self) -> ScoredFields:
        """The criteria as fields; the share of each choice, and the agreement of a panel, as metrics."""
        choices = {name: (score >= self.pass_at, exact_fraction(score)) for name, score in (self.choices or {}).items()}
        metrics = (*(f"{CHOICE}{name}" for name in choices), *((AGREEMENT,) if len(self.panel) > 1 else ()))
        return ScoredFields(tuple(map(path_of, self.criteria or ())), metrics=metrics, choices=choices)

    def measure(self, *cells: str) -> Result:
        """Asks the judges about a row, whose `cells` are those of `columns_shown`; the result has the panel's score, the status of each
        criterion, the share of each choice and the agreement."""
        judgements = self._judgements(dict(zip(self.columns_shown, cells, strict=True)))
        passed = [judgement.score >= self.pass_at for judgement in judgements]
        score = self._score_of_panel([judgement.score for judgement in judgements], passed)
        statuses = bytes(field.status for field in self._criterion_outcomes(judgements))
        metrics = tuple(
            (sum(judgement.choice == name for judgement in judgements), len(judgements)) for name in self.choices or ()
        )
        metrics += (agreement_of(passed),) if len(judgements) > 1 else ()
        return Result(
            RowStatus.SCORED, float(score) >= self.pass_at, *score.as_integer_ratio(), statuses, metrics=metrics
        )

    def reason(self, *cells: str) -> Reason:
        """Why a row scores what it scores: the scores of criteria and judges, and what the judges wrote. Asks as `measure` does."""
        judgements = self._judgements(dict(zip(self.columns_shown, cells, strict=True)))
        passed = [judgement.score >= self.pass_at for judgement in judgements]
        criteria = {name: mean([judgement.criteria[name] for judgement in judgements]) for name in self.criteria or ()}
        return Reason(
            self._reason_text(judgements, passed, criteria),
            self._details(judgements, criteria),
            self._criterion_outcomes(judgements),
        )

    def _criterion_outcomes(self, judgements: list[Judgement]) -> tuple[Outcome, ...]:
        """The outcome of each criterion: the mean of what the judges gave it."""
        criteria = self.criteria or ()
        return tuple(
            self._criterion_outcome(name, mean([judgement.criteria[name] for judgement in judgements]), judgements)
            for name in criteria
        )

    def _criterion_outcome(self, name: str, score: Fraction, judgements: list[Judgement]) -> Outcome:
        """The outcome of a criterion with this mean score, and the first reason that a judge gives for it."""
        status = FieldStatus.MATCH if score >= self.pass_at else FieldStatus.MISMATCH
        weight = self.criteria[name].weight if self.criteria else 1.0
        reason = next((judgement.reasons[name] for judgement in judgements if name in judgement.reasons), None)
        return Outcome(
            path_of(name), status, float(score), weight, reason=reason or f"the judge scores it {float(score):.4g}"
        )

    def _judgements(self, shown: Mapping[str, str]) -> list[Judgement]:
        """Asks each judge of the panel, or the one judge, about a row, of which `shown` are the cells that they see, by name.

        Raises RowProblem for an answer without a score.
        """
        answers = []
        for member in self.panel or (Member(),):
            judge = member.judge or self._judge
            if judge is None:
                raise TypeError("a judge that could not be read is asked")
            answers += ask_judge(judge, [self._question(member, shown)])
        return [judgement_of(answer, self.criteria or {}, self.scale, self.choices or {}) for answer in answers]

    def _question(self, member: Member, shown: Mapping[str, str]) -> JudgeQuestion:
        """The question for one judge: its prompt, the rubric or the criteria, the scale or the choices, and the cells `shown`, by name."""
        own = Member(model=self.model, temperature=self.temperature, max_tokens=self.max_tokens)
        payload: dict[str, Any] = {"shown": dict(shown)}
        scale = [int(end) if end == int(end) else end for end in self.scale]
        if self.rubric is not None and self.choices is not None:
            prompt, rubric, payload["choices"] = "llm_judge_choices", self.rubric, list(self.choices)
        elif self.rubric is not None:
            prompt, rubric = ("llm_judge" if scale == [0, 1] else "llm_judge_points"), self.rubric
        else:
            criteria = self.criteria or {}
            prompt, rubric = (
                "llm_judge_criteria",
                "\n".join(f"{name}: {criterion.rubric}" for name, criterion in criteria.items()),
            )
            payload["criteria"] = list(criteria)
        if prompt in ("llm_judge_points", "llm_judge_criteria"):
            payload["scale"] = scale
        instructions = without_placeholders(rubric)
        params = own.params | member.params
        return JudgeQuestion(
            prompt, instructions=instructions, params=params, payload=payload, why_refused=self._why_refused
        )

    def _why_refused(self, answer: JudgeAnswer) -> str | None:
        """Why an answer counts for nothing, such as a criterion without a score; None where it counts."""
        try:
            judgement_of(answer, self.criteria or {}, self.scale, self.choices or {})
        except RowProblem as error:
            return error.issue.message
        return None

    def _score_of_panel(self, scores: list[Fraction], passed: list[bool]) -> Fraction:
        """The score of a panel: 1 or 0 by its majority, or the mean of its scores."""
        if self.decide == "majority" and len(scores) > 1:
            return Fraction(2 * sum(passed) > len(passed))
        return mean(scores)

    def _reason_text(
        self, judgements: list[Judgement], passed: list[bool], criteria: Mapping[str, Fraction]
    ) -> str | None:
        """A sentence with the scores of the criteria and of a panel, or a single judge's choice and reason; None where there is neither."""
        parts = [f"{name} {float(score):.4g}" for name, score in criteria.items()]
        if len(judgements) > 1:
            scores = ", ".join(f"{float(judgement.score):.4g}" for judgement in judgements)
            parts.insert(0, f"{sum(passed)} of {len(judgements)} judges let it pass: {scores}")
        parts += [judgement.choice for judgement in judgements if judgement.choice and len(judgements) == 1]
        head = "; ".join(parts)
        why = (
            next((judgement.reason for judgement in judgements if judgement.reason), None)
            if len(judgements) == 1
            else None
        )
        return ": ".join(part for part in (head, why) if part) or None

    def _details(self, judgements: list[Judgement], criteria: Mapping[str, Fraction]) -> dict[str, Any]:
        """The details of a reason: the scores of the criteria; and a single judge's choice, or the scores of a panel and their spread."""
        details: dict[str, Any] = (
            {"criteria": {name: float(score) for name, score in criteria.items()}} if criteria else {}
        )
        if len(judgements) == 1:
            return details | ({"choice": judgements[0].choice} if judgements[0].choice else {})
        names = [member.name or member.model or f"judge {number}" for number, member in enumerate(self.panel, 1)]
        judges = [
            {"name": name, "score": float(judgement.score)}
            | ({"choice": judgement.choice} if judgement.choice else {})
            | ({"reason": judgement.reason} if judgement.reason else {})
            for name, judgement in zip(names, judgements, strict=True)
        ]
        scores = [judgement.score for judgement in judgements]
        return details | {"judges": judges, "spread": float(max(scores) - min(scores))}
