import { ToolError, type JsonObject, type JsonValue } from "@toolweave/core";
import { childPointer } from "@toolweave/core/adapter";
import type { ConfigText } from "./config-text.ts";
import { resolveReferences, type Referable, type Resolved } from "./references.ts";

/** A text that names environment variables, and where it stands. */
export interface TakenValue {
  readonly pointer: string;
  readonly name: string;
  readonly value: string;
}

/** A source that is left out because it refers to variables that are not set, or is written wrongly. */
export interface IncompleteSource {
  readonly name: string;
  /** One line for each reference, with its place and the remedy. */
  readonly problems: string[];
}

const maxFaults = 12;

/** Variables in `env` of a program, which `envFile` can set as well. */
const programVariable = /^\/(?:mcpServers|servers|mcp)\/[^/]*\/env\//;

/** A server in a block of other hosts. */
const foreignServer = /^\/(?:mcpServers|servers)\/([^/]+)/;

/** Reads a configuration part by part, and gathers what is wrong and what to know. */
export class ConfigReader {
  /** The ignored parts, each with its place. */
  readonly warnings: string[] = [];
  /** Values that came from the environment. */
  readonly taken: TakenValue[] = [];
  readonly #text: ConfigText;
  readonly #given: Referable;
  readonly #faults: string[] = [];
  readonly #incomplete = new Map<string, IncompleteSource>();
  #source: { readonly pointer: string; readonly name: string } | undefined;

  constructor(text: ConfigText, given: Referable) {
    this.#text = text;
    this.#given = given;
  }

  /** The file of another host: see `ConfigText`. */
  get isOfOtherHost(): boolean {
    return this.#text.isOfOtherHost;
  }

  /** How much is wrong so far. */
  get faults(): number {
    return this.#faults.length;
  }

  /** The sources that are left out, by the pointer of the source. */
  get incomplete(): ReadonlyMap<string, IncompleteSource> {
    return this.#incomplete;
  }

  /**
   * Reads a part of a source. A reference to a variable that is not set makes the source incomplete; elsewhere it is a
   * fault of the file.
   */
  inSource<T>(pointer: string, name: string, read: () => T): T {
    const outer = this.#source;
    this.#source = { pointer, name };
    try {
      return read();
    } finally {
      this.#source = outer;
    }
  }

  /**
   * Reports a fault; reading continues, so that all faults are reported at once. A fault of a server in the file of
   * another host leaves that server out.
   */
  fault(pointer: string, message: string): void {
    const [server, name] = this.isOfOtherHost ? (foreignServer.exec(pointer) ?? []) : [];
    if (server === undefined || name === undefined) return this.faultOfFile(pointer, message);
    this.#addProblem(
      server,
      name.replaceAll("~1", "/").replaceAll("~0", "~"),
      this.#line(pointer, message),
    );
  }

  /** Reports a fault for which the file is refused. */
  faultOfFile(pointer: string, message: string): void {
    this.#faults.push(this.#line(pointer, message));
  }

  warn(pointer: string, message: string): void {
    this.warnings.push(this.#line(pointer, message));
  }

  /** A part with the values of all references in its texts; keys stay as they are. */
  resolved<T extends JsonValue>(value: T, pointer: string): T {
    return this.#resolved(value, pointer) as T;
  }

  /** A text with the values of its references, or as it is written if a variable is not set. */
  resolvedIfSet(text: string, pointer: string): string {
    const { unset } = resolveReferences(text, this.#given);
    return unset.length > 0 ? text : this.resolved(text, pointer);
  }

  /** A text with the values of its references, which `resolve` puts in. */
  resolvedText(
    text: string,
    pointer: string,
    resolve: (text: string, given: Referable) => Resolved,
  ): string {
    return this.#record(resolve(text, this.#given), pointer);
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

  #reportUnset(pointer: string, message: string): void {
    if (this.#source === undefined) {
      this.fault(pointer, message);
      return;
    }
    const { pointer: key, name } = this.#source;
    const other = programVariable.test(pointer)
      ? ', or set it in a file that "envFile" of the server names, in place of this line'
      : "";
    this.#addProblem(key, name, this.#line(pointer, message + other));
  }

  #addProblem(pointer: string, name: string, problem: string): void {
    const source = this.#incomplete.get(pointer) ?? { name, problems: [] };
    this.#incomplete.set(pointer, source);
    source.problems.push(problem);
  }

  #line(pointer: string, message: string): string {
    const said = this.taken.reduce(withName, message);
    return `${this.#text.at(pointer)}: ${said}${/[.?!]$/.test(said) ? "" : "."}`;
  }

  #record({ text, taken, faults, unset }: Resolved, pointer: string): string {
    for (const fault of faults) this.fault(pointer, fault);
    for (const message of unset) this.#reportUnset(pointer, message);
    this.taken.push(...taken.map((one) => ({ ...one, pointer })));
    return text;
  }

  #resolved(value: JsonValue, pointer: string): JsonValue {
    if (typeof value === "string") {
      return this.#record(resolveReferences(value, this.#given), pointer);
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
