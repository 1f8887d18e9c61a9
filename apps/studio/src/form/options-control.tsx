import type { JSX } from "preact";
import { safeLine, safeText } from "../text/safe-text.ts";
import { Combobox } from "./combobox.tsx";
import { partId, type ControlProps } from "./field-props.ts";
import { isSameJson, draftNode, literalNode, type FormNode } from "../json/node.ts";
import type { FieldOption } from "./model/schema-kinds.ts";
import { fromValue, jsonText } from "../json/write-json.ts";

/** The number of options from which they are filtered by typing. */
const manyOptions = 20;

const booleans: readonly FieldOption[] = [
  { value: true, label: "true" },
  { value: false, label: "false" },
];

/** A value of a list: `enum`, constants, `true` and `false`, and null. */
export function OptionsControl(props: ControlProps): JSX.Element {
  const { form, place, view, node, isRequired, itemCount } = props;
  const options = optionsFor(props);
  const selected = options.findIndex(
    ({ value }) => node !== undefined && isSameJson(fromValue(value), node),
  );
  const canBeAbsent = itemCount === undefined && (!isRequired || node === undefined);
  const select = (index: number | undefined): void => {
    const option = index === undefined ? undefined : options[index];
    form.edit(place.path, () => (option === undefined ? undefined : nodeFor(option, node)));
  };
  const { description } = options[selected] ?? {};
  const shared = {
    id: props.id,
    "aria-invalid": props.isInvalid,
    "aria-required": props.isRequired,
    "aria-describedby": props.describedBy === "" ? undefined : props.describedBy,
  } as const;
  if (view.kind === "enum" && options.length > manyOptions) {
    const draft = node?.kind === "draft" ? node.text : undefined;
    return (
      <Combobox
        {...shared}
        labelledBy={partId(props, "label")}
        options={options}
        selected={selected === -1 ? undefined : selected}
        text={draft ?? options[selected]?.label ?? ""}
        onSelect={select}
        onText={(text) =>
          form.edit(place.path, (before) =>
            text === "" && canBeAbsent
              ? undefined
              : draftNode(text, "option", optionMessage(text), before),
          )
        }
      />
    );
  }
  return (
    <div class="form-row">
      <select
        {...shared}
        class="form-input is-select"
        value={String(selected)}
        onChange={(event) => {
          const index = Number(event.currentTarget.value);
          select(index === -1 ? undefined : index);
        }}
      >
        {canBeAbsent || selected === -1 ? (
          <option value="-1" disabled={!canBeAbsent}>
            {canBeAbsent ? "Not sent" : "Select a value"}
          </option>
        ) : null}
        {options.map(({ label }, index) => (
          <option key={index} value={String(index)}>
            {safeLine(label)}
          </option>
        ))}
      </select>
      {description === undefined ? null : <span class="form-note">{safeText(description)}</span>}
    </div>
  );
}

function optionsFor({ view, node }: ControlProps): readonly FieldOption[] {
  const nothing: FieldOption = { value: null, label: "null" };
  switch (view.kind) {
    case "enum":
      return view.isNullable ? [...view.options, nothing] : view.options;
    case "boolean":
      return view.isNullable ? [...booleans, nothing] : booleans;
    case "const": {
      const value = view.base["const"] ?? null;
      return [{ value, label: jsonText(fromValue(value)) }];
    }
    default:
      return node?.kind === "literal" || view.kind === "null" ? [nothing] : [];
  }
}

function nodeFor({ value }: FieldOption, before: FormNode | undefined): FormNode {
  return value === null ? literalNode(null, before) : fromValue(value);
}

function optionMessage(text: string): string {
  return text === "" ? "Select a value." : `${JSON.stringify(text)} is not one of the values.`;
}
