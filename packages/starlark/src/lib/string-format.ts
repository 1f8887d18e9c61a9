import { fail } from "../values/error.ts";
import { chargeString } from "../values/budget.ts";
import { toRepr, toText } from "../values/format-value.ts";
import { quote } from "../values/quote.ts";
import type { NamedArguments, Value } from "../values/value.ts";

/** `text.format(…)` (specification of starlark-go, "string·format"). */
export function formatString(format: string, args: Value[], named: NamedArguments): Value {
  const findField = fieldFinder(args, named);
  const text = format.replaceAll(/\{\{|\}\}|\{([^}]*)\}|[{}]/g, (token: string, field?: string) => {
    if (field !== undefined) return formatField(field, findField);
    if (token.length === 2) return token.charAt(0);
    return fail(`format: ${token === "{" ? "unmatched '{'" : "single '}'"} in format`);
  });
  chargeString(text.length);
  return text;
}

/** `name!conversion:specification`. A name with a conversion may contain colons. */
const fieldParts = /^(?:([^!]*)!([^:]*)|([^:]*))(?::([^]*))?$/;

function formatField(field: string, findField: (name: string) => Value): string {
  const [, before, conversion = "s", plain = "", specification = ""] = fieldParts.exec(field) ?? [];
  const invalid = (): never => fail(`format: unknown conversion ${quote(conversion)}`);
  if (conversion === "") invalid();
  const value = findField(before ?? plain);
  if (specification !== "")
    fail(`format spec features not supported in replacement fields: ${specification}`);
  const text = conversion === "s" ? toText(value) : conversion === "r" ? toRepr(value) : invalid();
  chargeString(text.length);
  return text;
}

/** Finds the values of fields: in order, by a number or by a name. */
function fieldFinder(args: readonly Value[], named: NamedArguments): (name: string) => Value {
  let numbering: string | undefined;
  let next = 0;
  return (name) => {
    if (name === "" || /^\d{1,18}$/.test(name)) {
      const own = name === "" ? "automatic field numbering" : "manual field specification";
      if (numbering !== undefined && numbering !== own)
        fail(`format: cannot switch from ${numbering} to ${own}`);
      numbering = own;
      const index = name === "" ? next++ : Number(name);
      if (index >= args.length) fail("format: tuple index out of range");
      return args[index] as Value;
    }
    const found = named.find(([key]) => key === name);
    if (found !== undefined) return found[1];
    if (name.includes("."))
      fail(`format: attribute syntax x.y is not supported in replacement fields: ${name}`);
    if (name.includes("["))
      fail(`format: element syntax a[i] is not supported in replacement fields: ${name}`);
    if (name.includes("{")) fail("format: nested replacement fields not supported");
    return fail(`format: keyword ${name} not found`);
  };
}
