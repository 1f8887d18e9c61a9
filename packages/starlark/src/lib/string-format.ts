import { fail } from "../values/error.ts";
import { chargeString } from "../values/budget.ts";
import { toRepr, toText } from "../values/format-value.ts";
import { quote } from "../values/quote.ts";
import type { NamedArguments, Value } from "../values/value.ts";

/** `text.format(…)` (specification of starlark-go, "string·format"). */
export function formatString(format: string, args: Value[], named: NamedArguments): Value {
  const state: FieldNumbering = { automatic: false, manual: false, next: 0 };
  const parts: string[] = [];
  const push = (text: string): void => {
    chargeString(text.length);
    parts.push(text);
  };
  let index = 0;
  while (index < format.length) {
    const open = format.indexOf("{", index);
    const end = open === -1 ? format.length : open;
    push(unescapeClosing(format.slice(index, end)));
    if (open === -1) break;
    if (format[open + 1] === "{") {
      push("{");
      index = open + 2;
      continue;
    }
    const close = format.indexOf("}", open);
    if (close === -1) fail("format: unmatched '{' in format");
    push(formatField(format.slice(open + 1, close), args, named, state));
    index = close + 1;
  }
  const text = parts.join("");
  chargeString(text.length);
  return text;
}

/** `name!conversion:specification`. A name with a conversion may contain colons. */
const fieldParts = /^(?:([^!]*)!([^:]*)|([^:]*))(?::([^]*))?$/;

interface FieldNumbering {
  automatic: boolean;
  manual: boolean;
  next: number;
}

/** Text between fields: `}}` is a brace, a single one is an error. */
function unescapeClosing(text: string): string {
  if (!text.includes("}")) return text;
  if (/(?<!\})(?:\}\})*\}(?!\})/.test(text)) fail("format: single '}' in format");
  return text.replaceAll("}}", "}");
}

function formatField(
  field: string,
  args: readonly Value[],
  named: NamedArguments,
  state: FieldNumbering,
): string {
  const [, before, conversion = "s", plain = "", specification = ""] = fieldParts.exec(field) ?? [];
  const name = before ?? plain;
  if (conversion === "") fail(`format: unknown conversion ${quote(conversion)}`);
  const value = findField(name, args, named, state);
  if (specification !== "")
    fail(`format spec features not supported in replacement fields: ${specification}`);
  if (conversion === "s") return toText(value);
  return conversion === "r"
    ? toRepr(value)
    : fail(`format: unknown conversion ${quote(conversion)}`);
}

function findField(
  name: string,
  args: readonly Value[],
  named: NamedArguments,
  state: FieldNumbering,
): Value {
  if (name === "") {
    if (state.manual) {
      fail("format: cannot switch from manual field specification to automatic field numbering");
    }
    state.automatic = true;
    return args[state.next++] ?? absent(args, state.next - 1);
  }
  if (/^\d{1,18}$/.test(name)) {
    if (state.automatic) {
      fail("format: cannot switch from automatic field numbering to manual field specification");
    }
    state.manual = true;
    return args[Number(name)] ?? absent(args, Number(name));
  }
  const found = named.find(([key]) => key === name);
  if (found !== undefined) return found[1];
  if (name.includes(".")) {
    fail(`format: attribute syntax x.y is not supported in replacement fields: ${name}`);
  }
  if (name.includes("[")) {
    fail(`format: element syntax a[i] is not supported in replacement fields: ${name}`);
  }
  if (name.includes("{")) fail("format: nested replacement fields not supported");
  return fail(`format: keyword ${name} not found`);
}

/** `None`, if that is the argument; else the error of a missing one. */
function absent(args: readonly Value[], index: number): Value {
  return index < args.length ? null : fail("format: tuple index out of range");
}
