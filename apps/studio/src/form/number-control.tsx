import type { JSX } from "preact";
import type { ControlProps } from "./field-props.ts";
import { isSecret } from "./model/public-json.ts";
import { toNumberNode } from "../json/node.ts";

/** A number as text: a number field of the browser would round and rewrite it. */
export function NumberControl(props: ControlProps): JSX.Element {
  const { form, place, node, view, isInvalid, itemCount } = props;
  const isInteger = [view.base["type"]].flat().includes("integer");
  return (
    <input
      class={`form-input is-number${isSecret(form.root, view.schema) ? " is-secret" : ""}`}
      id={props.id}
      inputMode={isInteger ? "numeric" : "decimal"}
      autocomplete="off"
      spellcheck={false}
      aria-invalid={isInvalid}
      aria-required={props.isRequired}
      aria-describedby={props.describedBy === "" ? undefined : props.describedBy}
      value={node?.kind === "number" || node?.kind === "draft" ? node.text : ""}
      onInput={(event) => {
        const text = event.currentTarget.value;
        form.edit(place.path, (before) =>
          text === "" && itemCount === undefined ? undefined : toNumberNode(text, before),
        );
      }}
    />
  );
}
