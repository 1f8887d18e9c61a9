import type { JSX } from "preact";
import { safeLine } from "../text/safe-text.ts";
import { CodeEditor } from "./code-editor.tsx";
import { isCodeEditorUsed } from "./code-editor-choice.ts";
import type { ControlProps } from "./field-props.ts";
import { discardDraft, setJson } from "./model/edit.ts";
import { initialNode } from "./model/initial-node.ts";
import { textNode, type DraftNode, type FormNode } from "../json/node.ts";
import { isSecret } from "./model/public-json.ts";
import { jsonText } from "../json/write-json.ts";

/** A value as JSON text: any JSON, a value that is not of the kind of its schema, or text that does not parse. */
export function JsonControl(props: ControlProps): JSX.Element {
  const { form, place, view, node, id, schema, name, itemCount } = props;
  const text = node === undefined ? "" : jsonText(node);
  const canBeAbsent = place.depth > 0 && itemCount === undefined;
  const set = (next: string): void => form.edit(place.path, setJson(next, canBeAbsent));
  const draft = node?.kind === "draft" ? node : undefined;
  const label = `${name} as JSON`;
  const isHidden = place.depth > 0 && isSecret(form.root, schema);
  return (
    <div class="form-json">
      {view.isMismatch ? (
        <p class="form-note">
          The schema has another type here, so the value is JSON text.{" "}
          <button
            type="button"
            class="form-button"
            onClick={() => {
              form.edit(place.path, () => initialNode(form.root, schema));
              form.focusRequest.value = { pointer: place.pointer, part: "control" };
            }}
          >
            Replace it
          </button>
        </p>
      ) : null}
      {view.dangling.length > 0 ? (
        <p class="form-note">
          The schema refers to {safeLine(view.dangling.join(", "))}, which it does not have.
        </p>
      ) : null}
      {isCodeEditorUsed.value && !isHidden ? (
        <CodeEditor
          id={id}
          label={label}
          text={text}
          describedBy={props.describedBy}
          isInvalid={props.isInvalid}
          onText={set}
        />
      ) : (
        <textarea
          id={id}
          class={`form-input is-json${isHidden ? " is-secret" : ""}`}
          rows={place.depth === 0 ? 12 : 2}
          spellcheck={false}
          autocomplete="off"
          aria-label={label}
          aria-invalid={props.isInvalid}
          aria-describedby={props.describedBy === "" ? undefined : props.describedBy}
          value={text}
          onInput={(event) => set(event.currentTarget.value)}
        />
      )}
      {draft === undefined ? null : (
        <div class="form-row">
          {draft.offset === undefined ? null : (
            <span class="form-note">{position(draft.text, draft.offset)}</span>
          )}
          {draft.previous === undefined ? null : (
            <button
              type="button"
              class="form-button"
              onClick={() => {
                form.edit(place.path, discardDraft());
                form.focusRequest.value = { pointer: place.pointer, part: "control" };
              }}
            >
              Restore the last valid value
            </button>
          )}
          {canBeText(props, draft) ? (
            <button
              type="button"
              class="form-button"
              onClick={() => form.edit(place.path, (before) => asText(before, draft))}
            >
              Send it as a string
            </button>
          ) : null}
        </div>
      )}
    </div>
  );
}

function canBeText({ view, place }: ControlProps, { text }: DraftNode): boolean {
  const types = [view.base["type"]].flat();
  return (
    place.depth > 0 &&
    text.trim() !== "" &&
    view.kind === "any" &&
    (types[0] === undefined || types.includes("string"))
  );
}

function asText(before: FormNode | undefined, { text }: DraftNode): FormNode {
  return before?.kind === "draft" && before.text !== text ? before : textNode(text);
}

function position(text: string, offset: number): string {
  const before = text.slice(0, offset).split("\n");
  return `Line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`;
}
