import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { JsonEditor } from "./json-editor.ts";

interface CodeEditorProps {
  readonly id: string;
  readonly label: string;
  readonly text: string;
  readonly describedBy: string;
  readonly isInvalid: boolean;
  readonly onText: (text: string) => void;
}

/**
 * CodeMirror for JSON, loaded when it is first used. It is in a shadow root, where its styles are adopted style sheets: in
 * the document it would insert a style element, which the content security policy forbids.
 */
export function CodeEditor({ id, label, text, onText }: CodeEditorProps): JSX.Element {
  const host = useRef<HTMLDivElement>(null);
  const editor = useRef<JsonEditor | undefined>(undefined);
  const latest = useRef(onText);
  latest.current = onText;
  const current = useRef(text);
  current.current = text;
  const [state, setState] = useState<"loading" | "ready" | "failed">("loading");
  useEffect(() => {
    let isUnmounted = false;
    import("./json-editor.ts").then(
      ({ createJsonEditor }) => {
        if (isUnmounted || host.current === null) return;
        const root =
          host.current.shadowRoot ??
          host.current.attachShadow({ mode: "open", delegatesFocus: true });
        editor.current = createJsonEditor(root, {
          label,
          text: current.current,
          onText: (next) => latest.current(next),
        });
        setState("ready");
      },
      () => {
        if (!isUnmounted) setState("failed");
      },
    );
    return () => {
      isUnmounted = true;
      editor.current?.destroy();
    };
  }, []);
  // Not after the page is painted: a key that is pressed in between would be lost.
  useLayoutEffect(() => editor.current?.setText(text), [text]);
  return (
    <>
      <div class={`form-code${state === "ready" ? " is-ready" : ""}`} id={id} ref={host} />
      {state === "ready" ? null : (
        <textarea
          class="form-input is-json"
          rows={12}
          spellcheck={false}
          aria-label={label}
          value={text}
          onInput={(event) => onText(event.currentTarget.value)}
        />
      )}
      {state === "failed" ? <p class="form-note">The code editor could not be loaded.</p> : null}
    </>
  );
}
