import {
  isObject,
  isThenable,
  promised,
  type Awaitable,
  type JsonObject,
  type JsonSchema,
} from "../../json/json.ts";
import { describingKeywords } from "../../json-schema/subschemas.ts";
import { childPointer, parsePointer, resolvePointer } from "../../json/json-pointer.ts";
import { checkLongIntegers, holdsLongIntegers, replaceAt } from "../../schema/long-integers.ts";
import { isExactNumber, writesLongIntegers } from "../../json/exact-number.ts";
import type { CompiledSchema } from "../../schema/schema-validator.ts";
import { argumentsSchemaOf, type ValidationProblem } from "../../contract/tool.ts";
import { readBranch } from "../../schema/union-branch.ts";
import type { UncheckedPattern } from "../../schema/unchecked-patterns.ts";
import { ToolError } from "../../contract/tool-error.ts";
import { compareNames, nearNames } from "../../contract/tool-names.ts";
import { truncateRedacted } from "../../redaction/create-redaction.ts";
import { maskArguments } from "../../redaction/secret-arguments.ts";
import type { CallState } from "../call/call-state.ts";
import { answerWithin } from "../../contract/call-info.ts";

const maxListedProblems = 10;
/** Characters of all listed problems together, beyond which no further one is listed. */
const maxListedLength = 3500;
/** Problems beyond this number are only counted: formatting thousands of them takes too long. */
const readProblems = 100;

/** Stage 4: validates the arguments against the full schema, then with the tool's own `validate`. */
export function validate(execution: CallState): Awaitable<void> {
  const schema = argumentsSchemaOf(execution.tool);
  if (execution.engine.undeclaredArguments !== "schema") refuseUndeclared(execution, schema);
  if (execution.tool.argumentsValidation === "tool") {
    if (execution.longIntegers !== undefined) refuse(execution, refuseIntegers(execution));
    return refine(execution);
  }
  const compiled = execution.engine.schemas.get(schema);
  if (isThenable(compiled)) return compiled.then((compiled) => check(execution, compiled));
  return check(execution, compiled);
}

function check(execution: CallState, compiled: CompiledSchema): Awaitable<void> {
  const args = execution.args as JsonObject;
  if (compiled.unchecked !== undefined) warnOfUnchecked(execution, compiled.unchecked);
  let problems = compiled(args);
  const { longIntegers } = execution;
  if (longIntegers !== undefined || (problems !== undefined && holdsLongIntegers(args))) {
    problems = checkIntegers(execution, compiled, problems, longIntegers ?? []);
  }
  if (problems !== undefined) throw invalid(execution, problems);
  if (execution.tool.validate !== undefined) return refine(execution);
}

/** Validates the arguments with the tool's own `validate`. */
function refine(execution: CallState): Awaitable<void> {
  const { tool, args } = execution;
  if (tool.validate !== undefined) {
    return refuseRefined(execution, tool.validate(toToolArguments(execution, args as JsonObject)));
  }
}

/** Finds the integers among the arguments that a JavaScript number cannot hold, for a tool that accepts them. */
function checkIntegers(
  execution: CallState,
  compiled: CompiledSchema,
  problems: readonly ValidationProblem[] | undefined,
  written: readonly string[],
): readonly ValidationProblem[] | undefined {
  const { tool, args } = execution;
  const schema = argumentsSchemaOf(tool);
  const checked = checkLongIntegers(args as JsonObject, schema, compiled, problems, written);
  execution.longIntegers = checked.places.length === 0 ? undefined : checked.places;
  const isAccepted = tool.acceptsBigint === true && writesLongIntegers();
  if (checked.problems !== undefined || isAccepted) return checked.problems;
  return refuseIntegers(execution);
}

/** The problems of a tool that accepts no bigint: the long integers among its arguments that a number does not hold. */
function refuseIntegers(execution: CallState): readonly ValidationProblem[] | undefined {
  const { args, longIntegers = [] } = execution;
  const inexact = longIntegers.filter((place) => !isExactNumber(readText(args, place)));
  return inexact.length === 0 ? undefined : inexact.map((path) => ({ path, message: unsupported }));
}

const unsupported = `must be an integer between -${Number.MAX_SAFE_INTEGER} and ${Number.MAX_SAFE_INTEGER}: this tool cannot receive others, unless its host declares a text here`;

function readText(args: unknown, place: string): string {
  return resolvePointer(args, place) as string;
}

/** The arguments as the code of a tool gets them: an integer that no number holds is a `bigint`. */
export function toToolArguments({ longIntegers }: CallState, args: JsonObject): JsonObject {
  if (longIntegers === undefined) return args;
  return replaceAt(args, longIntegers, (digits) =>
    isExactNumber(digits) ? Number(digits) : BigInt(digits),
  );
}

function refuseRefined(
  execution: CallState,
  refined: Awaitable<readonly ValidationProblem[] | undefined>,
): Awaitable<void> {
  if (!isThenable(refined)) return refuse(execution, refined);
  const { hookTimeoutMs } = execution.engine;
  return answerWithin(execution, hookTimeoutMs, promised(refined), () =>
    refineTimeoutError(execution),
  ).then((found) => refuse(execution, found));
}

/** Adds a warning to the event of the call's end: the patterns that the arguments were not checked against. */
function warnOfUnchecked(execution: CallState, patterns: readonly UncheckedPattern[]): void {
  if (!execution.engine.events.active) return;
  const all = patterns.map(({ path, pattern }) => `${JSON.stringify(pattern)} at ${path}`);
  (execution.warnings ??= []).push(
    `the arguments of ${execution.call.name} are not checked against patterns that take unbounded time: ${all.join(", ")}`,
  );
}

function refineTimeoutError({ call, engine }: CallState): ToolError {
  return new ToolError(
    "execution_failed",
    `${call.name} was not run: its check of the arguments did not answer within ${engine.hookTimeoutMs} ms.`,
  );
}

function refuse(execution: CallState, problems: readonly ValidationProblem[] | undefined): void {
  if (problems !== undefined && problems.length > 0) throw invalid(execution, problems);
}

function refuseUndeclared(execution: CallState, schema: JsonSchema): void {
  const { undeclaredArguments } = execution.engine;
  const args = execution.args as JsonObject;
  const declared = schema["properties"] ?? {};
  const extra = Object.keys(args).filter((key) => !Object.hasOwn(declared as object, key));
  // A schema that describes other keys, there or elsewhere, declares them.
  if (
    extra.length === 0 ||
    isObject(schema["additionalProperties"]) ||
    elsewhere.some((keyword) => schema[keyword] !== undefined)
  ) {
    return;
  }
  if (undeclaredArguments === "reject") {
    throw invalid(
      execution,
      extra.map((key) => ({ path: childPointer("", key), message: "is not a known property" })),
    );
  }
  const dropped = new Set(extra);
  execution.args = Object.fromEntries(Object.entries(args).filter(([key]) => !dropped.has(key)));
}

const elsewhere = [
  "patternProperties",
  "$ref",
  "$dynamicRef",
  ...describingKeywords,
  "unevaluatedProperties",
];

/** The problems that an error reports, for `explain`. */
const reported = new WeakMap<ToolError, readonly ValidationProblem[]>();

/** The problems of arguments that `validate` has refused with this error, the first 100; `undefined`: none. */
export function getReportedProblems(error: unknown): readonly ValidationProblem[] | undefined {
  return reported.get(error as ToolError);
}

/** Formats the problems in a few lines: the path, what was expected, what was sent. */
function invalid(execution: CallState, problems: readonly ValidationProblem[]): ToolError {
  const { tool } = execution;
  const short = (text: string, length: number): string =>
    text.length > length ? `${truncateRedacted(execution, text, length)}…` : text;
  const seen = new Set<string>();
  const lines: string[] = [];
  const args = describeArguments(execution);
  for (const { path, message } of problems.slice(0, readProblems)) {
    const where = path === "" ? "the arguments" : short(parsePointer(path).join("."), 120);
    const value = sent(args, path, execution.longIntegers?.includes(path) === true);
    const quoted = value === "" ? "" : ` (sent: ${short(value, 60)})`;
    const line = `- ${where} ${short(message, 500)}${quoted}`;
    if (!seen.has(line)) lines.push(line);
    seen.add(line);
  }
  const listed = listProblems(lines, Math.max(0, problems.length - readProblems));
  const known = knownNames(argumentsSchemaOf(tool), problems);
  const error = new ToolError(
    "invalid_arguments",
    [
      `The arguments of ${tool.spec.name} are not valid:`,
      ...listed,
      ...known,
      ...misnamedArguments(execution),
      "Correct them and call it again.",
    ].join("\n"),
  );
  reported.set(error, problems.slice(0, readProblems));
  return error;
}

/** The first lines, and the number of the others. Never "1 more": that line is listed instead. */
function listProblems(lines: readonly string[], unread: number): string[] {
  let count = 0;
  for (let length = 0; count < lines.length && count < maxListedProblems; count++) {
    length += (lines[count] as string).length;
    if (length > maxListedLength) break;
  }
  const more = lines.length - count + unread;
  if (more === 0) return [...lines];
  if (more === 1 && unread === 0) return [...lines];
  return [...lines.slice(0, count), `- and ${more} more`];
}

/** A call as a host may have made it by mistake: `{ id, name, args }`. */
function misnamedArguments({ call }: CallState): string[] {
  if ((call.arguments as unknown) !== undefined) return [];
  const near = ["args", "input", "params", "parameters"].find((name) => Object.hasOwn(call, name));
  return near === undefined
    ? []
    : [`The call has no "arguments", but has "${near}": pass { id, name, arguments }.`];
}

/** Masks secrets: others than the model that sent them also read the error. */
function describeArguments({ engine, tool, args }: CallState): JsonObject {
  const sent = args as JsonObject;
  return engine.redactor === undefined ? sent : maskArguments(sent, argumentsSchemaOf(tool));
}

/** The JSON of the value at `path`, unless it is an object or a list. */
function sent(args: unknown, path: string, isInteger: boolean): string {
  const value = resolvePointer(args, path);
  if (path === "" || typeof value === "object") return "";
  if (isInteger) return String(value);
  return JSON.stringify(value) ?? "";
}

function knownNames(schema: JsonSchema, problems: readonly ValidationProblem[]): string[] {
  const unknown = problems
    .slice(0, readProblems)
    .filter(({ message }) => message === "is not a known property");
  const [first] = unknown;
  if (first === undefined) return [];
  const owner = first.path.slice(0, first.path.lastIndexOf("/"));
  const schemas = readBranch(schema, schema).schemasAt(owner) as ReadonlySet<JsonSchema>;
  const names = [
    ...new Set([...schemas].flatMap(({ properties }) => Object.keys(properties ?? {}))),
  ];
  names.sort(compareNames);
  if (names.length === 0) return [];
  const near = unknown
    .filter(({ path }) => path.lastIndexOf("/") === owner.length && path.startsWith(owner))
    .slice(0, maxListedProblems)
    .flatMap(({ path }) => nearNames(path.slice(owner.length + 1), names, 2));
  const listed = [...new Set([...near, ...names])].slice(0, 12);
  return [`Known: ${listed.join(", ")}${names.length > listed.length ? ", …" : ""}.`];
}
