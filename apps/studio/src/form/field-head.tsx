import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { FieldActions } from "./field-actions.tsx";
import { partId, useProblemsBelow, type ControlProps } from "./field-props.ts";
import { renameMember } from "./model/edit.ts";
import { fieldConstraints, fieldType } from "./model/describe-field.ts";
import { fieldAt } from "./model/field-at.ts";
import { safeLine } from "../text/safe-text.ts";
import { memberNameProblem, viewField } from "./model/field-view.ts";
import type { FormNode } from "../json/node.ts";

interface FieldHeadProps extends ControlProps {
  /** Whether an object or array is open. Undefined for other fields. */
  readonly isOpen?: boolean;
}

/** The label of a field, its type, its constraints, its state and its actions. */
export function FieldHead(props: FieldHeadProps): JSX.Element {
  const { form, place, view, node, name, isRequired, isOpen, id } = props;
  const { title } = view.common;
  const constraints = fieldConstraints(view);
  // A required field without a value says that it is required.
  const state = isRequired && node === undefined ? undefined : valueState(node);
  const label = (
    <>
      <span class="form-name">{name}</span>
      {typeof title === "string" && title !== "" && title !== name ? (
        <span class="form-title">{safeLine(title)}</span>
      ) : null}
    </>
  );
  return (
    <div class="form-head">
      {isOpen === undefined ? (
        <label class="form-label" id={partId(props, "label")} for={id}>
          {label}
        </label>
      ) : (
        <button
          type="button"
          id={id}
          class="form-toggle"
          aria-expanded={isOpen}
          aria-controls={isOpen ? partId(props, "body") : undefined}
          onClick={() => {
            if (node === undefined) return;
            form.disclosure.isOpen(node, place.depth).value = !isOpen;
          }}
        >
          <span class="form-arrow" aria-hidden="true" />
          <span id={partId(props, "label")} class="form-label">
            {label}
          </span>
        </button>
      )}
      {isRequired && props.itemCount === undefined ? (
        <span class="form-required">required</span>
      ) : null}
      <span class="form-type">
        {safeLine([fieldType(form.root, view), ...constraints].join(" · "))}
      </span>
      {isOpen === false ? <CollapsedSummary {...props} /> : null}
      {state === undefined ? null : <span class="form-state">{state}</span>}
      {props.isAdditional && props.itemCount === undefined ? <Rename {...props} /> : null}
      <FieldActions {...props} />
    </div>
  );
}

/** Absent, null and empty are displayed as different states. */
function valueState(node: FormNode | undefined): string | undefined {
  if (node === undefined) return "not sent";
  if (node.kind === "literal" && node.value === null) return "null";
  if (node.kind === "text" && node.text === "") return "empty string";
  if (node.kind === "array") return node.items.length === 0 ? "empty array" : undefined;
  if (node.kind === "object") return node.members.size === 0 ? "empty object" : undefined;
  return node.kind === "draft" ? "draft" : undefined;
}

function CollapsedSummary(props: ControlProps): JSX.Element {
  const { form, place, node } = props;
  const problems = useProblemsBelow(form, place.pointer);
  const count =
    node?.kind === "array"
      ? plural(node.items.length, "item")
      : plural(node?.kind === "object" ? node.members.size : 0, "member");
  return (
    <>
      <span class="form-count">{count}</span>
      {problems > 0 ? <span class="form-problems">{plural(problems, "problem")}</span> : null}
    </>
  );
}

function plural(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? "" : "s"}`;
}

/** The button that renames a member that the schema does not name. */
function Rename({ form, place, name }: ControlProps): JSX.Element {
  const [text, setText] = useState<string | undefined>(undefined);
  const current = String(place.path.at(-1));
  if (text === undefined) {
    return (
      <button
        type="button"
        class="form-button is-quiet"
        aria-label={`Rename ${name}`}
        onClick={() => setText(current)}
      >
        Rename
      </button>
    );
  }
  const parent = place.path.slice(0, -1);
  const around = fieldAt(form.root, form.value, parent);
  const view = viewField(form.root, around.schema, around.node);
  const problem =
    text === current ? undefined : memberNameProblem(form.root, view, around.node, text);
  const finish = (): void => {
    setText(undefined);
    if (text === current || problem !== undefined) return;
    form.edit(parent, renameMember(current, text));
    form.focusRequest.value = {
      pointer: `${parentPointer(place.pointer)}/${escape(text)}`,
      part: "control",
    };
  };
  return (
    <span class="form-rename">
      <input
        class="form-input"
        aria-label={`New name of ${name}`}
        aria-invalid={problem !== undefined}
        value={text}
        ref={focusOnce}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter") finish();
          if (event.key === "Escape") setText(undefined);
        }}
      />
      <button
        type="button"
        class="form-button"
        aria-disabled={problem !== undefined}
        onClick={finish}
      >
        Rename
      </button>
      {problem === undefined ? null : <span class="form-error">{problem}</span>}
    </span>
  );
}

function focusOnce(element: HTMLElement | null): void {
  if (element !== null && !element.matches(":focus")) element.focus();
}

function parentPointer(pointer: string): string {
  return pointer.slice(0, pointer.lastIndexOf("/"));
}

function escape(name: string): string {
  return name.replaceAll("~", "~0").replaceAll("/", "~1");
}
