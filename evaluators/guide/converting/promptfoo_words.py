"""promptfoo's words: its assertions, and the keys of its files, each with what says the same here."""

from __future__ import annotations

from typing import Final

from evaluators.guide.converting.converter import ASKS_JUDGE, Term, TermTable

TRANSFORM: Final = (
    "a plain path, such as `output.a.b` or `JSON.parse(output).a`; with any other, an assertion is left out"
)
_MODEL: Final = "it asks a model; a judge is set up in the suite, not taken over"
_CODE: Final = "a program of yours: write it as an evaluator in Python"
_METRICS: Final = "metrics of shared word groups are not worked out here"
_TRACE: Final = "it looks at the steps of an agent, not at an output"
_CALL: Final = "the call's cost and time are not in the output; put them into columns of the rows"
_TOOLS: Final = "put the call into the output as JSON and check it with `json_schema_valid`"
_MARKUP: Final = "write a pattern: `regex_match`"
_NEGATED: Final = "a text that must not occur is a pattern that must not be found"
_MANY: Final = {
    "is-valid-function-call": _TOOLS, "is-valid-openai-function-call": _TOOLS, "is-valid-openai-tools-call": _TOOLS,
    "tool-call-f1": "put the names of the tools into a column and compare it with `any_order`",
    "contains-html": _MARKUP, "is-html": _MARKUP, "contains-xml": _MARKUP,
    "is-sql": "SQL is not parsed here", "contains-sql": "SQL is not parsed here",
    "is-refusal": "write a pattern of the usual refusals: `regex_match`",
    "javascript": _CODE, "python": _CODE, "ruby": _CODE, "webhook": "a suite calls no address",
    "rouge-n": _METRICS, "bleu": _METRICS, "gleu": _METRICS, "meteor": _METRICS,
    "levenshtein": "its limit is a number of characters; here it is a share of the longer text: levenshtein: {pass_at: 0.9}",
    "latency": _CALL, "cost": _CALL, "perplexity": _CALL, "perplexity-score": _CALL, "finish-reason": _CALL,
    "guardrails": _CALL, "trace-span-count": _TRACE, "trace-span-duration": _TRACE, "trace-error-spans": _TRACE,
    "skill-used": _TRACE, "trajectory:tool-used": _TRACE, "trajectory:tool-args-match": _TRACE,
    "trajectory:tool-sequence": _TRACE, "trajectory:step-count": _TRACE, "trajectory:goal-success": _TRACE,
    "similar": _MODEL, "classifier": _MODEL, "moderation": _MODEL,
    "answer-relevance": _MODEL, "context-faithfulness": _MODEL, "context-recall": _MODEL, "context-relevance": _MODEL,
    "conversation-relevance": _MODEL, "factuality": _MODEL, "model-graded-closedqa": _MODEL, "model-graded-factuality": _MODEL,
    "pi": _MODEL, "select-best": "it compares outputs with each other: see `evaluators compare`",
    "max-score": "it compares outputs with each other: see `evaluators compare`",
}  # fmt: skip


TABLES: Final[tuple[TermTable, ...]] = (
    TermTable("Assertions", (
        Term("equals", "exact_match", "one text becomes `correctness`, several or a variable a column, an object `json_schema_valid`"),
        Term("contains", "contains"),
        Term("icontains", "contains", always={"case_sensitive": False}),
        Term("contains-all", "contains_all"),
        Term("icontains-all", "contains_all", always={"case_sensitive": False}),
        Term("contains-any", "contains_any"),
        Term("icontains-any", "contains_any", always={"case_sensitive": False}),
        Term("starts-with", "starts_with"),
        Term("regex", "regex_match", "the pattern is read by Python's rules, which are nearly those of JavaScript"),
        Term("is-json", "format_valid", "with a schema it is `json_schema_valid`, which allows nothing around the JSON"),
        Term("contains-json", "contains_json",
             "a list counts here and not there; a lone number or word does not; with a schema it is `json_schema_valid`"),
        Term("is-xml", "format_valid", "required elements are left out", always={"format": "xml"}),
        Term("word-count", "regex_match", "words are what is between spaces"),
        Term("not-equals", "regex_match", _NEGATED, always={"should_match": False}),
        Term("not-contains", "regex_match", _NEGATED, always={"should_match": False}),
        Term("not-icontains", "regex_match", _NEGATED, always={"should_match": False, "case_sensitive": False}),
        Term("not-contains-any", "regex_match", _NEGATED, always={"should_match": False}),
        Term("not-icontains-any", "regex_match", _NEGATED, always={"should_match": False, "case_sensitive": False}),
        Term("not-contains-all", "regex_match", _NEGATED, always={"should_match": False}),
        Term("not-icontains-all", "regex_match", _NEGATED, always={"should_match": False, "case_sensitive": False}),
        Term("not-starts-with", "regex_match", _NEGATED, always={"should_match": False}),
        Term("not-regex", "regex_match", "the pattern is read by Python's rules, which are nearly those of JavaScript",
             always={"should_match": False}),
        Term("assert-set", "weighted_mean"),
        Term("llm-rubric", "llm_judge", ASKS_JUDGE),
        Term("g-eval", "llm_judge", ASKS_JUDGE, always={"pass_at": 0.7}),
        *(Term(theirs, None, note) for theirs, note in _MANY.items()),
    )),
    TermTable("Keys of an assertion", (
        Term("type", "type"),
        Term("value", "the setting that the assertion needs", "a file with a schema is named; other files are not read"),
        Term("weight", "weighted_mean", "the overall metric weighs every assertion as promptfoo does"),
        Term("metric", "name"),
        Term("threshold", "pass_at", "of an assert-set and of what asks a judge; other assertions that have one have no counterpart"),
        Term("transform", "output_at", TRANSFORM),
        Term("contextTransform", None, "nothing works on a context before it is scored, so an assertion with it is left out"),
        Term("provider", None, _MODEL),
        Term("rubricPrompt", None, _MODEL),
        Term("config", None, _CODE),
    )),
    TermTable("Keys of a test", (
        Term("vars", "columns"),
        Term("assert", "evaluators"),
        Term("threshold", "pass_at", "of the overall metric"),
        Term("description", "a column"),
        Term("providerOutput", "output"),
        Term("metadata", None, "it scores nothing"),
        Term("options", "output_at", "from its `transform`; how answers are made is not for a suite"),
        Term("prompt", "input"),
        Term("provider", None, "a suite scores outputs that are there"),
        Term("assertScoringFunction", None, _CODE),
    )),
    TermTable("Keys of the file", (
        Term("description", "name"),
        Term("tests", "rows"),
        Term("defaultTest", "evaluators for all rows"),
        Term("assertionTemplates", "evaluators", "wherever `$ref` names one"),
        Term("$schema", "$schema", "the suite has a schema of its own"),
        Term("prompts", "input", "a single one, filled in for each row"),
        Term("results", "rows", "outputs become rows, and what promptfoo said of them the column `verdict`"),
        Term("providers", None, "a suite scores outputs that are there"),
        Term("targets", None, "a suite scores outputs that are there"),
        Term("scenarios", None, "write the tests out: every combination is a row"),
        Term("derivedMetrics", None, "combine evaluators with `weighted_mean`, `all_of`, `any_of`, `min_of` or `max_of`"),
        Term("env", None, "a suite reads variables of the environment with `${NAME}`"),
        Term("evaluateOptions", None, "options of `evaluators run` say how a run goes"),
        Term("commandLineOptions", None, "options of `evaluators run` say how a run goes"),
        Term("outputPath", None, "`evaluators run -o FILE` writes reports"),
        Term("writeLatestResults", None, "a run folder is written in any case"),
        Term("sharing", None, "nothing is sent anywhere; see `tracking`"),
        Term("tags", None, "it scores nothing"),
        Term("metadata", None, "it scores nothing"),
        Term("nunjucksFilters", None, _CODE),
        Term("extensions", None, _CODE),
        Term("redteam", None, "attacks are not made here"),
    )),
)  # fmt: skip
