import type { JsonObject, ToolAnnotations } from "@toolweave/core";
import { isToolName, nearNames, visibleText, type SourceProblem } from "@toolweave/core/adapter";
import type { Operation } from "../document/operation.ts";
import type { OperationOverride, LayoutOptions } from "./operation-options.ts";
import { isJsonObject } from "../document/record.ts";
import { isIdempotencyHeader } from "../parameters/idempotency-header.ts";

/** The name and annotations of an operation's tool, from its method, its `x-toolweave` and the host. */
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
  /** The host's options for the layout of its request. */
  readonly layoutOptions?: LayoutOptions;
}

/** The settings of all operations that become tools, and the errors in the host's options and in the document. */
export interface AllSettings {
  readonly settings: ReadonlyMap<Operation, OperationSettings>;
  readonly problems: readonly SourceProblem[];
}

type Overrides = Readonly<Record<string, OperationOverride>>;

/**
 * Applies `x-toolweave` and the host's overrides to the operations. The document can only be more careful than the
 * method: it can hide its operations and withdraw annotations. A name that the host assigns is reserved: another
 * operation with that name in the document does not become a tool.
 *
 * @param operations the selected operations.
 * @param all the operations of the document.
 * @param overrides by operationId, or by method and path: `GET /pets/{id}`.
 * @param subject the subject of problems with the overrides.
 */
export function resolveSettings(
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
    const overrides = this.#findOverrides();
    for (const { name } of overrides.values()) if (name !== undefined) this.#hostNames.add(name);
    for (const { name } of this.#operations) this.#names.add(name);
    const settings = new Map<Operation, OperationSettings>();
    for (const operation of this.#operations) {
      const override = overrides.get(operation);
      const declared = this.#readDeclared(operation);
      if (declared.hidden) continue;
      const name = override?.name ?? this.#chooseName(operation, declared.name);
      if (name === undefined) continue;
      settings.set(operation, { ...toSettings(operation, declared, override), name });
    }
    return { settings, problems: this.#problems };
  }

  /** Returns the override of each operation that has one. */
  #findOverrides(): ReadonlyMap<Operation, OperationOverride> {
    const overrides = new Map<Operation, OperationOverride>();
    const unused = new Set(Object.keys(this.#overrides));
    if (unused.size === 0) return overrides;
    const known: string[] = [];
    for (const operation of this.#all) {
      const { operationId, method, path } = operation;
      for (const key of [operationId, `${method} ${path}`]) {
        // An operationId in the form of method and path must not take precedence over the operation with that method
        // and path.
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
      this.#warn(this.#subject, `overrides[${JSON.stringify(key)}] matches no operation.${hint}`);
    }
    this.#dropSharedNames(overrides);
    return overrides;
  }

  /** Removes a name that several operations share through one operationId. */
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
        `overrides gives several operations the name ${name}: this one keeps its original name. Name each of them by method and path.`,
        operation,
      );
    }
  }

  #chooseName(operation: Operation, declared: string | undefined): string | undefined {
    if (declared !== undefined && this.#mayUseName(operation, declared)) {
      this.#names.add(declared);
      return declared;
    }
    if (!this.#hostNames.has(operation.name)) return operation.name;
    this.#problems.push({
      subject: describeOperation(operation),
      message: `overrides gives its name, ${operation.name}, to another operation: set another name for it there.`,
      pointer: operation.pointer,
    });
    return undefined;
  }

  #mayUseName(operation: Operation, name: string): boolean {
    if (name === operation.name) return !this.#hostNames.has(name);
    const isTaken = this.#names.has(name) || this.#hostNames.has(name);
    if (isToolName(name) && !isTaken) return true;
    const why = isTaken ? "another operation has" : "is not a valid tool name";
    this.#warn(
      describeOperation(operation),
      `The name in its x-toolweave is not used, because it is a name that ${why}.`,
      operation,
    );
    return false;
  }

  /** Reads `x-toolweave` of the document. */
  #readDeclared(operation: Operation): Declared {
    const value = operation.extension("x-toolweave");
    if (value === undefined) return nothingDeclared;
    if (!isJsonObject(value)) {
      this.#warn(
        describeOperation(operation),
        "Its x-toolweave is not an object and is ignored.",
        operation,
      );
      return nothingDeclared;
    }
    const { name, description, hidden, annotations } = value;
    return {
      ...(typeof name === "string" ? { name } : {}),
      ...(typeof description === "string" ? { description } : {}),
      hidden: hidden === true,
      annotations: isJsonObject(annotations) ? this.#tighten(operation, annotations) : {},
    };
  }

  #tighten(operation: Operation, claims: JsonObject): ToolAnnotations {
    const tightened: Record<string, boolean> = {};
    for (const [hint, value] of Object.entries(claims)) {
      const careful = carefulValues.get(hint);
      if (careful !== undefined && value === careful) tightened[hint] = careful;
      else {
        this.#warn(
          describeOperation(operation),
          `Its x-toolweave sets ${visibleText(hint).slice(0, 40)} to a value that only the host can set, in overrides.`,
          operation,
        );
      }
    }
    // A destructive operation is never read-only.
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

/** The annotations that a document may set for its own operations: only those that require more care. */
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
  const { requestMediaType, partName, decodeBase64Body, multiSegment, delimiters } = override;
  // An argument that the host hides or fixes is not supplied by the executor.
  const isArgument = [...hidden, ...Object.keys(fixed ?? {})].some(isIdempotencyHeader);
  const idempotencyKey = override.idempotencyKey ?? (isArgument ? "model" : undefined);
  const hasWishes =
    (requestMediaType ??
      partName ??
      decodeBase64Body ??
      multiSegment ??
      delimiters ??
      idempotencyKey) !== undefined;
  const wishes = { ...override, ...(idempotencyKey === undefined ? {} : { idempotencyKey }) };
  const method = getMethodAnnotations(operation.method);
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

const access = { network: true, filesystem: "none", process: false } as const;

const read: ToolAnnotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: true,
  access,
};

function write(destructiveHint: boolean, idempotentHint: boolean): ToolAnnotations {
  return { readOnlyHint: false, destructiveHint, idempotentHint, openWorldHint: true, access };
}

/** Safe and idempotent methods by RFC 9110 section 9.2; methods that replace or remove are destructive. */
const byMethod = new Map<string, ToolAnnotations>([
  ["GET", read],
  ["HEAD", read],
  ["OPTIONS", read],
  ["TRACE", read],
  ["QUERY", read],
  ["PUT", write(true, true)],
  ["DELETE", write(true, true)],
  ["POST", write(false, false)],
  ["PATCH", write(true, false)],
]);

const unknown = write(true, false);

/** Returns the annotations of a method; an unknown method counts as a destructive write. */
function getMethodAnnotations(method: string): ToolAnnotations {
  return byMethod.get(method) ?? unknown;
}
