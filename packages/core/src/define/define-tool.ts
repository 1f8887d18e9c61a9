import {
  isThenable,
  type Awaitable,
  type JsonObject,
  type JsonSchema,
  type JsonValue,
  type Metadata,
} from "../json/json.ts";
import type {
  InjectedParameter,
  OutputLimit,
  RetryPolicy,
  ToolAnnotations,
  ToolSpec,
} from "../contract/tool-spec.ts";
import { approvalKind, type PermissionRequest } from "../contract/policy-definition.ts";
import type {
  PreflightContext,
  Tool,
  ToolContext,
  ToolReturn,
  ValidationProblem,
} from "../contract/tool.ts";
import type { Suspension } from "../contract/interruption.ts";
import { overflowCheck } from "../artifacts/large-outputs.ts";
import { checkOptions, isAtLeastZero, type OptionChecks } from "../contract/check-options.ts";
import {
  anyText,
  atLeastZero,
  callback,
  checkedElsewhere,
  object,
  oneOf,
  valueThat,
} from "../contract/option-checks.ts";
import { formatValue } from "../text/format-value.ts";
import { cleanName, isToolName, toolNamePattern } from "../contract/tool-names.ts";
import { ToolError } from "../contract/tool-error.ts";
import { checkRetry } from "../contract/retry-policy.ts";
import { compilePaths } from "../redaction/path-rules.ts";
import type { ToolOutput } from "../contract/tool-result.ts";
import type { TypedTool } from "../contract/tool-types.ts";
import type { AnySchema, ArgumentsOf, InputOf, OutputOf } from "./infer.ts";
import { toInputSchema, toOutputSchema } from "./definition-schemas.ts";
import { requestHostResult } from "./host-result.ts";
import {
  isStandardSchema,
  standardInput,
  standardOutput,
  type StandardInput,
} from "./standard-schema.ts";

/**
 * The possible results of a tool's code: with an `output` schema a value of that schema, a `ToolOutput` or a
 * `Suspension`; without one anything, which is converted to JSON. A stream or a `Response` is read. The yields of a
 * generator are updates for the host, and its return value is the result.
 */
export type ExecuteReturn<Output = undefined> = [JsonSchema] extends [Output]
  ? unknown
  : [Output] extends [AnySchema]
    ?
        | Awaitable<OutputOf<Output> | ToolOutput | Suspension | Response | ReadableStream>
        | AsyncGenerator<unknown, OutputOf<Output> | ToolOutput | Suspension, undefined>
    : unknown;

/** The type of a result's `value`; any JSON without an `output` schema. */
type ValueOf<Output> = [Output] extends [AnySchema]
  ? [JsonSchema] extends [Output]
    ? JsonValue
    : OutputOf<Output>
  : JsonValue;

/** A tool as a person writes it. */
export interface ToolDefinition<
  Input extends AnySchema,
  Injected = unknown,
  Output extends AnySchema | undefined = AnySchema | undefined,
> {
  /** `^[A-Za-z_][A-Za-z0-9_-]{0,63}$` */
  readonly name: string;
  readonly title?: string;
  /** The description for the model. */
  readonly description: string;
  /** A JSON Schema of an object, or a Standard Schema (Zod 4, ArkType, Valibot). */
  readonly input: Input;
  /** Beside a Standard Schema that gives no JSON Schema of its own. */
  readonly inputSchema?: JsonSchema;
  /** The schema of the result. A result that does not match it is an error. */
  readonly output?: Output;
  readonly annotations?: ToolAnnotations;
  readonly injected?: readonly InjectedParameter[];
  /** Milliseconds. 0: none. Default: the executor's. */
  readonly timeoutMs?: number;
  readonly retry?: RetryPolicy;
  readonly execution?: "inline" | "task";
  /** Absent: the executor's. */
  readonly outputLimit?: OutputLimit;
  readonly metadata?: Metadata;
  /**
   * Asks a person before the call, under every policy but one with a rule that names it: see `needsApprovalHint`. A
   * function decides by the arguments. Default: false.
   */
  readonly needsApproval?: boolean | ((args: ArgumentsOf<Input>) => Awaitable<boolean>);
  /** Declares the actions that a call intends, for the policy to decide on. Must not perform any of them. */
  readonly preflight?: (
    args: ArgumentsOf<Input>,
    ctx: PreflightContext,
  ) => Awaitable<readonly PermissionRequest[]>;
  /** The work. Absent: the host runs it, and gives the result when it resumes the call. */
  readonly execute?: (
    args: ArgumentsOf<Input>,
    ctx: ToolContext<Injected>,
  ) => ExecuteReturn<Output>;
}

/**
 * Makes a tool out of a function. The arguments' type follows from `input`; they are validated before the function sees
 * them.
 *
 * @throws ToolError `invalid_configuration` for an invalid definition; the text says what to write.
 * @example
 * ```ts
 * const add = defineTool({
 *   name: "add",
 *   description: "Add two numbers.",
 *   input: { type: "object", properties: { a: { type: "number" }, b: { type: "number" } }, required: ["a", "b"] },
 *   execute: ({ a, b }) => a + b,
 * });
 * ```
 */
export function defineTool<
  const Input extends AnySchema,
  Injected = unknown,
  const Output extends AnySchema | undefined = AnySchema | undefined,
>(
  definition: ToolDefinition<Input, Injected, Output>,
): TypedTool<InputOf<Input>, ValueOf<Output>, Injected> {
  checkOptions("defineTool", definition, definitionChecks);
  const { input, execute, needsApproval, preflight } = definition;
  check(definition);
  const standard = isStandardSchema(input) ? standardInput(input) : undefined;
  const parse = (args: JsonObject): Awaitable<ArgumentsOf<Input>> =>
    (standard === undefined ? args : standard.parse(args)) as Awaitable<ArgumentsOf<Input>>;
  const tool: Writable<TypedTool<InputOf<Input>, ValueOf<Output>, Injected>> = {
    spec: toSpec(definition),
    invoke(args, ctx) {
      if (execute === undefined) return requestHostResult(args, ctx);
      const parsed = parse(args);
      if (isThenable(parsed)) return parsed.then((value) => settle(execute(value, ctx), ctx));
      return settle(execute(parsed, ctx), ctx);
    },
  };
  if (standard !== undefined) {
    tool.validate = validator(standard);
    tool.argumentsValidation = "tool";
  }
  const { output } = definition;
  if (isStandardSchema(output)) tool.parseOutput = standardOutput(output);
  if (typeof needsApproval === "function" || preflight !== undefined) {
    tool.preflight = intentions(definition, parse);
  }
  return tool;
}

const definitionChecks: OptionChecks<ToolDefinition<AnySchema>> = {
  name: checkedElsewhere,
  title: anyText,
  description: checkedElsewhere,
  input: /* @__PURE__ */ valueThat((value) => value !== null, "a JSON Schema, or a Zod schema"),
  inputSchema: object,
  output: checkedElsewhere,
  annotations: checkedElsewhere,
  injected: checkedElsewhere,
  timeoutMs: checkedElsewhere,
  retry: checkedElsewhere,
  execution: /* @__PURE__ */ oneOf("inline", "task"),
  outputLimit: checkedElsewhere,
  metadata: object,
  needsApproval: /* @__PURE__ */ valueThat(
    (value) => typeof value === "boolean" || typeof value === "function",
    "true, false or a function",
  ),
  preflight: callback,
  execute: callback,
};

/** The part of a definition that is data. */
type DefinitionData = Omit<ToolDefinition<AnySchema>, "needsApproval" | "preflight" | "execute"> & {
  readonly needsApproval?: unknown;
};

const injectedCheck = valueThat(
  (value) =>
    Array.isArray(value) &&
    value.every((one: Partial<InjectedParameter> | null) => typeof one?.name === "string"),
  'a list such as [{ name: "tenant" }]',
);

function check(definition: DefinitionData): void {
  const { name, input, inputSchema, timeoutMs } = definition;
  if (!isToolName(name)) {
    const pattern = String(toolNamePattern);
    const example = typeof name === "string" ? `, such as ${cleanName(name)}` : "";
    throw defect(`"${name}" is no tool name: it must match ${pattern}${example}.`);
  }
  if (typeof definition.description !== "string") {
    throw defect(`${name}: say in description what the tool does; the model chooses by it.`);
  }
  if (typeof input !== "object" && typeof input !== "function") {
    const example = `{ type: "object", properties: {…} }, or a Zod schema`;
    throw defect(
      inputSchema === undefined
        ? `${name}: input is missing: ${example}.`
        : `${name}: input is missing; inputSchema is only for the JSON Schema of a validator in input. Pass it as input: ${example}.`,
    );
  }
  if (timeoutMs !== undefined && !isAtLeastZero(timeoutMs)) {
    throw defect(
      `${name}: timeoutMs is ${formatValue(timeoutMs)}; use 0 for none, or leave it out.`,
    );
  }
  if (definition.injected !== undefined) {
    injectedCheck.check(`defineTool: ${name}: injected`, definition.injected);
  }
  if (definition.outputLimit !== undefined) checkOutputLimit(name, definition.outputLimit);
  if (definition.annotations !== undefined) checkAnnotations(name, definition.annotations);
  if (definition.retry !== undefined) checkRetry(`${name}: retry`, definition.retry);
}

function checkOutputLimit(name: string, limit: OutputLimit): void {
  checkOptions(`${name}: outputLimit`, limit, ["maxBytes", "onOverflow"]);
  const { maxBytes = 0, onOverflow = "store" } = limit;
  atLeastZero.check(`${name}: outputLimit.maxBytes`, maxBytes);
  overflowCheck.check(`${name}: outputLimit.onOverflow`, onOverflow);
}

/** A record of all of them, so that none is forgotten; true: a hint, which is true or false. */
const annotationKeys: Record<keyof ToolAnnotations, boolean> = {
  title: false,
  readOnlyHint: true,
  destructiveHint: true,
  idempotentHint: true,
  openWorldHint: true,
  needsApprovalHint: true,
  streamingHint: true,
  access: false,
  redact: false,
};

/** A misspelt annotation could let a call run that the host wanted to be approved. */
function checkAnnotations(name: string, annotations: ToolAnnotations): void {
  checkOptions(`${name}: annotations`, annotations, Object.keys(annotationKeys));
  compilePaths(`${name}: annotations.redact`, annotations.redact);
  for (const [key, value] of Object.entries(annotations) as [keyof ToolAnnotations, unknown][]) {
    if (!annotationKeys[key] || value === undefined || typeof value === "boolean") continue;
    throw defect(`${name}: annotations.${key} is ${formatValue(value)}; use true or false.`);
  }
}

/** Members are added one by one, since a spread of each makes an object of its own: hosts define tools by the thousands. */
function toSpec(definition: DefinitionData): ToolSpec {
  const { name, title, description, output, injected, timeoutMs, retry } = definition;
  const { annotations = {}, execution, outputLimit, metadata, needsApproval } = definition;
  const spec: Writable<ToolSpec> = {
    name,
    description,
    inputSchema: toInputSchema(definition),
    annotations: needsApproval === true ? { ...annotations, needsApprovalHint: true } : annotations,
    provenance: { adapter: "code" },
  };
  if (title !== undefined) spec.title = title;
  if (output !== undefined) spec.outputSchema = toOutputSchema(name, output);
  if (injected !== undefined) spec.injected = injected;
  if (timeoutMs !== undefined) spec.timeoutMs = timeoutMs;
  if (retry !== undefined) spec.retry = retry;
  if (execution !== undefined) spec.execution = execution;
  if (outputLimit !== undefined) spec.outputLimit = outputLimit;
  if (metadata !== undefined) spec.metadata = metadata;
  return spec;
}

type Writable<Type> = { -readonly [Key in keyof Type]: Type[Key] };

function validator(standard: StandardInput): NonNullable<Tool["validate"]> {
  return (args): Awaitable<readonly ValidationProblem[] | undefined> => standard.validate(args);
}

/** The intentions of a call: the permissions of `preflight`, and the approval that a function `needsApproval` asks for. */
function intentions<Input extends AnySchema>(
  {
    name,
    needsApproval,
    preflight,
  }: Pick<ToolDefinition<Input>, "name" | "needsApproval" | "preflight">,
  parse: (args: JsonObject) => Awaitable<ArgumentsOf<Input>>,
): NonNullable<Tool["preflight"]> {
  const approval: PermissionRequest = {
    kind: approvalKind,
    target: name,
    summary: `Call ${name}`,
  };
  return async (args, ctx) => {
    const parsed = await parse(args);
    const proposed = preflight === undefined ? [] : await preflight(parsed, ctx);
    const asks = typeof needsApproval === "function" && (await needsApproval(parsed));
    return asks ? [...proposed, approval] : proposed;
  };
}

function settle(returned: unknown, ctx: ToolContext): Awaitable<ToolReturn> {
  // The executor converts any value to JSON.
  return isGenerator(returned) ? drive(returned, ctx) : (returned as Awaitable<ToolReturn>);
}

function isGenerator(value: unknown): value is AsyncGenerator<ToolReturn, ToolReturn, undefined> {
  if (typeof value !== "object" || value === null || !(Symbol.asyncIterator in value)) return false;
  // A stream can be iterated, too, and is an answer.
  const { next, throw: raise } = value as Partial<AsyncGenerator>;
  return typeof next === "function" && typeof raise === "function";
}

async function drive(
  generator: AsyncGenerator<ToolReturn, ToolReturn, undefined>,
  ctx: ToolContext,
): Promise<ToolReturn> {
  // A generator that is cut off must get to its `finally`.
  const stop = (): void => void generator.return(undefined).catch(() => {});
  ctx.signal.addEventListener("abort", stop, { once: true });
  try {
    for (;;) {
      const step = await generator.next();
      if (step.done === true) return step.value;
      const taken = ctx.update(step.value as ToolOutput);
      if (isThenable(taken)) await taken;
    }
  } finally {
    ctx.signal.removeEventListener("abort", stop);
  }
}

function defect(message: string): ToolError {
  return new ToolError("invalid_configuration", message);
}
