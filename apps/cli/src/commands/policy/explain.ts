import type {
  Caller,
  Decision,
  ExplainedRequest,
  Explanation,
  PolicyEffect,
} from "@toolweave/core";
import { argumentsSchemaOf } from "@toolweave/core/adapter";
import { readObjectOption } from "../../input/json-option.ts";
import { parseArguments } from "../../input/parse-arguments.ts";
import type { ToolOptions } from "../../input/tool-options.ts";
import type { CliIo } from "../../process/cli-io.ts";
import { UsageError, exitCode } from "../../process/exit-code.ts";
import type { Output } from "../../process/output.ts";
import { describeError } from "../../render/describe-error.ts";
import { formatRemedy, type ToolPlaces } from "../../render/remedy.ts";
import { formatJson } from "../../render/json.ts";
import { safeLine, safeValue } from "../../render/text.ts";
import { planSources } from "../../sources/load-sources.ts";
import { commandStore } from "../../store/open-store.ts";
import { createExecutor } from "../shared/executor.ts";
import { printPolicyWarnings } from "../shared/hints.ts";
import { cannotContinue, unknownToolError } from "../shared/tool-lookup.ts";

/** The options of `toolweave policy explain`. */
export interface ExplainOptions extends ToolOptions {
  readonly args?: string;
  readonly policy?: string;
  readonly store?: string;
  readonly caller?: string;
  readonly role?: readonly string[];
  readonly json?: boolean;
  readonly verbose?: boolean;
}

/** `toolweave policy explain`: prints the decision about a call, and which rule decides. */
export async function explain(
  tool: string,
  words: readonly string[],
  options: ExplainOptions,
  io: CliIo,
  output: Output,
): Promise<number> {
  const { verbose = false, args: written } = options;
  const caller = toCaller(options);
  const plan = await planSources(options, io, output);
  const base = written === undefined ? {} : await readObjectOption("--args", written, io);
  const { registry, failures, policy, store: place, places } = await plan.load();
  const store = await commandStore(options.store, place, io.env);
  try {
    for (const failure of failures) output.printMessage(describeError(failure, verbose));
    const found = registry.get(tool);
    if (cannotContinue(plan, failures, found)) return exitCode.sourceFailed;
    if (found === undefined) throw unknownToolError(registry, tool);
    const executor = createExecutor({ registry, policy, store });
    const warnings = printPolicyWarnings(executor, output);
    const isCall = written !== undefined || words.length > 0;
    const explanation = await executor.explain(
      {
        name: tool,
        ...(isCall ? { arguments: parseArguments(words, argumentsSchemaOf(found), base) } : {}),
      },
      caller === undefined ? {} : { caller },
    );
    if (options.json === true) {
      await output.write(formatJson({ ...explanation, warnings }, output));
    } else {
      const { source } = found.spec.provenance;
      const lines = explanationLines(explanation, isCall, { ...places, source });
      for (const line of lines) await output.write(`${line}\n`);
    }
    const { problem } = explanation;
    if (problem === undefined || problem.code === "not_advertised") return exitCode.completed;
    output.printMessage(describeError(problem, verbose));
    return problem.code === "invalid_arguments" ? exitCode.usage : exitCode.toolError;
  } finally {
    await store.close();
    await registry.close();
  }
}

function toCaller({ caller, role }: ExplainOptions): Caller | undefined {
  if (caller !== undefined) return { id: caller, ...(role === undefined ? {} : { roles: role }) };
  if (role === undefined) return undefined;
  throw new UsageError("--role is of a caller: give --caller, too.");
}

const verdicts: Readonly<Record<PolicyEffect, string>> = {
  allow: "runs without asking",
  ask: "asks first",
  deny: "is denied",
};

function* explanationLines(
  { tool, advertised, effect, requests, problem }: Explanation,
  isCall: boolean,
  places: ToolPlaces,
): Generator<string> {
  if (problem === undefined || !advertised) yield `${safeValue(tool)} ${verdicts[effect]}.`;
  yield advertised
    ? "It is advertised: a model can see and call it."
    : "It is not advertised: a model cannot see or call it.";
  for (const request of requests) yield* requestLines(request, tool, places);
  if (isCall || requests.length === 0) return;
  yield "";
  yield "This is the decision about the tool. Rules may depend on the permissions of a call: add arguments to see them.";
}

function* requestLines(
  request: ExplainedRequest,
  tool: string,
  places: ToolPlaces,
): Generator<string> {
  const { permission, considered, grant } = request;
  const { kind, target } = permission;
  yield "";
  yield kind === "custom.call" && target === tool
    ? "the call itself"
    : `${safeValue(kind)} ${safeValue(target)}`;
  yield `  ${decisionLine(request)}`;
  if (request.remedy !== undefined)
    yield `  to change this: ${formatRemedy(request.remedy, permission, places)}`;
  const others = considered.filter((other) => !isSame(other, request));
  if (others.length > 0) yield "  also matched:";
  for (const other of others) yield `    ${decisionLine(other)}`;
  if (grant !== undefined) {
    yield `  answered by the grant ${safeValue(grant.id)}: no person is asked`;
  }
}

/** Formats a decision with its rule and its layer. */
function decisionLine({ effect, rule, layer, reason }: Omit<Decision, "ask" | "cause">): string {
  // The default reason of a rule names it already.
  const where = reason.startsWith(`${layer}: ${rule} `)
    ? ""
    : ` (${safeValue(rule)} of ${safeValue(layer)})`;
  return `${effect.padEnd(5)}  ${safeLine(reason)}${where}`;
}

function isSame(decision: Decision, request: ExplainedRequest): boolean {
  const { effect, rule, layer } = decision;
  return effect === request.effect && rule === request.rule && layer === request.layer;
}
