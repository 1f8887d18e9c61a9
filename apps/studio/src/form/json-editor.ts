import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { json } from "@codemirror/lang-json";
import {
  bracketMatching,
  HighlightStyle,
  indentOnInput,
  syntaxHighlighting,
} from "@codemirror/language";
import { linter, type Diagnostic } from "@codemirror/lint";
import { EditorState, type Extension } from "@codemirror/state";
import { drawSelection, EditorView, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { isFault, parseJson } from "../json/parse-json.ts";

/** A code editor for JSON. */
export interface JsonEditor {
  /** Replaces the text, if it is not the same. */
  setText(text: string): void;
  destroy(): void;
}

interface JsonEditorOptions {
  /** The accessible name. */
  readonly label: string;
  readonly text: string;
  readonly onText: (text: string) => void;
}

/** Creates an editor in a shadow root. */
export function createJsonEditor(
  root: ShadowRoot,
  { label, text, onText }: JsonEditorOptions,
): JsonEditor {
  let isSetting = false;
  const view = new EditorView({
    root,
    parent: root,
    state: EditorState.create({
      doc: text,
      extensions: [
        ...extensions,
        EditorView.contentAttributes.of({ "aria-label": label }),
        EditorView.updateListener.of((update) => {
          if (update.docChanged && !isSetting) onText(update.state.doc.toString());
        }),
      ],
    }),
  });
  return {
    setText(next) {
      if (next === view.state.doc.toString()) return;
      isSetting = true;
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: next } });
      isSetting = false;
    },
    destroy: () => view.destroy(),
  };
}

const highlighting = HighlightStyle.define([
  { tag: tags.propertyName, color: "var(--form-code-name)" },
  { tag: tags.string, color: "var(--form-code-string)" },
  { tag: tags.number, color: "var(--form-code-number)" },
  { tag: [tags.bool, tags.null], color: "var(--form-code-literal)" },
]);

const theme = EditorView.theme({
  "&": {
    color: "var(--form-text)",
    backgroundColor: "var(--form-input)",
    fontSize: "13px",
    maxHeight: "60vh",
  },
  "&.cm-focused": { outline: "2px solid var(--form-focus)", outlineOffset: "1px" },
  ".cm-scroller": { fontFamily: "var(--form-mono)", lineHeight: "1.5", overflow: "auto" },
  ".cm-content, .cm-gutter": { minHeight: "14em" },
  ".cm-content": { caretColor: "var(--form-text)" },
  ".cm-cursor": { borderLeftColor: "var(--form-text)" },
  ".cm-gutters": {
    backgroundColor: "var(--form-surface)",
    color: "var(--form-muted)",
    borderRight: "1px solid var(--form-line)",
  },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground":
    { backgroundColor: "var(--form-selection)" },
  // The mark of the package is a data URL, which the content security policy forbids.
  ".cm-lintRange-error": {
    backgroundImage: "none",
    textDecoration: "underline wavy var(--form-error) 1px",
  },
  ".cm-tooltip": {
    color: "var(--form-text)",
    backgroundColor: "var(--form-surface)",
    border: "1px solid var(--form-line)",
  },
});

const jsonLinter = linter(
  (view): Diagnostic[] => {
    const result = parseJson(view.state.doc.toString());
    if (!isFault(result)) return [];
    const { length } = view.state.doc;
    // A fault at the end of the text is marked at its last character.
    const from = Math.max(0, Math.min(result.offset, length - 1));
    return [
      {
        from,
        to: Math.min(from + 1, length),
        severity: "error",
        message: result.message,
      },
    ];
  },
  { delay: 200 },
);

// Tab is not bound: it moves the focus, as in every other field.
const extensions: readonly Extension[] = [
  lineNumbers(),
  history(),
  drawSelection(),
  indentOnInput(),
  bracketMatching(),
  json(),
  syntaxHighlighting(highlighting),
  theme,
  jsonLinter,
  keymap.of([...defaultKeymap, ...historyKeymap]),
];
