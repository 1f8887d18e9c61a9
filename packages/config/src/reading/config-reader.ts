import { ToolError, type JsonObject, type JsonValue } from "@toolweave/core";
import { childPointer } from "@toolweave/core/adapter";
import type { ConfigText } from "./config-text.ts";
import { resolveReferences, type Referable } from "./references.ts";

/** A text that names environment variables, and where it stands. */
export interface TakenValue {
  readonly pointer: string;
  readonly name: string;
  readonly value: string;
}

const maxFaults = 12;

/** Reads a configuration part by part, and gathers what is wrong and what to know. */
export class ConfigReader {
  /** The ignored parts, each with its place. */
  readonly warnings: string[] = [];
  /** Values that came from the environment. */
  readonly taken: TakenValue[] = [];
  readonly #text: ConfigText;
  readonly #given: Referable;
  readonly #faults: string[] = [];

  constructor(text: ConfigText, given: Referable) {
    this.#text = text;
    this.#given = given;
  }

  /** How much is wrong so far. */
  get faults(): number {
    return this.#faults.length;
  }

  /** Reports a fault; reading continues, so that all faults are reported at once. */
  fault(pointer: string, message: string): void {
    this.#faults.push(this.#line(pointer, message));
  }

  warn(pointer: string, message: string): void {
    this.warnings.push(this.#line(pointer, message));
  }

  /** A part with the values of all references in its texts; keys stay as they are. */
  resolved<T extends JsonValue>(value: T, pointer: string): T {
    return this.#resolved(value, pointer) as T;
  }

  /** @throws ToolError `invalid_configuration` with everything that was wrong so far. */
  refuse(cause?: unknown): void {
    const [first, ...others] = this.#faults.slice(0, maxFaults);
    if (first === undefined) return;
    const left = this.#faults.length - maxFaults;
    const more = left > 0 ? [`… and ${left} more.`] : [];
    // The cause has not been searched for the values.
    const options = this.taken.length === 0 ? { cause } : {};
    throw new ToolError("invalid_configuration", [first, ...others, ...more].join("\n"), options);
  }

  #line(pointer: string, message: string): string {
    const said = this.taken.reduce(withName, message);
    return `${this.#text.at(pointer)}: ${said}${/[.?!]$/.test(said) ? "" : "."}`;
  }

  #resolved(value: JsonValue, pointer: string): JsonValue {
    if (typeof value === "string") {
      const { text, taken, faults } = resolveReferences(value, this.#given);
      for (const fault of faults) this.fault(pointer, fault);
      this.taken.push(...taken.map((one) => ({ ...one, pointer })));
      return text;
    }
    if (Array.isArray(value)) {
      return value.map((item, index) => this.#resolved(item as JsonValue, `${pointer}/${index}`));
    }
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(
      Object.entries(value as JsonObject).map(([key, member]) => [
        key,
        this.#resolved(member as JsonValue, childPointer(pointer, key)),
      ]),
    );
  }
}

/** Shorter values also occur in unrelated texts. */
const minHiddenLength = 4;

/** The name in place of the value: it may be secret. */
function withName(message: string, { name, value }: TakenValue): string {
  return value.length < minHiddenLength ? message : message.replaceAll(value, () => `\${${name}}`);
}
