import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { partId, type ControlProps } from "./field-props.ts";
import { addMember } from "./model/edit.ts";
import { memberSchema } from "./model/count-violations.ts";
import {
  canAddMember,
  childFields,
  memberNameProblem,
  type ChildField,
} from "./model/field-view.ts";
import { initialNode } from "./model/initial-node.ts";
import { objectNode } from "../json/node.ts";
import { FormSection } from "./form-section.tsx";

/** The number of optional members from which they are collapsed together. */
const manyOptional = 8;

/** The members of an object; for an absent one, the button that adds it. */
export function ObjectField(props: ControlProps): JSX.Element {
  const { form, place, schema, view, node, name } = props;
  if (node === undefined) {
    return (
      <button
        type="button"
        class="form-button"
        id={props.id}
        aria-label={`Add ${name}`}
        aria-describedby={props.describedBy === "" ? undefined : props.describedBy}
        onClick={() => {
          const parent = place.path.slice(0, -1);
          const step = String(place.path.at(-1));
          form.edit(
            parent,
            addMember(step, () => initialNode(form.root, schema)),
          );
          form.focusRequest.value = { pointer: place.pointer, part: "control" };
        }}
      >
        Add
      </button>
    );
  }
  const children = childFields(form.root, view, node);
  const named = children.filter(({ isAdditional }) => !isAdditional);
  const optional = named.filter(({ isRequired }) => !isRequired);
  const isLong = optional.length > manyOptional && named.length > optional.length;
  const first = isLong ? named.filter(({ isRequired }) => isRequired) : named;
  return (
    <>
      {first.map((child) => member(props, child))}
      {isLong ? <OptionalMembers {...props} members={optional} /> : null}
      {children.filter(({ isAdditional }) => isAdditional).map((child) => member(props, child))}
      {canAddMember(view) ? <AddMember {...props} /> : null}
      {children.length === 0 && !canAddMember(view) ? (
        <p class="form-note">The schema has no members.</p>
      ) : null}
    </>
  );
}

function member({ form, place, Field }: ControlProps, child: ChildField): JSX.Element {
  return (
    <Field
      key={child.step}
      form={form}
      place={place.child(child.step)}
      schema={child.schema}
      node={child.node}
      name={String(child.step)}
      isRequired={child.isRequired}
      isAdditional={child.isAdditional}
      itemCount={undefined}
      fixedItems={0}
    />
  );
}

interface OptionalMembersProps extends ControlProps {
  readonly members: readonly ChildField[];
}

/** Optional members of an object that has many: open at first only if one of them has a value. */
function OptionalMembers(props: OptionalMembersProps): JSX.Element {
  const { form, node = objectNode(), members } = props;
  const sent = members.filter((child) => child.node !== undefined).length;
  const isOpen = form.disclosure.isOptionalOpen(node, sent > 0);
  return (
    <FormSection
      isOpen={isOpen}
      title={`${members.length} optional members`}
      detail={sent > 0 ? `${sent} sent` : undefined}
    >
      {() => members.map((child) => member(props, child))}
    </FormSection>
  );
}

/** Adds a member that the schema does not name. */
function AddMember(props: ControlProps): JSX.Element {
  const { form, place, view, node, name } = props;
  const [text, setText] = useState("");
  const [isTried, setTried] = useState(false);
  const problem = memberNameProblem(form.root, view, node, text);
  const hasMessage = problem !== undefined && (isTried || text !== "");
  const errorId = partId(props, "add-error");
  const add = (): void => {
    setTried(true);
    if (problem !== undefined) return;
    const schema = memberSchema(view.base, text);
    form.edit(
      place.path,
      addMember(text, () => initialNode(form.root, schema)),
    );
    form.focusRequest.value = { pointer: place.child(text).pointer, part: "control" };
    setText("");
    setTried(false);
  };
  return (
    <div class="form-add">
      <input
        class="form-input is-name"
        placeholder="Name of another member"
        aria-label={`Name of another member of ${name}`}
        aria-invalid={hasMessage}
        aria-describedby={hasMessage ? errorId : undefined}
        spellcheck={false}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          const isPlain = !event.ctrlKey && !event.metaKey && !event.isComposing;
          if (event.key === "Enter" && isPlain) add();
        }}
      />
      <button type="button" class="form-button" onClick={add}>
        Add member
      </button>
      {hasMessage ? (
        <span class="form-error" id={errorId}>
          {problem}
        </span>
      ) : null}
    </div>
  );
}
