import type { JSX } from "preact";
import type { Signal } from "@preact/signals";
import { groupSize } from "./disclosure.ts";
import { partId, type ControlProps } from "./field-props.ts";
import { addItem, addMember } from "./model/edit.ts";
import {
  canAddItem,
  childFields,
  itemSchema,
  prefixSchemas,
  type ChildField,
} from "./model/field-view.ts";
import { initialNode } from "./model/initial-node.ts";
import { arrayNode } from "../json/node.ts";
import { schemaParts } from "./model/schema-parts.ts";
import { FormSection } from "./form-section.tsx";

/** The items of an array; for an absent one, the buttons that add it. */
export function ArrayField(props: ControlProps): JSX.Element {
  const { form, place, view, node, name } = props;
  const items = node?.kind === "array" ? node.items : [];
  const addAnother = (): void => {
    const schema = itemSchema(view, items.length);
    if (node === undefined) create(props);
    form.edit(
      place.path,
      addItem(() => initialNode(form.root, schema)),
    );
    form.reveal(`${place.pointer}/${items.length}`);
  };
  const children = childFields(form.root, view, node);
  const fixedItems = Math.min(prefixSchemas(view).length, children.length);
  const nextTitle = nextItemTitle(props, items.length);
  return (
    <>
      {children.length <= groupSize
        ? children.map((child) => item(props, child, children.length, fixedItems))
        : groups(children).map((group, index) => (
            <ItemGroup
              key={index}
              isOpen={form.disclosure.isGroupOpen(node ?? arrayNode(), index)}
              first={index * groupSize}
              count={group.length}
            >
              {() => group.map((child) => item(props, child, children.length, fixedItems))}
            </ItemGroup>
          ))}
      <div class="form-add">
        {canAddItem(view, node) ? (
          <button
            type="button"
            class="form-button"
            id={node === undefined ? props.id : partId(props, "add")}
            aria-label={`Add item${nextTitle === undefined ? "" : `: ${nextTitle}`} to ${name}`}
            onClick={addAnother}
          >
            Add item{nextTitle === undefined ? "" : `: ${nextTitle}`}
          </button>
        ) : null}
        {node === undefined ? (
          <button
            type="button"
            class="form-button is-quiet"
            aria-label={`Send ${name} as an empty array`}
            onClick={() => {
              create(props);
              form.focusRequest.value = { pointer: place.pointer, part: "control" };
            }}
          >
            empty
          </button>
        ) : null}
      </div>
    </>
  );
}

function create({ form, place, schema }: ControlProps): void {
  form.edit(
    place.path.slice(0, -1),
    addMember(String(place.path.at(-1)), () => initialNode(form.root, schema)),
  );
}

/** The title of the next item of a tuple. */
function nextItemTitle({ form, view }: ControlProps, index: number): string | undefined {
  if (index >= prefixSchemas(view).length) return undefined;
  const { title } = schemaParts(form.root, itemSchema(view, index)).base;
  return typeof title === "string" ? title : undefined;
}

function groups(children: readonly ChildField[]): readonly (readonly ChildField[])[] {
  const found: (readonly ChildField[])[] = [];
  for (let at = 0; at < children.length; at += groupSize) {
    found.push(children.slice(at, at + groupSize));
  }
  return found;
}

function item(
  { form, place, Field }: ControlProps,
  child: ChildField,
  itemCount: number,
  fixedItems: number,
): JSX.Element {
  return (
    <Field
      key={child.node?.id ?? child.step}
      form={form}
      place={place.child(child.step)}
      schema={child.schema}
      node={child.node}
      name={`Item ${Number(child.step) + 1}`}
      isRequired
      isAdditional={child.isAdditional}
      itemCount={itemCount}
      fixedItems={fixedItems}
    />
  );
}

interface ItemGroupProps {
  readonly isOpen: Signal<boolean>;
  readonly first: number;
  readonly count: number;
  readonly children: () => JSX.Element[];
}

/** Some items of a long array. */
function ItemGroup({ isOpen, first, count, children }: ItemGroupProps): JSX.Element {
  return (
    <FormSection
      class="form-items"
      isOpen={isOpen}
      title={`Items ${first + 1} to ${first + count}`}
    >
      {children}
    </FormSection>
  );
}
