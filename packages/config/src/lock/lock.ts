import type {
  JsonSchema,
  ToolAnnotations,
  JsonValue,
  Tool,
  JsonObject,
  ToolSource,
} from "@toolweave/core";
import { createHash } from "node:crypto";
import {
  argumentsSchemaOf,
  canonicalJson,
  compareNames,
  memberChanges,
  describeChange,
  type RegisteredTool,
  type MemberChange,
  type SourceProblem,
} from "@toolweave/core/adapter";

/** One tool as it was when a person reviewed it. */
export interface LockedTool {
  /** The id of its source. */
  readonly source: string;
  /** SHA-256 of all of the following, in hexadecimal. */
  readonly hash: string;
  readonly title?: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  readonly outputSchema?: JsonSchema;
  readonly annotations: ToolAnnotations;
  /**
   * SHA-256 of the program behind the source's name: the command, arguments, names of environment variables and working
   * folder of a program, or the URL. Absent: unknown.
   */
  readonly program?: string;
  /** SHA-256 of the schema that validates arguments, if a model is given less. */
  readonly argumentsHash?: string;
}

/** Tools as they were when a person reviewed them, by name: plain JSON, in the order of the names. */
export interface Lock {
  readonly version: 1;
  readonly tools: Readonly<Record<string, LockedTool>>;
}

/**
 * The lock of the current tools: of each its name, schemas, description, title, hints and the digest of the program
 * behind it, with their hash.
 *
 * @param entries tools with the ids of their sources: `registry.toolset().entries()`.
 */
export function lockOf(entries: Iterable<Pick<RegisteredTool, "tool" | "source">>): Lock {
  const tools = [...entries]
    .map(({ tool, source }) => [tool.spec.name, lockedTool(tool, source)] as const)
    .sort(([a], [b]) => compareNames(a, b));
  return { version: 1, tools: Object.fromEntries(tools) };
}

/** The lock's entry for the current tool. */
function lockedTool(tool: Tool, source: string): LockedTool {
  const { name, title, description, inputSchema, outputSchema, annotations, provenance } =
    tool.spec;
  const { program } = provenance.origin ?? {};
  const checked = argumentsSchemaOf(tool);
  const members = {
    ...(title === undefined ? {} : { title }),
    description,
    inputSchema: plain(inputSchema),
    ...(outputSchema === undefined ? {} : { outputSchema: plain(outputSchema) }),
    annotations: plain(annotations),
    ...(typeof program === "string" ? { program } : {}),
    ...(checked === inputSchema ? {} : { argumentsHash: sha256(canonicalJson(checked)) }),
  };
  return { source, hash: hashTool(name, { source, ...members }), ...members };
}

/** The hash of a tool's members. */
export function hashTool(name: string, tool: Partial<LockedTool>): string {
  return sha256(canonicalJson([name, { ...tool, hash: undefined }]));
}

/** Schemas may be getters, and share parts. Keys in order make files that can be compared. */
function plain<T>(value: T): T {
  return JSON.parse(canonicalJson(value as JsonValue)) as T;
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** The changes of the tools since they were locked. All lists are in the order of the names. */
export interface LockDifference {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly { readonly tool: string; readonly changes: readonly MemberChange[] }[];
}

/** Compares what tools were with what they are: see `lockOf`. */
export function lockDifference(before: Lock, after: Lock): LockDifference {
  const was = Object.keys(before.tools).sort(compareNames);
  const is = Object.keys(after.tools).sort(compareNames);
  return {
    added: is.filter((tool) => !Object.hasOwn(before.tools, tool)),
    removed: was.filter((tool) => !Object.hasOwn(after.tools, tool)),
    changed: was.flatMap((tool) => {
      const [old, now] = [before.tools[tool], after.tools[tool]];
      if (old === undefined || now === undefined || old.hash === now.hash) return [];
      return [{ tool, changes: findChanges(old, now) }];
    }),
  };
}

/** Where two versions of a tool differ: the first 20 places. */
function findChanges(before: LockedTool, after: LockedTool): MemberChange[] {
  const { hash: _was, ...old } = before;
  const { hash: _is, ...now } = after;
  return memberChanges(old as unknown as JsonObject, now as unknown as JsonObject);
}

const maxListed = 3;

/**
 * The source, limited to the tools that match the lock. A tool whose description differs, or that is not in the lock,
 * is quarantined: a problem says what has changed. The same applies to tools that change later.
 *
 * @param lock the result of `lockOf` after a person has reviewed the tools.
 */
export function locked(source: ToolSource, lock: Lock): ToolSource {
  // A tool stays the same object while nothing about it changes.
  const faults = new WeakMap<Tool, { readonly fault: string | undefined }>();
  const findFault = (tool: Tool): string | undefined => {
    let known = faults.get(tool);
    if (known === undefined) {
      faults.set(tool, (known = { fault: faultOfTool(tool, source.id, lock) }));
    }
    return known.fault;
  };
  let seen: readonly Tool[] | undefined;
  let kept: readonly Tool[] = [];
  let quarantined: readonly SourceProblem[] = [];
  const look = (): void => {
    const tools = source.tools();
    if (tools === seen) return;
    seen = tools;
    kept = tools.filter((tool) => findFault(tool) === undefined);
    quarantined = tools.flatMap((tool) => {
      const fault = findFault(tool);
      return fault === undefined ? [] : [{ subject: tool.spec.name, message: fault }];
    });
  };
  return {
    id: source.id,
    ready: source.ready,
    get problems() {
      look();
      return [...source.problems, ...quarantined];
    },
    get failures() {
      look();
      return [...(source.failures ?? source.problems), ...quarantined];
    },
    trustAnnotations: source.trustAnnotations ?? false,
    ...(source.secrets === undefined ? {} : { secrets: source.secrets }),
    tools() {
      look();
      return kept;
    },
    onChange: (listener) => source.onChange(listener),
    close: () => source.close(),
    [Symbol.asyncDispose]: () => source.close(),
  };
}

function faultOfTool(tool: Tool, source: string, lock: Lock): string | undefined {
  const { name } = tool.spec;
  const before = Object.hasOwn(lock.tools, name) ? lock.tools[name] : undefined;
  if (before === undefined) {
    return "It is not in the lock: look at it, then lock again (`toolweave lock`).";
  }
  let after: LockedTool;
  try {
    after = lockedTool(tool, source);
  } catch (error) {
    return `It cannot be compared with the lock, and is left out: ${error instanceof Error ? error.message : String(error)}`;
  }
  if (after.hash === before.hash) return undefined;
  const changes = findChanges(before, after);
  const listed = changes.slice(0, maxListed).map(describeChange).join("; ");
  const more = changes.length > maxListed ? `; and ${changes.length - maxListed} more` : "";
  return `It has changed since it was locked, and is left out: ${listed}${more}. Look at it, then lock again (\`toolweave lock\`).`;
}
