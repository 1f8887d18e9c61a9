import type { ComponentChildren, FunctionComponent, JSX } from "preact";
import { ArrayField } from "./array-field.tsx";
import { ChoiceControl } from "./choice-control.tsx";
import { FieldHead } from "./field-head.tsx";
import { FieldOffers } from "./field-offers.tsx";
import { partId, useMessages, type ControlProps, type FieldProps } from "./field-props.ts";
import { JsonControl } from "./json-control.tsx";
import { memo } from "./memo.ts";
import { unsetNull } from "./model/edit.ts";
import { initialNode } from "./model/initial-node.ts";
import { viewField, type FieldView } from "./model/field-view.ts";
import { NumberControl } from "./number-control.tsx";
import { ObjectField } from "./object-field.tsx";
import { OptionsControl } from "./options-control.tsx";
import { TextControl } from "./text-control.tsx";
import { safeLine, safeText } from "../text/safe-text.ts";

/** A field of the form: its label, state, description, control, messages and what its schema offers. */
export const Field: FunctionComponent<FieldProps> = memo(function Field(
  props: FieldProps,
): JSX.Element {
  const { form, place, schema, node } = props;
  const view = viewField(form.root, schema, node);
  const messages = useMessages(form, place.pointer);
  const { description } = view.common;
  const isGroup = view.control === "object" || view.control === "array";
  const parts = [
    ...(typeof description === "string" ? [partId(props, "help")] : []),
    ...(messages.length > 0 ? [partId(props, "error")] : []),
  ];
  const control: ControlProps = {
    ...props,
    name: safeLine(props.name),
    view,
    id: partId(props, "control"),
    describedBy: parts.join(" "),
    isInvalid: messages.length > 0,
    Field,
  };
  if (isGroup && node !== undefined) {
    return (
      <GroupFrame control={control} messages={messages} isRoot={place.depth === 0}>
        {view.control === "object" ? <ObjectField {...control} /> : <ArrayField {...control} />}
      </GroupFrame>
    );
  }
  return (
    <div class={fieldClass(messages, node === undefined)}>
      {place.depth === 0 && view.control === "json" ? null : <FieldHead {...control} />}
      <Help control={control} />
      <ChoiceControl {...control} />
      <Control {...control} />
      <Messages control={control} messages={messages} />
      <FieldOffers {...control} />
    </div>
  );
});

function fieldClass(messages: readonly string[], isAbsent: boolean): string {
  const state = messages.length > 0 ? " has-problem" : "";
  return `form-field${state}${isAbsent ? " is-absent" : ""}`;
}

interface GroupFrameProps {
  readonly control: ControlProps;
  readonly messages: readonly string[];
  readonly isRoot: boolean;
  readonly children: ComponentChildren;
}

function GroupFrame({ control, messages, isRoot, children }: GroupFrameProps): JSX.Element {
  const { form, place, node } = control;
  const isOpen = isRoot || (node !== undefined && form.disclosure.isOpen(node, place.depth).value);
  return (
    <div
      class={`form-group${isRoot ? " is-root" : ""}${messages.length > 0 ? " has-problem" : ""}`}
      role="group"
      aria-labelledby={isRoot ? undefined : partId(control, "label")}
      aria-describedby={control.describedBy === "" ? undefined : control.describedBy}
    >
      {isRoot ? null : <FieldHead {...control} isOpen={isOpen} />}
      <Help control={control} />
      <Messages control={control} messages={messages} />
      {isOpen ? (
        <div class="form-group-body" id={partId(control, "body")}>
          <ChoiceControl {...control} />
          {children}
          <FieldOffers {...control} />
        </div>
      ) : null}
    </div>
  );
}

function Help({ control }: { readonly control: ControlProps }): JSX.Element | null {
  const { description } = control.view.common;
  if (typeof description !== "string" || description === "") return null;
  return (
    <p class="form-help" id={partId(control, "help")}>
      {safeText(description)}
    </p>
  );
}

interface MessagesProps {
  readonly control: ControlProps;
  readonly messages: readonly string[];
}

function Messages({ control, messages }: MessagesProps): JSX.Element | null {
  if (messages.length === 0) return null;
  return (
    <div class="form-error" id={partId(control, "error")}>
      {messages.map((message) => (
        <p key={message}>{safeText(message)}</p>
      ))}
    </div>
  );
}

/** The control of a value that is not an object or array, or that is absent. */
function Control(props: ControlProps): JSX.Element | null {
  switch (controlKind(props.view)) {
    case "text":
      return <TextControl {...props} />;
    case "number":
      return <NumberControl {...props} />;
    case "options":
      return <OptionsControl {...props} />;
    case "json":
      return <JsonControl {...props} />;
    case "object":
      return <ObjectField {...props} />;
    case "array":
      return <ArrayField {...props} />;
    case "null":
      return <NullControl {...props} />;
    default:
      return null;
  }
}

function controlKind({ kind, control }: FieldView): string {
  if (control === "enum" || control === "boolean" || control === "const") return "options";
  // Null is one of the options of these, and the only one where a value can be nothing else.
  if (control === "null" && (kind === "enum" || kind === "boolean" || kind === "null")) {
    return "options";
  }
  return control;
}

/** The button that replaces null by a value. */
function NullControl(props: ControlProps): JSX.Element | null {
  const { form, place, schema, view, name } = props;
  // The choice of the kind of value has null among its options.
  if (view.choices.length > 0) return null;
  return (
    <button
      type="button"
      class="form-button"
      id={props.id}
      aria-label={`Enter a value for ${name}`}
      aria-describedby={props.describedBy === "" ? undefined : props.describedBy}
      onClick={() => {
        form.edit(
          place.path,
          unsetNull(() => initialNode(form.root, schema)),
        );
        form.focusRequest.value = { pointer: place.pointer, part: "control" };
      }}
    >
      Enter a value
    </button>
  );
}
