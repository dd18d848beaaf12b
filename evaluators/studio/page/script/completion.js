// What may be written at a place of the suite, by the JSON Schema of the language. Nothing here draws.

import { ownValue } from "../../../reports/html/script/lines.js";

/** @import {Offer, Schema, Step, TextPlace} from "./types.d.ts" */

const TEXT_LINE = /^(\s*)((?:-\s+|-$)*)(.*)$/;
const TEXT_KEY = /^("(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^\s#"'[\]{},][^#]*?)\s*:(?:\s+(.*)|)$/;
const IN_ITEM = "[]";
const MOST_DEPTH = 12;

/** A line as YAML writes it: where its dashes and its content stand, and its key with the scalar behind it.
 * @param {string} text */
function readLine(text) {
  const [, blanks, dashes, content] = /** @type {RegExpMatchArray} */ (text.match(TEXT_LINE));
  const found = content.match(TEXT_KEY);
  const columns = [...dashes.matchAll(/-/g)].map((dash) => blanks.length + (dash.index ?? 0));
  const value = (found?.[2] ?? "").replace(/(^|\s)#.*$/, "").trim();
  return {
    columns,
    content,
    column: blanks.length + dashes.length,
    key: found ? unquoted(found[1]) : null,
    value: unquoted(value),
    isBlank: !content.trim() && !dashes,
  };
}

/** @param {string} text */
const unquoted = (text) => (/^(["']).*\1$/.test(text) ? text.slice(1, -1) : text);

/** Where in the suite a place of the text is: the steps to it, each with the scalars beside it, and whether a key or a value is written there.
 * @param {string[]} lines @param {number} number The place of the line, from 0. @param {number} column
 * @returns {TextPlace} */
export function placeAt(lines, number, column) {
  const here = readLine(lines[number].slice(0, column));
  const isValue = here.key !== null;
  /** @type {Step[]} */
  const steps = isValue ? [{ key: String(here.key), beside: {} }] : [];
  /** @type {Record<string, string>} */
  let beside = isValue ? steps[0].beside : {};
  const own = beside;
  let limit = here.column;
  let isItem = false;
  const outOf = (columns) => {
    for (const dash of [...columns].reverse()) {
      steps.unshift({ key: IN_ITEM, beside: {} });
      beside = steps[0].beside;
      limit = dash;
      isItem = true;
    }
  };
  for (const line of lines.slice(number + 1).map(readLine)) {
    if (line.isBlank || line.column > limit) continue;
    if (line.column < limit || line.columns.length) break;
    if (line.key !== null) beside[line.key] = line.value;
  }
  outOf(here.columns);
  for (const text of lines.slice(0, number).reverse()) {
    const line = readLine(text);
    if (line.isBlank || line.content.startsWith("#") || line.column > limit) continue;
    if (line.column === limit && !isItem) {
      if (line.key !== null) beside[line.key] = line.value;
      if (line.columns.length) outOf(line.columns);
      continue;
    }
    if (line.columns.includes(limit) || line.key === null || (line.value && !line.value.startsWith("&"))) continue;
    steps.unshift({ key: line.key, beside: {} });
    beside = steps[0].beside;
    limit = line.column;
    isItem = false;
    outOf(line.columns);
  }
  return { steps, isValue, beside: own, word: isValue ? here.value : here.content };
}

/** The keys and words that may stand at a place, without the keys that stand there already.
 * @param {Schema} schema @param {TextPlace} place
 * @returns {Offer[]} */
export function offersAt(schema, place) {
  const mapAt = (at) => (at < place.steps.length ? withKey(place.steps[at]) : place.isValue ? {} : place.beside);
  let found = alternatives(schema, schema, mapAt(0));
  place.steps.forEach((step, at) => {
    const beside = mapAt(at + 1);
    found = found.flatMap((one) => below(one, step.key)).flatMap((one) => alternatives(schema, one, beside));
  });
  const values = found.flatMap(valuesOf);
  const isFirst = place.isValue || place.steps.at(-1)?.key === IN_ITEM;
  const keys = place.isValue ? [] : found.flatMap((one) => keysOf(schema, one));
  const offers = [...keys.filter(({ label }) => !Object.hasOwn(place.beside, label)), ...(isFirst ? values : [])];
  return [...new Map(offers.map((one) => [`${one.kind} ${one.label}`, one])).values()];
}

/** The scalars of the map that a step goes into, with its own key.
 * @param {Step} step */
const withKey = ({ key, beside }) => (key === IN_ITEM ? beside : { ...beside, [key]: "" });

/** What a schema comes to where the scalars beside a key are known: itself, what it refers to, and the branches that hold.
 * @param {Schema} root @param {Schema} schema @param {Record<string, string>} beside @param {number} [depth]
 * @returns {Schema[]} */
function alternatives(root, schema, beside, depth = 0) {
  if (!schema || typeof schema !== "object" || depth > MOST_DEPTH) return [];
  if (schema.$ref) return alternatives(root, referred(root, schema.$ref), beside, depth + 1);
  const branches = [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])];
  if (schema.if) branches.push((holds(schema.if, beside) ? schema.then : schema.else) ?? {});
  return [schema, ...branches.flatMap((one) => alternatives(root, one, beside, depth + 1))];
}

/** @param {Schema} root @param {string} reference */
const referred = (root, reference) =>
  reference
    .slice(2)
    .split("/")
    .reduce((found, name) => found?.[name], root);

/** Whether a condition holds for a map of which some scalars are known; what is not known does not hold.
 * @param {Schema} condition @param {Record<string, string>} beside @returns {boolean} */
function holds(condition, beside) {
  const { required = [], properties = {}, maxProperties, anyOf, not, type } = condition;
  if (type !== undefined && type !== "object") return false;
  if (!required.every((name) => Object.hasOwn(beside, name))) return false;
  if (maxProperties !== undefined && Object.keys(beside).length > maxProperties) return false;
  if (anyOf && !anyOf.some((one) => holds(one, beside))) return false;
  if (not && holds(not, beside)) return false;
  return Object.entries(properties).every(([name, { pattern, const: only }]) => {
    const value = ownValue(beside, name);
    if (value === undefined) return pattern === undefined && only === undefined;
    return pattern !== undefined ? new RegExp(pattern).test(value) : only === undefined || String(only) === value;
  });
}

/** The schemas of what stands one step further in.
 * @param {Schema} schema @param {string} step @returns {Schema[]} */
function below(schema, step) {
  if (step === IN_ITEM) return schema.items ? [schema.items] : [];
  const own = ownValue(schema.properties ?? {}, step);
  if (own !== undefined) return [own];
  const fitting = Object.entries(schema.patternProperties ?? {}).filter(([pattern]) => new RegExp(pattern).test(step));
  if (fitting.length) return fitting.map(([, one]) => one);
  return typeof schema.additionalProperties === "object" ? [schema.additionalProperties] : [];
}

/** @param {Schema} root @param {Schema} schema @returns {Offer[]} */
const keysOf = (root, schema) =>
  Object.entries(schema.properties ?? {}).map(([label, one]) => ({ label, kind: "key", info: describedBy(root, one) }));

/** @param {Schema} root @param {Schema} schema @returns {string} */
function describedBy(root, schema) {
  return String(schema?.description ?? (schema?.$ref ? (referred(root, schema.$ref)?.description ?? "") : ""));
}

/** @param {Schema} schema @returns {Offer[]} */
function valuesOf(schema) {
  const words = schema.enum ?? (schema.const === undefined ? [] : [schema.const]);
  const switches = schema.type === "boolean" ? [true, false] : [];
  return [...words, ...switches]
    .filter((one) => ["string", "number", "boolean"].includes(typeof one))
    .map((one, at) => ({ label: String(one), kind: "value", info: String(schema.enumDescriptions?.[at] ?? "") }));
}
