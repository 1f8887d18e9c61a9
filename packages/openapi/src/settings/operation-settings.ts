import {
  isToolName,
  nearNames,
  visibleText,
  type JsonObject,
  type SourceProblem,
  type ToolAnnotations,
} from "@toolweave/core";
import type { Operation } from "../document/operation.ts";
import type { OperationOverride, LayoutOptions } from "./operation-options.ts";
import { methodAnnotations } from "./method-annotations.ts";
import { isJsonObject } from "../document/record.ts";
import { isIdempotencyHeader } from "../parameters/idempotency-header.ts";

/** What an operation's tool is called and promises, from its method, its `x-toolweave` and the host. */
export interface OperationSettings {
  /** Without the prefix. */
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly annotations: ToolAnnotations;
  readonly hidden: readonly string[];
  readonly fixed?: JsonObject;
  /** Names of read-only properties that are sent. */
  readonly writable?: readonly string[];
  readonly timeoutMs?: number;
  /** How its request is laid out, where the host says so. */
  readonly layoutOptions?: LayoutOptions;
}

/** The settings of all operations that become tools, and what is wrong with what host and document say. */
export interface AllSettings {
  readonly settings: ReadonlyMap<Operation, OperationSettings>;
  readonly problems: readonly SourceProblem[];
}

type Overrides = Readonly<Record<string, OperationOverride>>;

/**
 * Lays `x-toolweave` and the host's overrides over what the document says. The document can only be more careful than
 * the method: it hides its operation, and takes promises back. A name of the host's is the host's alone: an operation
 * that is called so by the document is no tool.
 *
 * @param operations those that are wanted.
 * @param all those of the document.
 * @param overrides by operationId, or by method and path: `GET /pets/{id}`.
 * @param subject what problems with the overrides are about.
 */
export function operationSettings(
  operations: readonly Operation[],
  all: readonly Operation[],
  overrides: Overrides,
  subject: string,
): AllSettings {
  return new Settings(operations, all, overrides, subject).run();
}

class Settings {
  readonly #operations: readonly Operation[];
  readonly #all: readonly Operation[];
  readonly #overrides: Overrides;
  readonly #subject: string;
  readonly #problems: SourceProblem[] = [];
  readonly #hostNames = new Set<string>();
  readonly #names = new Set<string>();

  constructor(
    operations: readonly Operation[],
    all: readonly Operation[],
    overrides: Overrides,
    subject: string,
  ) {
    this.#operations = operations;
    this.#all = all;
    this.#overrides = overrides;
    this.#subject = subject;
  }

  run(): AllSettings {
    const overrides = this.#hostOverrides();
    for (const { name } of overrides.values()) if (name !== undefined) this.#hostNames.add(name);
    for (const { name } of this.#operations) this.#names.add(name);
    const settings = new Map<Operation, OperationSettings>();
    for (const operation of this.#operations) {
      const override = overrides.get(operation);
      const declared = this.#declared(operation);
      if (declared.hidden) continue;
      const name = override?.name ?? this.#nameOf(operation, declared.name);
      if (name === undefined) continue;
      settings.set(operation, { ...toSettings(operation, declared, override), name });
    }
    return { settings, problems: this.#problems };
  }

  /** The override of each operation that has one. */
  #hostOverrides(): ReadonlyMap<Operation, OperationOverride> {
    const overrides = new Map<Operation, OperationOverride>();
    const unused = new Set(Object.keys(this.#overrides));
    if (unused.size === 0) return overrides;
    const known: string[] = [];
    for (const operation of this.#all) {
      const { operationId, method, path } = operation;
      for (const key of [operationId, `${method} ${path}`]) {
        // An operationId that is written like a place is not the place that the host means.
        if (key === undefined || (key === operationId && /^\S+ \//.test(key))) continue;
        known.push(key);
        if (!Object.hasOwn(this.#overrides, key)) continue;
        unused.delete(key);
        overrides.set(operation, { ...overrides.get(operation), ...this.#overrides[key] });
      }
    }
    for (const key of unused) {
      const [near] = nearNames(key, known, 1);
      const hint = near === undefined ? "" : ` Did you mean ${JSON.stringify(near)}?`;
      this.#warn(this.#subject, `overrides[${JSON.stringify(key)}] fits no operation.${hint}`);
    }
    this.#dropSharedNames(overrides);
    return overrides;
  }

  /** Several operations can share an operationId, but not a name. */
  #dropSharedNames(overrides: Map<Operation, OperationOverride>): void {
    const first = new Set<string>();
    for (const [operation, override] of overrides) {
      const { name, ...others } = override;
      if (name === undefined || !first.has(name)) {
        if (name !== undefined) first.add(name);
        continue;
      }
      overrides.set(operation, others);
      this.#warn(
        describeOperation(operation),
        `Several operations would be called ${name} by overrides: this one keeps its own name. Name each by method and path.`,
        operation,
      );
    }
  }

  #nameOf(operation: Operation, declared: string | undefined): string | undefined {
    if (declared !== undefined && this.#isFree(operation, declared)) {
      this.#names.add(declared);
      return declared;
    }
    if (!this.#hostNames.has(operation.name)) return operation.name;
    this.#problems.push({
      subject: describeOperation(operation),
      message: `Its name ${operation.name} is what overrides calls another operation: give it another name there.`,
      pointer: operation.pointer,
    });
    return undefined;
  }

  #isFree(operation: Operation, name: string): boolean {
    if (name === operation.name) return !this.#hostNames.has(name);
    const isTaken = this.#names.has(name) || this.#hostNames.has(name);
    if (isToolName(name) && !isTaken) return true;
    const why = isTaken ? "is another operation's" : "cannot be a tool's";
    this.#warn(
      describeOperation(operation),
      `Its x-toolweave gives it a name that ${why}: it keeps its own.`,
      operation,
    );
    return false;
  }

  /** What the document says in `x-toolweave`. */
  #declared(operation: Operation): Declared {
    const value = operation.extension("x-toolweave");
    if (value === undefined) return nothingDeclared;
    if (!isJsonObject(value)) {
      this.#warn(
        describeOperation(operation),
        "Its x-toolweave is no object and means nothing.",
        operation,
      );
      return nothingDeclared;
    }
    const { name, description, hidden, annotations } = value;
    return {
      ...(typeof name === "string" ? { name } : {}),
      ...(typeof description === "string" ? { description } : {}),
      hidden: hidden === true,
      annotations: isJsonObject(annotations) ? this.#tightened(operation, annotations) : {},
    };
  }

  #tightened(operation: Operation, claims: JsonObject): ToolAnnotations {
    const tightened: Record<string, boolean> = {};
    for (const [hint, value] of Object.entries(claims)) {
      const careful = carefulValues.get(hint);
      if (careful !== undefined && value === careful) tightened[hint] = careful;
      else {
        this.#warn(
          describeOperation(operation),
          `Its x-toolweave claims ${visibleText(hint).slice(0, 40)}, which only the host can say: in overrides.`,
          operation,
        );
      }
    }
    // What destroys something is no reading.
    if (tightened["destructiveHint"] === true) tightened["readOnlyHint"] = false;
    return tightened;
  }

  #warn(subject: string, message: string, at?: Operation): void {
    const pointer = at === undefined ? {} : { pointer: at.pointer };
    this.#problems.push({ subject, message, ...pointer, severity: "warning" });
  }
}

interface Declared {
  readonly name?: string;
  readonly description?: string;
  readonly hidden: boolean;
  readonly annotations: ToolAnnotations;
}

const nothingDeclared: Declared = { hidden: false, annotations: {} };

/** What a document may say of its own operations: that more care is needed. */
const carefulValues: ReadonlyMap<string, boolean> = new Map([
  ["readOnlyHint", false],
  ["destructiveHint", true],
  ["idempotentHint", false],
  ["openWorldHint", true],
  ["needsApprovalHint", true],
]);

function toSettings(
  operation: Operation,
  declared: Declared,
  override: OperationOverride = {},
): Omit<OperationSettings, "name"> {
  const { title, hidden = [], fixed, writable, timeoutMs } = override;
  const { requestMediaType, decodeBase64Body } = override;
  // What the host hides or fixes is an argument: the executor gives nothing for it.
  const isArgument = [...hidden, ...Object.keys(fixed ?? {})].some(isIdempotencyHeader);
  const idempotencyKey = override.idempotencyKey ?? (isArgument ? "model" : undefined);
  const hasWishes = (requestMediaType ?? decodeBase64Body ?? idempotencyKey) !== undefined;
  const wishes = { ...override, ...(idempotencyKey === undefined ? {} : { idempotencyKey }) };
  const method = methodAnnotations(operation.method);
  const description = override.description ?? declared.description;
  const isPlain = override.annotations === undefined && declared === nothingDeclared;
  return {
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
    annotations: isPlain ? method : { ...method, ...declared.annotations, ...override.annotations },
    hidden: fixed === undefined ? hidden : [...hidden, ...Object.keys(fixed)],
    ...(fixed === undefined ? {} : { fixed }),
    ...(writable === undefined ? {} : { writable }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(hasWishes ? { layoutOptions: wishes } : {}),
  };
}

function describeOperation({ method, path }: Operation): string {
  return visibleText(`${method} ${path}`);
}
