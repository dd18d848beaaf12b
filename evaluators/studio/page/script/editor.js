// The YAML pane. It stands in a shadow root: its styles are then made by script, which the policy of the page allows without exceptions.

import { offersAt, placeAt } from "./completion.js";
import { changedPart } from "./undo.js";

/** @import {Problem, Schema} from "./types.d.ts" */

const SEVERITIES = { bad: "error", warn: "warning", note: "info" };

/** The pane, and what writes into it. `did` is told what is typed, and of keys that mean more than the pane.
 * @param {any} host @param {Schema} schema
 * @param {{typed: (text: string) => void, undo: () => void, redo: () => void, save: () => void}} did */
export function yamlEditor(host, schema, did) {
  const { Annotation, EditorState, EditorView, autocompletion, completionKeymap, defaultKeymap, keymap } = CodeMirror;
  const fromElsewhere = Annotation.define();
  const key = (name, act) => ({ key: name, preventDefault: true, run: () => act() || true });
  const own = [key("Mod-z", did.undo), key("Mod-y", did.redo), key("Shift-Mod-z", did.redo), key("Mod-s", did.save)];
  const isTyped = (update) =>
    update.docChanged && !update.transactions.some((one) => one.annotation(fromElsewhere) !== undefined);
  const state = EditorState.create({
    extensions: [
      CodeMirror.lineNumbers(),
      CodeMirror.lintGutter(),
      CodeMirror.drawSelection(),
      CodeMirror.yaml(),
      CodeMirror.indentUnit.of("  "),
      CodeMirror.syntaxHighlighting(colours()),
      autocompletion({ override: [offersOf(schema)], icons: false }),
      keymap.of([...own, ...completionKeymap, ...defaultKeymap]),
      EditorView.lineWrapping,
      EditorView.contentAttributes.of({ "aria-label": "Suite as YAML", tabindex: "0" }),
      EditorView.updateListener.of((update) => isTyped(update) && did.typed(update.state.doc.toString())),
      look(),
    ],
  });
  const view = new EditorView({ state, root: host.attachShadow({ mode: "open" }) });
  view.root.append(view.dom);
  return {
    /** @param {string} text */
    setText(text) {
      const before = view.state.doc.toString();
      if (text === before) return;
      view.dispatch({ changes: changedPart(before, text), annotations: fromElsewhere.of(true) });
    },
    /** @param {Problem[]} problems */
    setProblems(problems) {
      const found = problems.filter(({ line = 0 }) => line > 0 && line <= view.state.doc.lines);
      view.dispatch(
        CodeMirror.setDiagnostics(
          view.state,
          found.map((one) => diagnostic(view.state.doc, one)),
        ),
      );
    },
    /** @param {number} line From 1. */
    goToLine(line) {
      const found = view.state.doc.line(Math.max(1, Math.min(line, view.state.doc.lines)));
      const effects = EditorView.scrollIntoView(found.from, { y: "center" });
      view.dispatch({ selection: { anchor: found.from, head: found.to }, effects });
      view.focus();
    },
  };
}

/** @param {any} text @param {Problem} problem */
function diagnostic(text, { line = 1, column = 1, message, hint = "", tone = "bad" }) {
  const found = text.line(line);
  const from = Math.min(found.to, found.from + Math.max(0, column - 1));
  return {
    from,
    to: Math.max(from, found.to),
    severity: SEVERITIES[tone],
    message: hint ? `${message}\n${hint}` : message,
  };
}

/** @param {Schema} schema */
const offersOf = (schema) => (context) => {
  const { doc } = context.state;
  const line = doc.lineAt(context.pos);
  const word = context.matchBefore(/[^\s:[\]{},"'#-][^\s:]*/);
  if (!word && !context.explicit) return null;
  const lines = doc.toString().split("\n");
  const offers = offersAt(schema, placeAt(lines, line.number - 1, context.pos - line.from));
  const options = offers.map(({ label, kind, info }) => ({
    label,
    info: info || undefined,
    apply: kind === "key" ? `${label}: ` : label,
    detail: kind === "key" ? "key" : "",
  }));
  return options.length ? { from: word?.from ?? context.pos, options, validFor: /^[^\s:]*$/ } : null;
};

const colours = () => {
  const { HighlightStyle, tags } = CodeMirror;
  return HighlightStyle.define([
    { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: "var(--accent)" },
    { tag: tags.comment, color: "var(--quiet)", fontStyle: "italic" },
    { tag: [tags.string, tags.content], color: "var(--text)" },
    { tag: [tags.number, tags.bool, tags.keyword], color: "var(--good)" },
    { tag: [tags.punctuation, tags.separator], color: "var(--quiet)" },
  ]);
};

const look = () =>
  CodeMirror.EditorView.theme({
    "&": { height: "100%", fontSize: "13px", backgroundColor: "var(--surface)", color: "var(--text)" },
    "&.cm-focused": { outline: "2px solid var(--accent)", outlineOffset: "-2px" },
    ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.55" },
    ".cm-content": { caretColor: "var(--text)", padding: "8px 0" },
    ".cm-cursor": { borderLeftColor: "var(--text)" },
    ".cm-gutters": { backgroundColor: "var(--surface)", color: "var(--quiet)", border: "0" },
    "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
      background: "color-mix(in srgb, var(--accent) 25%, var(--surface))",
    },
    ".cm-tooltip": {
      backgroundColor: "var(--raised)",
      color: "var(--text)",
      border: "1px solid var(--edge)",
      borderRadius: "6px",
    },
    ".cm-tooltip-autocomplete > ul": { fontFamily: "var(--mono)" },
    ".cm-tooltip-autocomplete > ul > li[aria-selected]": { background: "var(--accent)", color: "var(--on-accent)" },
    ".cm-completionInfo": { maxWidth: "320px", padding: "6px 10px", whiteSpace: "pre-wrap" },
    ".cm-completionDetail": { color: "inherit", opacity: "0.8" },
    ".cm-diagnostic": { whiteSpace: "pre-wrap" },
    ".cm-diagnostic-error": { borderLeftColor: "var(--wrong)" },
  });
