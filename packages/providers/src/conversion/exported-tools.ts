import type {
  JsonObject,
  JsonSchema,
  JsonValue,
  Tool,
  ToolCall,
  Toolset,
  ToolSpec,
} from "@toolweave/core";
import {
  checks,
  isObject,
  uniqueNames,
  markRounded,
  parseLossless,
  stringifyExact,
} from "@toolweave/core/adapter";
import { portableRules } from "../rules/all-rules.ts";
import type { ProviderRules, RuleName } from "../rules/provider-rules.ts";
import { BadSchema, Unprojectable } from "../schema/projection-errors.ts";
import { projection, type Projection } from "../schema/projection.ts";
import { isReversible, restoredArguments } from "../schema/restored-arguments.ts";
import { schemaViolations } from "../schema/schema-violations.ts";

/** A tool that a provider would reject, and that is omitted from its list; or a list that is too long. */
export interface ProviderProblem {
  /** The tool's name. Absent: the problem is the whole list's. */
  readonly tool?: string;
  /** Where in the tool's schema: a JSON pointer. */
  readonly path?: string;
  /** The problem. */
  readonly message: string;
}

/**
 * A place where a provider is given a weaker schema than the tool's: a model may write a value there that the executor
 * then rejects, with an error that describes the expected one.
 */
export interface Simplified {
  /** The tool's name. */
  readonly tool: string;
  /** Where in the tool's schema: a JSON pointer; what several places refer to is at `/$defs`. */
  readonly path: string;
  /**
   * The provider's rule that is the reason, a name in `providerRules`. A rule of `openai-strict`
   * stands beside a tool that is sent with `strict: false`, because of that place.
   */
  readonly rule: RuleName;
}

/** One tool as a provider receives it. */
interface ExportedTool {
  /** Its name there. */
  readonly wireName: string;
  readonly description: string;
  readonly projection: Projection;
  /** The rules that it follows. */
  readonly rules: ProviderRules;
}

/** The tools from which every provider's list is made. */
export interface ExportedTools {
  readonly tools: readonly ExportedTool[];
  readonly problems: readonly ProviderProblem[];
  readonly simplified: readonly Simplified[];
  /** The call of a model that used the names there. */
  readonly call: (asked: ModelCall) => ToolCall;
  /** The name there of one of the tools; any other name stays as it is. */
  readonly wireName: (name: string) => string;
}

/** The fields of a model's call, which may be missing. */
interface ModelCall {
  readonly id: unknown;
  readonly name: unknown;
  /** JSON text, or a value. */
  readonly arguments: unknown;
}

/** The prefix of ids for calls that came without one. */
const callIdPrefix = "toolweave_";

/** The part of a tool's description that is projected. */
export type DescribedInput = Pick<ToolSpec, "inputSchema">;

type Attempt = Projection | BadSchema | Unprojectable;

/** A tool's description outlives the snapshots that show it: each is projected once for each provider. */
const attempts = new WeakMap<DescribedInput, Map<ProviderRules, Attempt>>();

/**
 * The tools of a snapshot as a provider's rules allow them.
 *
 * @throws ToolError `invalid_configuration` for what is no toolset.
 * @param rules what the tools follow: the first of these that a tool can follow.
 */
export function exportedTools(toolset: Toolset, ...rules: readonly ProviderRules[]): ExportedTools {
  checks.withMethods("executor.toolset or run.toolset", "names", "get").check("toolset", toolset);
  // And not `specs()`, which leaves out what is named in `problems` here.
  const specs = Array.from(toolset.names(), (name) => (toolset.get(name) as Tool).spec);
  const wireNames = uniqueNames(specs.map(({ name }) => name));
  const tools: ExportedTool[] = [];
  const problems: ProviderProblem[] = [];
  const simplified: Simplified[] = [];
  const byWireName = new Map<string, { readonly name: string; readonly tool: ExportedTool }>();
  const wireByName = new Map<string, string>();
  for (const [index, spec] of specs.entries()) {
    const wireName = wireNames[index] as string;
    for (const one of rules) {
      const attempt = projectOnce(spec, one);
      if (attempt instanceof BadSchema) {
        problems.push({ tool: spec.name, path: attempt.path, message: attempt.message });
        break;
      }
      if (attempt instanceof Unprojectable) {
        simplified.push({ tool: spec.name, ...attempt.part });
        continue;
      }
      for (const part of attempt.simplified) simplified.push({ tool: spec.name, ...part });
      const description = typeof spec.description === "string" ? spec.description : "";
      const tool = { wireName, description, projection: attempt, rules: one };
      tools.push(tool);
      byWireName.set(wireName, { name: spec.name, tool });
      wireByName.set(spec.name, wireName);
      break;
    }
  }
  const most = rules[0]?.toolCount?.most ?? Infinity;
  if (tools.length > most) {
    const message = `${tools.length} tools are more than the ${most} of one request: select fewer, or let the model search for them.`;
    problems.push({ message });
  }
  return {
    tools,
    problems,
    simplified,
    wireName: (name) => wireByName.get(name) ?? name,
    call: ({ id, name, arguments: args }) => {
      const known = typeof name === "string" ? byWireName.get(name) : undefined;
      return {
        id: typeof id === "string" && id !== "" ? id : newCallId(),
        name: known?.name ?? (typeof name === "string" ? name : ""),
        arguments: toArguments(args, known?.tool.projection),
      };
    },
  };
}

/** The schema of a tool by a provider's rules, or the reason why there is none. Projected once. */
export function projectOnce(spec: DescribedInput, rules: ProviderRules): Attempt {
  let known = attempts.get(spec);
  if (known === undefined) attempts.set(spec, (known = new Map()));
  let attempt = known.get(rules);
  if (attempt === undefined) known.set(rules, (attempt = tryProjection(spec, rules)));
  return attempt;
}

function tryProjection(spec: DescribedInput, rules: ProviderRules): Attempt {
  try {
    const { inputSchema } = spec;
    return rules === portableRules && isAccepted(inputSchema, rules)
      ? unchanged(inputSchema)
      : projection(inputSchema, rules);
  } catch (error) {
    if (error instanceof BadSchema || error instanceof Unprojectable) return error;
    // The schema's getter, which is foreign code, has failed; or the schema nests too deeply.
    const reason = error instanceof Error ? error.message : String(error);
    return new BadSchema("", `The schema cannot be read: ${reason.slice(0, 200)}`);
  }
}

function isAccepted(schema: JsonSchema, rules: ProviderRules): boolean {
  return schemaViolations(schema, rules).next().done === true;
}

function unchanged(schema: JsonSchema): Projection {
  return { schema, simplified: [], names: new Map(), nullForAbsent: new WeakMap() };
}

/** Arguments as the executor takes them: an object with its own names, or the text that the model wrote. */
function toArguments(args: unknown, projected: Projection | undefined): string | JsonObject {
  if (isNone(args)) return {};
  const restores = projected !== undefined && isReversible(projected);
  const value = typeof args === "string" ? (restores ? parseJson(args) : args) : markRounded(args);
  if (isObject(value)) return restores ? restoredArguments(value, projected) : value;
  // A value that is no object stays unchanged: the executor reports the problem.
  return typeof args === "string" ? args : (stringifyExact(args as JsonValue) ?? "");
}

/** True for what models send in place of no arguments: nothing, `null`, and a text of white space or `null`. */
export function isNone(args: unknown): boolean {
  if (typeof args === "string") return args !== "" && /^(?:null)?$/.test(args.trim());
  return args === null;
}

function parseJson(text: string): unknown {
  try {
    return parseLossless(text);
  } catch {
    return undefined;
  }
}

/** An id for a call that a model gave none. */
function newCallId(): string {
  return `${callIdPrefix}${globalThis.crypto.randomUUID().replaceAll("-", "")}`;
}

/** True for an id of `newCallId`: the provider knows nothing of it. */
export function isGeneratedCallId(id: string): boolean {
  return id.startsWith(callIdPrefix);
}
