/** The shapes that the modules share. What comes from a run folder is described in docs/reference/run-folder.md. */

export interface Status {
  name: string;
  letter: string;
  word: string;
  wrong: boolean;
  sign: string;
  tone: string;
}

export interface Reading {
  column: string;
  side: "expected" | "output" | "other";
  how: "text" | "expected" | "output";
}

export interface Interval {
  low: number;
  high: number;
}

export interface FieldStats {
  path: string;
  accuracy: number | null;
  precision: number | null;
  recall: number | null;
  f1: number | null;
  counts: Record<string, number>;
}

export interface EvaluatorStats {
  name: string;
  type: string;
  variant: string | null;
  slice: [string, string] | null;
  mean: number | null;
  mean_ci: Interval | null;
  pass_rate: number | null;
  pass_rate_ci: Interval | null;
  micro_precision: number | null;
  micro_recall: number | null;
  micro_f1: number | null;
  minimum_detectable_effect: number | null;
  rows: number;
  scored: number;
  passed: number;
  failed: number;
  invalid: number;
  unjudged: number;
  bugs: number;
  fields: FieldStats[];
}

export interface LabelTable {
  evaluator: string;
  variant: string | null;
  columns: string[];
  labels: { label: string }[];
  cells: { expected: string; output: string; count: number }[];
}

export interface RecordedEvaluator {
  name: string;
  fields: string[];
  by_schema: boolean;
  where: string;
  field_places: Record<string, string>;
  readings: Reading[];
}

/** What the page has of run.json. */
export interface Run {
  variants: string[];
  evaluators: EvaluatorStats[];
  slices: EvaluatorStats[];
  confusion_matrices: LabelTable[];
  record: { evaluators: RecordedEvaluator[]; slices: string[] };
}

export interface Item {
  text: string;
  details: string[];
  quote: string[];
  tone: string;
  link?: string;
}

export interface Block {
  text?: string;
  tone?: string;
  items?: Item[];
  columns?: [string, boolean][];
  rows?: string[][];
  tones?: string[];
}

export interface Section {
  id: string;
  title: string | null;
  blocks: Block[];
  labels?: number;
  bins?: Bin[];
  folded?: boolean;
}

/** Values or rows that are wrong in one way: what is wrong, how often, in which rows, and the setting that would forgive it. */
export interface Mistake {
  evaluator: string;
  variant: string | null;
  field: string;
  said: string;
  count: string;
  rows: number[];
  forgiven: string;
}

/** The rows with a confidence from `low` to `high`: the share that is right, its interval, and both in words. */
export interface Bin {
  low: number;
  high: number;
  right: number;
  ci: [number, number] | null;
  said: string;
}

/** What the page says of its rows beside their lines. */
export interface RowIndex {
  pieces: number[][];
  labelCells: Record<string, number[]>[];
  rules: Record<string, string>[];
  packed: string;
}

/** A value of a row that is another one in the new run, or has another status. Statuses are by name. */
export interface ChangedField {
  evaluator: string;
  path: string;
  field: string;
  change: string;
  was: string | null;
  now: string | null;
  expected?: unknown;
  base?: unknown;
  new?: unknown;
  why?: string;
}

/** A row of which a verdict or a field changed. `base` and `new` name it in the addresses of the pages of the runs. */
export interface ChangedRow {
  id: string;
  number: number;
  variant: string | null;
  change: string;
  base: string | null;
  new: string | null;
  verdicts: Record<string, string[]>;
  reasons: Record<string, string>;
  fields: ChangedField[];
}

/** Two runs: what they are called, where their pages are, and the rows that changed. */
export interface Comparison {
  base: { label: string; link: string };
  new: { label: string; link: string };
  notes: string[];
  rows: ChangedRow[];
  /** Whether several evaluators say something of them. */
  several?: boolean;
}

/** What the reader of a comparison asked to see; an empty text leaves everything. */
export interface ComparisonChoice {
  change: string;
  evaluator: string;
  field: string;
  q: string;
}

/** What the page says beside the lines of the run folder. */
export interface Head {
  title: string;
  headline: string;
  tone: string;
  sections: Section[];
  words?: {
    statuses: Status[];
    rows: Record<string, { word: string; sentence: string }>;
  };
  run?: Run;
  compared?: Omit<Comparison, "rows"> | null;
  verdict?: string[];
  mistakes: Mistake[];
  /** Metrics that cards list: the key in run.json, the word, what it means. */
  metrics: [string, string, string][];
  legend: Item[];
  weakest: [number, number][];
  moreFields: number;
  moreSlices: number;
  rows: RowIndex | null;
}

/** A line of codes.jsonl. */
export interface CodeLine {
  evaluator: string;
  status: string;
  score?: [number, number];
  passed?: boolean;
  fields?: string;
  counts?: [number, number, number, number];
  issue?: { message: string; hint?: string };
}

/** A line of rows.jsonl. */
export interface RowLine {
  row: number;
  id: string;
  slices?: string[];
  codes: number[];
}

/** A line of outcomes.jsonl. */
export interface OutcomeLine {
  row: number;
  evaluator: string;
  path?: string;
  status?: string;
  score?: number;
  field?: string;
  reason?: string;
  comparator?: string;
  expected?: unknown;
  actual?: unknown;
  details?: { column?: string; passages?: [number, number, string][] };
}

/** A part of the text in a column, in characters: it says a value of the output, or is only the nearest one. */
export interface Passage {
  column: string;
  start: number;
  end: number;
  isRight: boolean;
}

/** Where a document stands in a cell, where that is not the whole cell, or why there is none. */
export interface Found {
  start?: number;
  end?: number;
  how?: "fence" | "embedded";
  which?: string;
  message?: string;
}

/** What was found on reading a row: documents by the number of the reading, sentences by evaluator. */
export interface ReadLine {
  row: number;
  documents?: Record<string, Found>;
  reasons?: Record<string, string>;
  cut?: Record<string, number>;
}

/** What a piece holds of a row. */
export interface RowLines {
  outcomes: OutcomeLine[];
  cells: Record<string, unknown>;
  read: ReadLine | undefined;
}

/** What a code stands for. */
export interface Verdict {
  status: string;
  score: number | null;
  passed: boolean | null;
  letters: string;
  counts: number[] | null;
  issue: { message: string; hint?: string } | null;
  wrong: number;
  fine: boolean;
  leftOut: boolean;
}

/** A field of a row, as far as it is known. */
export interface Field {
  path: string;
  status: number;
  score?: number;
  field?: string;
  reason?: string;
  rule?: string;
  expected?: unknown;
  actual?: unknown;
  passages?: Passage[];
}

export interface ShownDocument {
  side: "expected" | "output" | "other";
  column: string;
  kind: "json" | "text" | "absent" | "unreadable" | "cut";
  value: unknown;
  how: string;
  before: string;
  after: string;
  message: string;
  which: string;
  of: number;
}

/** What is shown of a row that is opened. */
export interface Detail {
  documents: ShownDocument[];
  cells: Record<string, string>;
  evaluators: { reason: string; fields: Field[]; documents: ShownDocument[] }[];
}

/** What the reader asked to see, beside the order. */
export interface Choice {
  evaluators: number[];
  variant: string;
  slice: [number, string] | null;
  cell: [string, string, string] | null;
  mistake: Mistake | undefined;
  text: string;
  result: string;
  field: string;
  status: number | null;
}
