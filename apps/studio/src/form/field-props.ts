import type { ComponentType } from "preact";
import { useMemo } from "preact/hooks";
import { computed } from "@preact/signals";
import type { SchemaNode } from "@toolweave/core/adapter";
import type { Form } from "./form.ts";
import type { FieldView } from "./model/field-view.ts";
import type { FormNode } from "../json/node.ts";
import { fieldId, type Place } from "./place.ts";

/** The properties of a field. All are values that stay the same objects while the field does not change. */
export interface FieldProps {
  readonly form: Form;
  readonly place: Place;
  readonly schema: SchemaNode | undefined;
  /** Undefined if the value is absent. */
  readonly node: FormNode | undefined;
  readonly name: string;
  readonly isRequired: boolean;
  /** True for a member that the schema does not name: it can be renamed. */
  readonly isAdditional: boolean;
  /** The number of items of the array whose item this is. Undefined for others. */
  readonly itemCount: number | undefined;
  /** The number of the first items that cannot be moved or removed: those of a tuple. */
  readonly fixedItems: number;
}

/** The properties of a control: those of its field, and what the field has resolved. */
export interface ControlProps extends FieldProps {
  readonly view: FieldView;
  /** The `id` of the element that receives the focus. */
  readonly id: string;
  /** The `id`s of the description and of the messages, for `aria-describedby`. */
  readonly describedBy: string;
  readonly isInvalid: boolean;
  /** Renders the fields of members and items. It is passed on, since fields and their controls contain each other. */
  readonly Field: ComponentType<FieldProps>;
}

/** The messages of the problems at a field. Only a change of these renders a component again. */
export function useMessages(form: Form, pointer: string): readonly string[] {
  const texts = useMemo(
    () => computed(() => JSON.stringify(form.displayedByField.get(pointer) ?? [])),
    [form, pointer],
  );
  return JSON.parse(texts.value) as readonly string[];
}

/** The number of problems below a place. */
export function useProblemsBelow(form: Form, pointer: string): number {
  const count = useMemo(
    () =>
      computed(() => {
        const prefix = `${pointer}/`;
        let sum = 0;
        for (const [other, messages] of form.displayedByField) {
          if (other.startsWith(prefix)) sum += messages.length;
        }
        return sum;
      }),
    [form, pointer],
  );
  return count.value;
}

/** The `id` of a part of a field. */
export function partId({ form, place }: Pick<FieldProps, "form" | "place">, part: string): string {
  return fieldId(form.id, place.pointer, part);
}
