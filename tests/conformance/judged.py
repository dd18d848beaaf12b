"""Cases in which a language model was asked: its recorded reply is given to our judge, read as every reply is, and scored.

A reply of theirs is spelled as ours are before it is read: `reasoning` is our `reason`, and a verdict has an id. What it says
is not touched, and what is no JSON stays as it is.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from evaluators.model.issues import Problems
from evaluators.model.rows import MISSING
from evaluators.model.settings import BadSettings, build
from evaluators.scoring.evaluators._evaluator import explain_cells
from evaluators.scoring.evaluators.llm_judge import LlmJudge
from evaluators.scoring.fields.evaluation_config import read_evaluation_config
from evaluators.scoring.judges.judge import Judge, JudgeAnswer, JudgeQuestion, unanswered_issue
from evaluators.scoring.judges.messages import Prompt, prompt_of
from evaluators.scoring.judges.replies import BadReply, verdicts_in
from evaluators.scoring.values.json_documents import documents
from evaluators.scoring.values.json_text import NotJSON
from tests.conformance import extract_bench
from tests.conformance.cases import Answer, Case
from tests.conformance.judged_predicates import WEIGHTS
from tests.scoring.fields.alone import score_document
from tests.scoring.fields.figures import figures_by_name

EXTRACT_BENCH: Final = "extract_bench_llm"
ORBITER: Final = "orbiter_judge"


class Replies(Judge):
    """A judge whose model always writes the same."""

    status: int = 200
    content: str | None = None
    by_constraints: bool = False
    """Criteria are constraints that hold or do not."""

    def answer(self, questions: Sequence[JudgeQuestion]) -> list[JudgeAnswer]:
        return [self._answer(one) for one in questions]

    def _answer(self, question: JudgeQuestion) -> JudgeAnswer:
        if self.status != 200:
            return JudgeAnswer(error=unanswered_issue("judge-failed", f"status {self.status}"))
        prompt = prompt_of(question.prompt)
        assert prompt is not None
        try:
            (found,) = verdicts_in(_spelled(self.content, prompt, question, self.by_constraints), prompt, 1)
        except BadReply as refused:
            return JudgeAnswer(error=unanswered_issue("bad-reply", str(refused)))
        if isinstance(found, BadReply):
            return JudgeAnswer(error=unanswered_issue("bad-reply", str(found)))
        return JudgeAnswer(found.score, found.passed, found.reason, found.details)


def _spelled(content: str | None, prompt: Prompt, question: JudgeQuestion, by_constraints: bool) -> str | None:
    """Their reply in our spelling."""
    try:
        found = [one.value for one in documents(content or "").found]
    except NotJSON:
        return content
    told = next((one for one in found if isinstance(one, dict)), None)
    if told is None:
        return content
    verdict: dict[str, Any] = {"id": 1, "reason": told.get("reasoning", told.get("reason", ""))}
    if "matched" in prompt.verdict:
        summary = told.get("matches_summary") or {}
        names = {"matched": "matched", "missed": "missed_gold", "spurious": "spurious_pred"}
        verdict |= {ours: summary.get(theirs) for ours, theirs in names.items()} | {"pairs": told.get("pairs", [])}
        verdict["pairs"] = [[place, place] for place in range(_count(verdict["matched"]))]
    elif "criteria" in prompt.verdict:
        verdict["criteria"] = _criteria(told, question.payload["criteria"], by_constraints)
    else:
        verdict["score"] = told.get("score")
    return json.dumps({"verdicts": [verdict]})


def _count(claimed: object) -> int:
    """Their replies name no pairs: as many as they claim."""
    return int(claimed) if isinstance(claimed, int | float) and claimed >= 0 else 0


def _criteria(told: Mapping[str, Any], names: Sequence[str], by_constraints: bool) -> list[dict[str, Any]]:
    if by_constraints:
        given = told.get("constraint_results")
        results = given if isinstance(given, list) else []
        passed = [isinstance(one, dict) and str(one.get("status")).upper() == "PASS" for one in results]
        further = [f"result {number}" for number in range(len(names), len(passed))]  # of no criterion
        scores: Mapping[str, Any] = dict(zip([*names, *further], map(float, passed), strict=False))
    else:
        given = told.get("dimension_scores")
        scores = given if isinstance(given, dict) else {}
    return [{"name": name, "reason": "", "points": score} for name, score in scores.items()]


def read_extract_bench(line: dict[str, Any]) -> Case:
    """A case of extract-bench with the reply that its model gave."""
    case = extract_bench.read_case(line)
    name = "evaluation_config with a judge"
    told = line["expected"]
    fields = {
        extract_bench.OVERALL: told["readme_scores"]["overall_score_item_weighted"],
        extract_bench.PASS_RATE: told["report"]["pass_rate"],
        **_items_of(told["results"]),
    }
    return Case(case.id, EXTRACT_BENCH, name, case.settings, case.cells, Answer(case.recorded.score, fields=fields), line)


def _items_of(results: Mapping[str, Any]) -> dict[str, float | None]:
    """The items of each list that their model was asked about."""
    return {
        f"items {name}": float(count)
        for metrics in results.values()
        for result in metrics.values()
        for name, count in (result["details"].get("structured_output") or {}).get("matches_summary", {}).items()
    }


def answer_extract_bench(case: Case) -> Answer:
    """Our answer: a judge is there, and a list that names no metric is compared by it, as theirs is."""
    judge = Replies(**case.line["stub_reply"])
    try:
        root = read_evaluation_config(case.settings["schema"], {"judge": judge, "defaults": {"array": "array_llm"}})
    except BadSettings as error:
        return Answer(blame="config", why=str(error))
    scored = score_document(root, case.expected, case.output)
    if scored.problem is not None:
        return Answer(blame=scored.problem.issue.blame.value, why=str(scored.problem))
    found = figures_by_name(scored)
    score, overall, rate = (
        None if found[name] is None else float(found[name])
        for name in ("field_score", "overall_score", "overall_pass_rate")
    )
    items = {
        f"items {name}": float(count)
        for array in scored.arrays
        if array.expected and array.comparator is not None
        for name, count in (("matched", array.matched), ("missed_gold", array.missing), ("spurious_pred", array.extra))
    }
    return Answer(score, fields={extract_bench.OVERALL: overall, extract_bench.PASS_RATE: rate, **items})


def read_orbiter(line: dict[str, Any]) -> Case:
    """A case of orbiter's scorers that ask a model."""
    told = line["expected"]
    recorded = Answer(blame="bug", why=str(told["error"])) if "error" in told else Answer(told["score"])
    cells = {"input": "a question", "output": "an answer", "expected": MISSING}
    return Case(line["id"], ORBITER, line["scorer"], line["params"], cells, recorded, line)


def answer_orbiter(case: Case) -> Answer:
    """Our answer: `llm_judge` with the rubric or the criteria that the scorer stands for."""
    by_constraints = case.evaluator == "ConstraintSatisfactionScorer"
    context = (
        {}
        if "judge" in case.line
        else {"judge": Replies(content=case.line["judge_response"], by_constraints=by_constraints)}
    )
    try:
        evaluator = build(LlmJudge, _settings(case), context)
        score = explain_cells(evaluator, case.cells)
    except Problems as problems:
        return Answer(blame=problems.issues[0].blame.value, why=str(problems))
    except ValueError as refused:  # settings that cannot be used
        return Answer(blame="config", why=str(refused))
    return Answer(score.score)


def _settings(case: Case) -> dict[str, Any]:
    weights: Mapping[str, float] | None = case.settings.get("dimensions") or WEIGHTS.get(case.evaluator)
    if case.evaluator == "ConstraintSatisfactionScorer":
        weights = {f"{number} {text}": 1 for number, text in enumerate(case.settings.get("constraints") or ())}
    if weights is None:
        return {"rubric": "Is it good?"}
    return {"criteria": {name: {"rubric": f"{name}?", "weight": weight} for name, weight in weights.items()}}
