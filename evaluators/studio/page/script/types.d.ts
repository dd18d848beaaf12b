/** The shapes of the studio. What the server says is described in evaluators/studio/messages.py, by the same names. */

declare global {
  /** The bundle of codemirror.js. */
  // biome-ignore lint/suspicious/noExplicitAny: its own types come with packages that the checks do without
  var CodeMirror: any;
}

/** A JSON Schema, as far as completion reads it. */
export interface Schema {
  $ref?: string;
  description?: string;
  type?: string | string[];
  enum?: unknown[];
  enumDescriptions?: string[];
  const?: unknown;
  pattern?: string;
  required?: string[];
  maxProperties?: number;
  items?: Schema;
  properties?: Record<string, Schema>;
  patternProperties?: Record<string, Schema>;
  additionalProperties?: Schema | boolean;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  not?: Schema;
  if?: Schema;
  then?: Schema;
  else?: Schema;
}

/** A step into a suite: a key, or `[]` for an item of a list; and the scalars of the map that it is a key of, as far as they are written. */
export interface Step {
  key: string;
  beside: Record<string, string>;
}

export interface TextPlace {
  steps: Step[];
  isValue: boolean;
  beside: Record<string, string>;
  word: string;
}

/** A word that may be written. */
export interface Offer {
  label: string;
  kind: "key" | "value";
  info: string;
}

export interface Problem {
  message: string;
  line?: number;
  column?: number;
  hint?: string;
  where?: string;
  tone?: "bad" | "warn" | "note";
}

export interface Option {
  name: string;
  kind: "number" | "switch" | "choice" | "text" | "list";
  meaning?: string;
  default?: unknown;
  choices?: string[];
  low?: number | null;
  high?: number | null;
}

export interface Choice {
  name: string;
  words: string;
  does: string;
  group?: string;
  options?: Option[];
}

export interface Started {
  folder: string;
  opened: string;
  files: { path: string; kind: "suite" | "data" }[];
  comparators: Choice[];
  checks: Choice[];
  alignments: Choice[];
  schema: Schema;
  command: string;
}

export interface Column {
  name: string;
  samples: string[];
  role?: string;
  why?: string;
}

export interface Question {
  text: string;
  answers: string[];
  hints?: string[];
  role?: string;
  chosen?: string;
}

export interface Data {
  path: string;
  columns: Column[];
  rows: string[][];
  questions: Question[];
  notes: string[];
}

export interface FieldLine {
  evaluator: number;
  path: string;
  name: string;
  line: number;
  compare: string;
  options?: Record<string, unknown>;
  align?: string;
  align_key?: string;
  weight?: number | null;
  required?: boolean;
  skip?: boolean;
  text_only?: number;
  editable?: boolean;
}

export interface Check {
  place: number;
  name: string;
  type: string;
  does: string;
  line: number;
  fields?: FieldLine[];
  lists_fields?: boolean;
  options?: Record<string, unknown>;
  text_only?: number;
  editable?: boolean;
  compare?: string | null;
  columns?: string[];
}

export interface GateLine {
  target: string;
  line: number;
  figure?: string;
  fail_below?: number | null;
  warn_below?: number | null;
  fail_above?: number | null;
  warn_above?: number | null;
  text_only?: number;
  editable?: boolean;
}

export interface Form {
  name: string;
  checks: Check[];
  gates: GateLine[];
  own_comparators: string[];
  text_only: number;
  judges: string[];
}

export interface ScoreColumn {
  evaluator: string;
  place: number;
  field?: string;
  rule?: string;
  right?: number;
  of?: number;
}

export interface ScoredRow {
  row: number;
  id?: string;
  statuses?: string;
  scores?: (number | null)[];
  variant?: string;
}

export interface Turned {
  evaluator: string;
  field: string;
  right: number[];
  wrong: number[];
  became_right: number;
  became_wrong: number;
  other: number;
}

export interface Scored {
  id: string;
  rows: number;
  whole: boolean;
  said: string;
  columns: ScoreColumn[];
  table: ScoredRow[];
  words: Record<string, [string, string, string]>;
  figures: {
    evaluator: string;
    variant?: string;
    mean: number | null;
    pass_rate: number | null;
    scored: number;
    rows: number;
    low?: number | null;
    high?: number | null;
  }[];
  gates: { target: string; status: string; said: string }[];
  turned: Turned[];
  asks: { said: string[]; open: boolean } | null;
  problems: Problem[];
  seconds: number;
  command: string;
}

export interface AdviceLine {
  evaluator: string;
  place: number;
  field: string;
  said: string;
  write: string;
  turned: number;
  rows: number[];
  edit: Record<string, unknown> | null;
}

export interface RunState {
  id: string;
  done: boolean;
  share: number | null;
  rows: number;
  said: string;
  exit_code: number | null;
  ended: string;
  name: string;
  command: string;
}

export interface RunList {
  runs: {
    name: string;
    title: string;
    started: string;
    rows: number;
    passed: boolean | null;
    said: string;
    means: Record<string, number | null>;
  }[];
  trends: { evaluator: string; runs: string[]; means: number[] }[];
  command: string;
}
