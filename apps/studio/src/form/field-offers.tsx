import type { JSX } from "preact";
import type { JsonValue } from "@toolweave/core";
import { formatValue } from "@toolweave/core/adapter";
import { safeLine } from "../text/safe-text.ts";
import type { ControlProps } from "./field-props.ts";
import { offeredValues } from "./model/describe-field.ts";
import { isSameJson } from "../json/node.ts";
import { fromValue } from "../json/write-json.ts";

const maxLabel = 40;

/** Buttons that insert the default and the examples of a schema. */
export function FieldOffers({ form, place, view, node, name }: ControlProps): JSX.Element | null {
  const offers = offeredValues(view.base).filter(
    ({ value }) => node === undefined || !isSameJson(fromValue(value), node),
  );
  if (offers.length === 0 || place.depth === 0) return null;
  return (
    <div class="form-offers">
      {offers.map(({ value, source }) => (
        <button
          key={`${source} ${JSON.stringify(value)}`}
          type="button"
          class="form-offer"
          aria-label={`${source} ${shortText(value)} for ${name}`}
          onClick={() => {
            form.edit(place.path, () => fromValue(value));
            form.focusRequest.value = { pointer: place.pointer, part: "control" };
          }}
        >
          {source} <code>{shortText(value)}</code>
        </button>
      ))}
    </div>
  );
}

function shortText(value: JsonValue): string {
  const text = safeLine(formatValue(value));
  return text.length > maxLabel ? `${text.slice(0, maxLabel)}…` : text;
}
