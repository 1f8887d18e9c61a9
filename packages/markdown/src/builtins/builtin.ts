import type { JsonObject, JsonValue } from "@toolweave/core";
import type { HostValue } from "@toolweave/starlark";

/** The things outside of a script that a function reaches. */
export type Capability =
  | "process"
  | "fs.read"
  | "fs.write"
  | "network"
  | "delegate"
  | "tools"
  | "meta";

/** The kinds of scripts: a tool, a hook, a condition (`when`), a script of a model, and a test. */
export type ScriptKind = "tool" | "hook" | "condition" | "session" | "test";

/** The types of parameters and results, as stubs write them. `any` is every value. */
export type BuiltinType =
  | "any"
  | "str"
  | "int"
  | "float"
  | "number"
  | "bool"
  | "list"
  | "dict"
  | "bytes"
  | "None";

/** One parameter of a function. */
export interface BuiltinParameter {
  readonly name: string;
  readonly type: BuiltinType;
  /** The value if the argument is left out; absent: the argument is required. `null` is `None`. */
  readonly default?: JsonValue;
  /** Takes all further positional arguments as a list. */
  readonly isRest?: boolean;
  readonly doc?: string;
}

/** The arguments of a call, by parameter. */
export type BuiltinArguments = Readonly<Record<string, HostValue>>;

/** The host, as functions reach it while a script runs. */
export interface ScriptScope {
  /**
   * Calls a local tool and returns its value. The policy decides on the call; if a person has to approve it, the script
   * is interrupted.
   */
  effect(tool: string, args: JsonObject): Promise<JsonValue>;
  /** Calls a tool that the script's own call may call. */
  callTool(name: string, args: JsonObject): Promise<ToolAnswer>;
  /** The tools that `callTool` may call. */
  listTools(): readonly { readonly name: string; readonly description: string }[];
  /** Writes a line to the log of the host. */
  log(level: LogLevel, message: string): void;
  /** Values that last as long as the run. */
  readonly cache: Map<string, JsonValue>;
  /** Variables that the host lets scripts read. */
  readonly env: Readonly<Record<string, string>>;
  /** Milliseconds since the epoch. */
  now(): number;
  /** A number from 0 to below 1. */
  random(): number;
  readonly signal: AbortSignal | undefined;
}

/** How important a line of the log is. */
export type LogLevel = "debug" | "info" | "warn" | "error";

/** The answer of a tool that a script has called. */
export interface ToolAnswer {
  readonly ok: boolean;
  /** The structured result, else the text. */
  readonly value: JsonValue;
  /** With `ok: false`: the message. */
  readonly error?: string;
  readonly code?: string;
}

/** A function that scripts can call: the one source of documentation, stubs, validation, completion and code. */
export interface BuiltinFunction {
  /** The module that it is a member of; absent: a global function. A name equal to the module's makes the module callable. */
  readonly module?: string;
  readonly name: string;
  /** One or two sentences for the author of a script. */
  readonly doc: string;
  readonly parameters: readonly BuiltinParameter[];
  readonly returns: BuiltinType;
  /** The kinds of scripts that have it. */
  readonly kinds: readonly ScriptKind[];
  /** The capability that it needs; absent: it reaches nothing outside of the script. */
  readonly capability?: Capability;
  /** The result depends on the arguments alone: it is not written to the journal. */
  readonly isPure: boolean;
  /** The code; absent: the function belongs to a module of the language (`json`, `math`, `re`). */
  readonly call?: (args: BuiltinArguments, scope: ScriptScope) => HostValue | Promise<HostValue>;
}
