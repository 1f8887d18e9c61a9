import type { JSX } from "preact";
import { partId, type ControlProps } from "./field-props.ts";
import { moveItem, setNull } from "./model/edit.ts";
import { textNode } from "../json/node.ts";

/** The buttons of a field: for null, for an empty value, to move and to remove. */
export function FieldActions(props: ControlProps): JSX.Element | null {
  const { form, place, view, node, name } = props;
  if (place.depth === 0) return null;
  const isNull = node?.kind === "literal" && node.value === null;
  // Lists of values have null and absence among their options.
  const hasOptions = view.kind === "enum" || view.kind === "boolean" || view.choices.length > 0;
  const isItem = props.itemCount !== undefined;
  const edit = (change: Parameters<typeof form.edit>[1]): void => {
    form.edit(place.path, change);
    focusControl(props);
  };
  return (
    <span class="form-actions">
      {view.isNullable && !hasOptions && !isNull ? (
        <button
          type="button"
          class="form-button is-quiet"
          aria-label={`Set ${name} to null`}
          onClick={() => edit(setNull())}
        >
          null
        </button>
      ) : null}
      {node === undefined && view.kind === "text" ? (
        <button
          type="button"
          class="form-button is-quiet"
          aria-label={`Send ${name} as an empty string`}
          onClick={() => edit(() => textNode(""))}
        >
          empty
        </button>
      ) : null}
      {isItem ? <MoveButtons {...props} /> : null}
      {node !== undefined && (!isItem || Number(place.path.at(-1)) >= props.fixedItems) ? (
        <RemoveButton {...props} />
      ) : null}
    </span>
  );
}

function focusControl({ form, place }: ControlProps): void {
  form.focusRequest.value = { pointer: place.pointer, part: "control" };
}

function RemoveButton({ form, place, name, itemCount }: ControlProps): JSX.Element {
  const remove = (): void => {
    form.edit(place.path, () => undefined);
    if (itemCount === undefined) {
      form.focusRequest.value = { pointer: place.pointer, part: "control" };
      form.announcement.value = `${name} is not sent.`;
      return;
    }
    const parent = place.pointer.slice(0, place.pointer.lastIndexOf("/"));
    const next = Math.min(Number(place.path.at(-1)), itemCount - 2);
    form.focusRequest.value =
      next < 0
        ? { pointer: parent, part: "add" }
        : { pointer: `${parent}/${next}`, part: "control" };
    form.announcement.value = `${name} is removed. ${itemCount - 1} items.`;
  };
  return (
    <button
      type="button"
      class="form-button is-quiet"
      aria-label={`Remove ${name}`}
      onClick={remove}
    >
      Remove
    </button>
  );
}

function MoveButtons(props: ControlProps): JSX.Element {
  const { form, place, itemCount = 0, fixedItems } = props;
  const index = Number(place.path.at(-1));
  const parent = place.path.slice(0, -1);
  const parentPointer = place.pointer.slice(0, place.pointer.lastIndexOf("/"));
  const move = (by: -1 | 1): void => {
    const to = index + by;
    if (to < fixedItems || to >= itemCount || index < fixedItems) return;
    form.edit(parent, moveItem(index, by));
    form.focusRequest.value = { pointer: `${parentPointer}/${to}`, part: by < 0 ? "up" : "down" };
    form.announcement.value = `Moved to position ${to + 1} of ${itemCount}.`;
  };
  const button = (by: -1 | 1, part: "up" | "down"): JSX.Element => (
    <button
      type="button"
      class="form-button is-quiet is-icon"
      id={partId(props, part)}
      aria-label={`Move item ${index + 1} ${part}`}
      // It is not disabled, since it would lose the focus at the first and last position.
      aria-disabled={index + by < fixedItems || index + by >= itemCount}
      onClick={() => move(by)}
    >
      <span aria-hidden="true">{by < 0 ? "↑" : "↓"}</span>
    </button>
  );
  if (index < fixedItems) return <></>;
  return (
    <>
      {button(-1, "up")}
      {button(1, "down")}
    </>
  );
}
