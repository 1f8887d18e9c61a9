import { checkOptions } from "../contract/check-options.ts";
import type { JsonPath } from "../json-path/json-path.ts";
import { formatValue } from "../text/format-value.ts";
import type { RegisteredTool, Tool } from "../contract/tool.ts";
import type { InjectedParameter, RedactionRule } from "../contract/tool-spec.ts";
import { ToolError } from "../contract/tool-error.ts";
import { compilePaths } from "./path-rules.ts";
import type { Redactor } from "../contract/redactor.ts";
import { SecretFinder } from "./secret-finder.ts";
import { SecretRedactor } from "./secret-redactor.ts";
import { SecretSet } from "./secret-set.ts";
import type { CallInfo } from "../contract/call-info.ts";

const optionNames: readonly string[] = [
  "secrets",
  "credentials",
  "paths",
] satisfies readonly (keyof RedactionOptions)[];

/**
 * The executor's own secrets, and the engine that redacts them and those of its sources.
 *
 * @throws ToolError `invalid_configuration` for an invalid option.
 */
export function createRedaction(
  options: RedactionOptions | false | undefined,
  registry: { readonly secrets?: readonly SecretSet[] },
): { readonly secrets: SecretSet; readonly redactor: SecretRedactor | undefined } {
  if (options === false) return { secrets: new SecretSet(), redactor: undefined };
  const { secrets: given = [], credentials = true, paths }: RedactionOptions = options ?? {};
  checkOptions("new ToolExecutor: redact", options ?? {}, optionNames);
  if (typeof credentials !== "boolean") {
    throw misuse(`credentials is ${formatValue(credentials)}; use true or false`);
  }
  const secrets = toSecretSet(given);
  let seen: readonly SecretSet[] | undefined;
  let sets: readonly SecretSet[] = [];
  const current = (): readonly SecretSet[] => {
    // A registry may be of another copy of this package, and know of no secrets.
    const held: readonly SecretSet[] | undefined = registry.secrets;
    if (seen === undefined || held !== seen) {
      seen = held ?? [];
      sets = [secrets, ...seen];
    }
    return sets;
  };
  const compiled = compilePaths("new ToolExecutor: redact", paths);
  return {
    secrets,
    redactor: new SecretRedactor([new SecretFinder(current, credentials)], compiled),
  };
}

function toSecretSet(given: SecretSet | readonly string[]): SecretSet {
  // Not by class: it may be of another copy of this package.
  if (typeof (given as SecretSet | null)?.version === "number") return given as SecretSet;
  const isList = Array.isArray(given) && given.every((secret) => typeof secret === "string");
  if (isList) return new SecretSet(given);
  throw misuse(`secrets is ${formatValue(given)}; use a SecretSet or a list of texts`);
}

function misuse(what: string): ToolError {
  return new ToolError("invalid_configuration", `new ToolExecutor: redact: ${what}.`);
}

/** The parts of a call that define its secrets. */
export interface RedactedCall {
  readonly engine: { readonly redactor: SecretRedactor | undefined };
  readonly run: RedactedRun;
  readonly entry: RegisteredTool | undefined;
}

interface RedactedRun {
  /** Removes the secrets that the run injects, too; set when a tool first gets them. */
  redactor: SecretRedactor | undefined;
  readonly injected: unknown;
}

/** The redactor of a call, which also redacts the secrets that its run injects and that its tool names. */
export function redactorForCall({ engine, run, entry }: RedactedCall): Redactor | undefined {
  const { redactor } = engine;
  if (redactor === undefined || entry === undefined) return redactor && (run.redactor ?? redactor);
  const { injected, annotations } = entry.tool.spec;
  if (injected !== undefined) addInjected(run, redactor, injected);
  const own = run.redactor ?? redactor;
  if (annotations.redact === undefined) return own;
  const paths = toolPaths.get(entry.tool);
  // Without: the tool has been refused for its rules, and is not run.
  return paths === undefined ? own : own.with([], paths);
}

/**
 * Refuses a tool of which nothing could come out, before it does anything.
 *
 * @throws ToolError `invalid_configuration` when one of its rules cannot be read.
 */
export function checkRules(tool: Tool): void {
  if (tool.spec.annotations.redact !== undefined) getPaths(tool);
}

const toolPaths = new WeakMap<Tool, readonly JsonPath[]>();

function getPaths(tool: Tool): readonly JsonPath[] {
  let paths = toolPaths.get(tool);
  if (paths === undefined) {
    paths = compilePaths(`${tool.spec.name}: redact`, tool.spec.annotations.redact);
    toolPaths.set(tool, paths);
  }
  return paths;
}

/** By run: what it injects as a secret, by name. */
const injectedSecrets = new WeakMap<
  object,
  { readonly names: Set<string>; readonly set: SecretSet }
>();

function addInjected(
  run: RedactedRun,
  redactor: SecretRedactor,
  parameters: readonly InjectedParameter[],
): void {
  const { injected } = run;
  if (typeof injected !== "object" || injected === null) return;
  for (const { name, secret } of parameters) {
    if (secret !== true || injectedSecrets.get(run)?.names.has(name) === true) continue;
    let own = injectedSecrets.get(run);
    if (own === undefined) {
      own = { names: new Set(), set: new SecretSet() };
      injectedSecrets.set(run, own);
      const sets = [own.set];
      run.redactor = redactor.with([new SecretFinder(() => sets, false)], []);
    }
    own.names.add(name);
    addTexts((injected as Record<string, unknown>)[name], own.set);
  }
}

const maxInjectedDepth = 5;
const maxInjectedObjects = 10_000;

/**
 * The texts of a value that may be anything, such as a client with its credentials: level by level, each object once.
 */
function addTexts(injected: unknown, set: SecretSet): void {
  const seen = new Set<object>();
  let level: unknown[] = [injected];
  for (let depth = 0; depth <= maxInjectedDepth && level.length > 0; depth++) {
    const next: unknown[] = [];
    for (const value of level) {
      if (typeof value === "string") set.add(value);
      else if (typeof value === "number") set.add(String(value));
      else if (typeof value !== "object" || value === null || ArrayBuffer.isView(value)) continue;
      else if (depth < maxInjectedDepth && seen.size < maxInjectedObjects && !seen.has(value)) {
        seen.add(value);
        for (const key of Object.getOwnPropertyNames(value)) {
          next.push(Object.getOwnPropertyDescriptor(value, key)?.value);
        }
      }
    }
    level = next;
  }
}

/** Options for the redaction of everything that leaves the executor. */
export interface RedactionOptions {
  /** Values that must never come out, beside those that sources hold. */
  readonly secrets?: SecretSet | readonly string[];
  /** Known forms of credentials: private keys, tokens and the like. Default: true. */
  readonly credentials?: boolean;
  /** Parts of every structured value, for all tools. */
  readonly paths?: readonly RedactionRule[];
}

/** Text beyond this is not searched; the possible beginning of a secret there is omitted. */
const maxSearchedLength = 2000;

/** The beginning of a text, redacted before it is cut: half of a secret is none that could be found. */
export function truncateRedacted(execution: CallInfo, text: string, length: number): string {
  if (text.length <= length) return text;
  const searched =
    execution.redactor?.streamRedactor().next(text.slice(0, maxSearchedLength)) ?? text;
  return searched.slice(0, length);
}
