import { text, type JsonValue, type ToolOutput } from "@toolweave/core";
import { StarlarkError, type HostValue } from "@toolweave/starlark";
import { toJsonValue } from "../builtins/to-json.ts";

/** The output of `print`, up to a length. */
export class Printed {
  readonly #maxBytes: number;
  readonly #lines: string[] = [];
  #bytes = 0;
  #omitted = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  readonly add = (line: string): void => {
    const bytes = Buffer.byteLength(line) + 1;
    if (this.#omitted > 0 || this.#bytes + bytes > this.#maxBytes) {
      this.#omitted += 1;
      return;
    }
    this.#bytes += bytes;
    this.#lines.push(line);
  };

  get text(): string {
    const note = this.#omitted === 0 ? [] : [`[${this.#omitted} more lines were printed]`];
    return [...this.#lines, ...note].join("\n");
  }
}

/**
 * The output of a script: its result, and what it has printed. The value is the result; of a script that has printed
 * something `{result, printed}`, and nothing if it has printed alone.
 *
 * @throws StarlarkError `limit_exceeded` for a result over `maxBytes`, `execution_failed` for one without a JSON form.
 */
export function toSessionOutput(
  result: HostValue,
  printed: string,
  maxBytes: number,
  details: JsonValue | undefined,
): ToolOutput {
  const isEmpty = result === undefined || result === null;
  const written =
    typeof result === "string" ? bounded(result, maxBytes) : writeJson(result, maxBytes);
  const content = [
    ...(isEmpty && printed !== "" ? [] : [text(isEmpty ? "None" : written)]),
    ...(printed === "" ? [] : [text(isEmpty ? printed : `Printed:\n${printed}`)]),
  ];
  const value = toJsonValue(result, "the result");
  return {
    content,
    ...(printed === "" ? { value } : isEmpty ? {} : { value: { result: value, printed } }),
    ...(details === undefined ? {} : { details }),
  };
}

/** JSON with ints of any size; fails as soon as it is too long, since strings that a value has often are one in memory. */
function writeJson(value: HostValue, maxBytes: number): string {
  const parts: string[] = [];
  let length = 0;
  const add = (part: string): void => {
    if ((length += part.length) > maxBytes) tooLong(maxBytes);
    parts.push(part);
  };
  const write = (item: HostValue): void => {
    if (typeof item === "string") {
      if (length + item.length > maxBytes) tooLong(maxBytes);
      add(JSON.stringify(item));
    } else if (typeof item === "bigint") add(item.toString());
    else if (Array.isArray(item) || item instanceof Set) {
      let separator = "[";
      for (const each of item as Iterable<HostValue>) {
        add(separator);
        write(each);
        separator = ",";
      }
      add(separator === "[" ? "[]" : "]");
    } else if (item instanceof Map || item instanceof Uint8Array) toJsonValue(item, "the result");
    else if (typeof item === "object" && item !== null) {
      let separator = "{";
      for (const [key, each] of Object.entries(item as Readonly<Record<string, HostValue>>)) {
        if (length + key.length > maxBytes) tooLong(maxBytes);
        add(`${separator}${JSON.stringify(key)}:`);
        write(each);
        separator = ",";
      }
      add(separator === "{" ? "{}" : "}");
    } else add(JSON.stringify(item ?? null));
  };
  write(value);
  return bounded(parts.join(""), maxBytes);
}

function bounded(written: string, maxBytes: number): string {
  return written.length > maxBytes || Buffer.byteLength(written) > maxBytes
    ? tooLong(maxBytes)
    : written;
}

function tooLong(maxBytes: number): never {
  throw new StarlarkError(
    "limit_exceeded",
    `the result is longer than ${maxBytes} bytes: return less, such as counts, or the fields that are needed`,
  );
}
