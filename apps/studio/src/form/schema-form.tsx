import type { JSX } from "preact";
import { useEffect, useMemo } from "preact/hooks";
import { effect, useSignal } from "@preact/signals";
import "./form.css";
import { safeLine, safeText } from "../text/safe-text.ts";
import { isCodeEditorUsed } from "./code-editor-choice.ts";
import { ErrorSummary } from "./error-summary.tsx";
import { Field } from "./field.tsx";
import type { Form } from "./form.ts";
import { JsonControl } from "./json-control.tsx";
import { viewField } from "./model/field-view.ts";
import { fieldId, Place, pointerFromId } from "./place.ts";

/** A parameter that the host supplies: the caller does not send it. */
export interface SuppliedParameter {
  readonly name: string;
  readonly description?: string;
}

export interface SchemaFormProps {
  /**
   * The state of the form: `new Form({ schema, text?, onChange? })`. Keep it as long as a draft must not be lost, such as
   * over a change of tabs or routes. Read `form.json` to send, `form.publicJson` for the address, and call
   * `form.setProblems` with the problems of a check and `form.reportProblems()` on sending.
   */
  readonly form: Form;
  /** The accessible name, such as `Arguments of create_issue`. */
  readonly label: string;
  /** Parameters that are listed as supplied by the host. Default: none. */
  readonly injected?: readonly SuppliedParameter[];
}

/** A form for a JSON value: as fields made from its schema, or as JSON text. */
export function SchemaForm({ form, label, injected = [] }: SchemaFormProps): JSX.Element {
  const isJson = useSignal(false);
  const root = useMemo(() => new Place(), [form]);
  useFocusRequests(form, () => (isJson.value = false));
  const node = form.value;
  return (
    <section
      class="schema-form"
      aria-label={label}
      onFocusOut={({ target }) => {
        // The buttons of objects and lists are passed on the way to their members.
        if (!(target instanceof HTMLElement) || target instanceof HTMLButtonElement) return;
        const pointer = pointerFromId(form.id, target.id);
        if (pointer !== undefined) form.leave(pointer);
      }}
    >
      <div class="form-views" role="group" aria-label="View">
        <ViewButton isPressed={!isJson.value} onClick={() => (isJson.value = false)}>
          Form
        </ViewButton>
        <ViewButton isPressed={isJson.value} onClick={() => (isJson.value = true)}>
          JSON
        </ViewButton>
        {isJson.value ? (
          <label class="form-editor-choice">
            <input
              type="checkbox"
              checked={isCodeEditorUsed.value}
              onChange={(event) => (isCodeEditorUsed.value = event.currentTarget.checked)}
            />
            Code editor
          </label>
        ) : null}
      </div>
      <ErrorSummary form={form} />
      {isJson.value ? (
        <JsonView form={form} place={root} label={label} />
      ) : (
        <Field
          form={form}
          place={root}
          schema={form.schema}
          node={node}
          name={label}
          isRequired
          isAdditional={false}
          itemCount={undefined}
          fixedItems={0}
        />
      )}
      {injected.length > 0 ? <Supplied parameters={injected} /> : null}
      <div class="visually-hidden" aria-live="polite">
        {form.announcement}
      </div>
    </section>
  );
}

interface ViewButtonProps {
  readonly isPressed: boolean;
  readonly onClick: () => void;
  readonly children: string;
}

function ViewButton({ isPressed, onClick, children }: ViewButtonProps): JSX.Element {
  return (
    <button type="button" class="form-view" aria-pressed={isPressed} onClick={onClick}>
      {children}
    </button>
  );
}

interface JsonViewProps {
  readonly form: Form;
  readonly place: Place;
  readonly label: string;
}

/** The whole value as JSON text. */
function JsonView({ form, place, label }: JsonViewProps): JSX.Element {
  const view = viewField(form.root, form.schema, form.value);
  const messages = form.displayedProblems;
  const errorId = fieldId(form.id, "", "error");
  return (
    <div class={`form-field${messages.length > 0 ? " has-problem" : ""}`}>
      <JsonControl
        form={form}
        place={place}
        schema={form.schema}
        node={form.value}
        name={label}
        isRequired
        isAdditional={false}
        itemCount={undefined}
        fixedItems={0}
        view={{ ...view, isMismatch: false }}
        id={fieldId(form.id, "", "control")}
        describedBy={messages.length > 0 ? errorId : ""}
        isInvalid={messages.length > 0}
        Field={Field}
      />
      {messages.length > 0 ? (
        <div class="form-error" id={errorId}>
          {messages.map(({ pointer, message }) => (
            <p key={`${pointer} ${message}`}>
              {pointer === "" ? "" : `${safeLine(pointer)}: `}
              {safeText(message)}
            </p>
          ))}
        </div>
      ) : null}
    </div>
  );
}

interface SuppliedProps {
  readonly parameters: readonly SuppliedParameter[];
}

function Supplied({ parameters }: SuppliedProps): JSX.Element {
  return (
    <div class="form-supplied">
      <p class="form-heading">Supplied by the host</p>
      <ul>
        {parameters.map(({ name, description }) => (
          <li key={name}>
            <code>{safeLine(name)}</code>
            {description === undefined ? null : (
              <span class="form-help"> {safeText(description)}</span>
            )}
          </li>
        ))}
      </ul>
    </div>
  );
}

/** Frames in which the element of a request may appear: what is collapsed around it is rendered first. */
const maxFrames = 10;

/** Moves the focus to the part that the form requests, as soon as it is on the page. */
function useFocusRequests(form: Form, showForm: () => void): void {
  useEffect(
    () =>
      effect(() => {
        const request = form.focusRequest.value;
        if (request === undefined) return;
        if (request.pointer !== "") showForm();
        const id = fieldId(form.id, request.pointer, request.part);
        const attempt = (frames: number): void => {
          const element = document.getElementById(id);
          if (element !== null) {
            element.focus();
            form.focusRequest.value = undefined;
          } else if (frames < maxFrames) requestAnimationFrame(() => attempt(frames + 1));
        };
        requestAnimationFrame(() => attempt(0));
      }),
    [form],
  );
}
