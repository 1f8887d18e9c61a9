import type { JSX } from "preact";
import { safeLine, safeText } from "../text/safe-text.ts";
import { partId, type ControlProps } from "./field-props.ts";
import { selectBranch } from "./model/edit.ts";
import { literalNode, type FormNode } from "../json/node.ts";
import type { ChoiceView } from "./model/schema-view.ts";

/** Selects the branches of `oneOf`, `anyOf` and lists of types. What was entered in another branch is restored. */
export function ChoiceControl(props: ControlProps): JSX.Element | null {
  const { view } = props;
  if (view.choices.length === 0) return null;
  return (
    <div class="form-choices">
      {view.choices.map((choice, index) => (
        <Choice key={choice.key} {...props} choice={choice} index={index} />
      ))}
    </div>
  );
}

interface ChoiceProps extends ControlProps {
  readonly choice: ChoiceView;
  readonly index: number;
}

const absent = "absent";
const nothing = "null";

function Choice(props: ChoiceProps): JSX.Element {
  const { form, place, view, node, choice, index, name, isRequired, itemCount } = props;
  const isFirst = index === 0;
  // An unselected choice is the only control of its field.
  const id = view.control === "unselected" && isFirst ? props.id : partId(props, `choice${index}`);
  const isNull = node?.kind === "literal" && node.value === null && view.isNullable;
  const canBeAbsent =
    isFirst && place.depth > 0 && itemCount === undefined && (!isRequired || node === undefined);
  const selected = isNull ? nothing : String(choice.selected ?? absent);
  const own = choice.branches.find((branch) => branch.index === choice.selected);
  return (
    <div class="form-choice">
      <label class="form-choice-label" for={id}>
        {isFirst ? "Kind" : `Kind ${index + 1}`}
        <span class="visually-hidden"> of {name}</span>
      </label>
      <select
        id={id}
        class="form-input is-select"
        value={selected}
        onChange={(event) => {
          const { value } = event.currentTarget;
          form.edit(place.path, (before) => {
            if (value === absent) return undefined;
            if (value === nothing) return literalNode(null, before);
            return selectBranch(form.root, choice, Number(value))(withoutNull(before));
          });
        }}
      >
        {canBeAbsent || selected === absent ? <option value={absent}>Not sent</option> : null}
        {choice.branches.map((branch) => (
          <option key={branch.index} value={String(branch.index)}>
            {safeLine(branch.name)}
          </option>
        ))}
        {view.isNullable && isFirst ? <option value={nothing}>null</option> : null}
      </select>
      {own?.description === undefined || own.description === view.common["description"] ? null : (
        <p class="form-help">{safeText(own.description)}</p>
      )}
    </div>
  );
}

/** The value that null replaced. */
function withoutNull(node: FormNode | undefined): FormNode | undefined {
  return node?.kind === "literal" && node.value === null ? node.previous : node;
}
