import type { ToolDetails } from "@toolweave/console";
import { Form } from "../form/form.ts";
import { queryValue } from "../navigation/location.ts";

/** The forms of the tools that a person has opened: a draft is not lost as long as the page is open. */
const forms = new Map<string, Form>();

/** The form of a tool: with what the person has typed, the arguments in the address, or empty. */
export function getForm({ spec, argumentsSchema, specHash }: ToolDetails): Form {
  const key = `${spec.name} ${specHash}`;
  const existing = forms.get(key);
  if (existing !== undefined) return existing;
  const text = queryValue("arguments");
  const form = new Form({ schema: argumentsSchema, ...(text === "" ? {} : { text }) });
  forms.set(key, form);
  return form;
}
