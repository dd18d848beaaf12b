"""promptfoo's words: its assertions, and the keys of its files, each with what says the same here."""

from __future__ import annotations

from typing import Final

from evaluators.converting.converter import ASKS_JUDGE, Word, WordTable

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


TABLES: Final[tuple[WordTable, ...]] = (
    WordTable("Assertions", (
        Word("equals", "exact_match", "one text becomes `correctness`, several or a variable a column, an object `json_schema_valid`"),
        Word("contains", "contains"),
        Word("icontains", "contains", always={"case_sensitive": False}),
        Word("contains-all", "contains_all"),
        Word("icontains-all", "contains_all", always={"case_sensitive": False}),
        Word("contains-any", "contains_any"),
        Word("icontains-any", "contains_any", always={"case_sensitive": False}),
        Word("starts-with", "starts_with"),
        Word("regex", "regex_match", "the pattern is read by Python's rules, which are nearly those of JavaScript"),
        Word("is-json", "format_valid", "with a schema it is `json_schema_valid`, which allows nothing around the JSON"),
        Word("contains-json", "contains_json",
             "a list counts here and not there; a lone number or word does not; with a schema it is `json_schema_valid`"),
        Word("is-xml", "format_valid", "required elements are left out", always={"format": "xml"}),
        Word("word-count", "regex_match", "words are what is between spaces"),
        Word("not-equals", "regex_match", _NEGATED, always={"should_match": False}),
        Word("not-contains", "regex_match", _NEGATED, always={"should_match": False}),
        Word("not-icontains", "regex_match", _NEGATED, always={"should_match": False, "case_sensitive": False}),
        Word("not-contains-any", "regex_match", _NEGATED, always={"should_match": False}),
        Word("not-icontains-any", "regex_match", _NEGATED, always={"should_match": False, "case_sensitive": False}),
        Word("not-contains-all", "regex_match", _NEGATED, always={"should_match": False}),
        Word("not-icontains-all", "regex_match", _NEGATED, always={"should_match": False, "case_sensitive": False}),
        Word("not-starts-with", "regex_match", _NEGATED, always={"should_match": False}),
        Word("not-regex", "regex_match", "the pattern is read by Python's rules, which are nearly those of JavaScript",
             always={"should_match": False}),
        Word("assert-set", "weighted_mean"),
        Word("llm-rubric", "llm_judge", ASKS_JUDGE),
        Word("g-eval", "llm_judge", ASKS_JUDGE, always={"pass_at": 0.7}),
        *(Word(theirs, None, note) for theirs, note in _MANY.items()),
    )),
    WordTable("Keys of an assertion", (
        Word("type", "type"),
        Word("value", "the setting that the assertion needs", "a file with a schema is named; other files are not read"),
        Word("weight", "weighted_mean", "the overall metric weighs every assertion as promptfoo does"),
        Word("metric", "name"),
        Word("threshold", "pass_at", "of an assert-set and of what asks a judge; other assertions that have one have no counterpart"),
        Word("transform", "output_at", TRANSFORM),
        Word("contextTransform", None, "nothing works on a context before it is scored, so an assertion with it is left out"),
        Word("provider", None, _MODEL),
        Word("rubricPrompt", None, _MODEL),
        Word("config", None, _CODE),
    )),
    WordTable("Keys of a test", (
        Word("vars", "columns"),
        Word("assert", "evaluators"),
        Word("threshold", "pass_at", "of the overall metric"),
        Word("description", "a column"),
        Word("providerOutput", "output"),
        Word("metadata", None, "it scores nothing"),
        Word("options", "output_at", "from its `transform`; how answers are made is not for a suite"),
        Word("prompt", "input"),
        Word("provider", None, "a suite scores outputs that are there"),
        Word("assertScoringFunction", None, _CODE),
    )),
    WordTable("Keys of the file", (
        Word("description", "name"),
        Word("tests", "rows"),
        Word("defaultTest", "evaluators for all rows"),
        Word("assertionTemplates", "evaluators", "wherever `$ref` names one"),
        Word("$schema", "$schema", "the suite has a schema of its own"),
        Word("prompts", "input", "a single one, filled in for each row"),
        Word("results", "rows", "outputs become rows, and what promptfoo said of them the column `verdict`"),
        Word("providers", None, "a suite scores outputs that are there"),
        Word("targets", None, "a suite scores outputs that are there"),
        Word("scenarios", None, "write the tests out: every combination is a row"),
        Word("derivedMetrics", None, "combine evaluators with `weighted_mean`, `all_of`, `any_of`, `min_of` or `max_of`"),
        Word("env", None, "a suite reads variables of the environment with `${NAME}`"),
        Word("evaluateOptions", None, "options of `evaluators run` say how a run goes"),
        Word("commandLineOptions", None, "options of `evaluators run` say how a run goes"),
        Word("outputPath", None, "`evaluators run -o FILE` writes reports"),
        Word("writeLatestResults", None, "a run folder is written in any case"),
        Word("sharing", None, "nothing is sent anywhere; see `tracking`"),
        Word("tags", None, "it scores nothing"),
        Word("metadata", None, "it scores nothing"),
        Word("nunjucksFilters", None, _CODE),
        Word("extensions", None, _CODE),
        Word("redteam", None, "attacks are not made here"),
    )),
)  # fmt: skip
