import { isObject, canonicalJson, type PreflightContext } from "@toolweave/core/adapter";
import type { JsonObject, PermissionRequest, Tool } from "@toolweave/core";
import fc from "fast-check";
import { memoizePerRun, type CheckContext } from "../context/check.ts";
import {
  formatError,
  formatValue,
  notApplicable,
  type Finding,
  type Fault,
} from "../contract/finding.ts";
import { checkEach } from "../faults/check-each.ts";
import { generateArguments, findUsableTools, type UsableTool } from "./usable-tool.ts";
import { argumentsOfSamples } from "../execution/run-sample.ts";

/**
 * The number of arguments that are generated for one tool, in addition to those of the sample
 * calls.
 */
const argumentSets = 20;

/** The result of a preflight. */
export interface Proposal {
  readonly args: JsonObject;
  /** The value that it returned. */
  readonly given: unknown;
  /** The arguments after the preflight, if it changed them. */
  readonly changed?: JsonObject;
}

/** A tool with a preflight, and what the preflight proposed. */
export interface ProposingTool extends UsableTool {
  readonly proposals: readonly Proposal[];
  /** The fault if the preflight does not end or has a programming error. */
  readonly failure?: Fault;
}

/**
 * Runs the preflight of each tool that has one for generated and known arguments, once for all
 * rules.
 */
export function collectProposals(context: CheckContext): Promise<readonly ProposingTool[]> {
  return memoizePerRun(context, "proposals", async () => {
    const { tools } = await findUsableTools(context);
    const asked: ProposingTool[] = [];
    for (const usable of tools) {
      if (usable.tool.preflight === undefined) continue;
      const one = await proposeForTool(context, usable);
      asked.push(one);
      // A preflight that does not end is awaited once: other tools of the source would take as
      // long.
      if (one.proposals.length === 0 && one.failure !== undefined) break;
    }
    return asked;
  });
}

/** The valid permissions of a proposal. */
export function validPermissions({ given }: Proposal): readonly PermissionRequest[] {
  if (!Array.isArray(given)) return [];
  return given.filter(
    (request): request is PermissionRequest =>
      isObject(request) &&
      typeof request["kind"] === "string" &&
      typeof request["target"] === "string" &&
      typeof request["summary"] === "string",
  );
}

/** The result of running a preflight. */
export type PreflightResult =
  | { readonly given: unknown }
  | { readonly thrown: unknown }
  /** The preflight did not end; the message of the timeout. */
  | { readonly late: string };

/** Runs the preflight of the tool, within the deadline. */
export async function runPreflight(
  context: CheckContext,
  { tool, spec }: UsableTool,
  args: JsonObject,
): Promise<PreflightResult> {
  const ctx: PreflightContext = {
    callId: "conformance",
    toolName: spec.name,
    runId: "conformance",
    signal: new AbortController().signal,
    ...injectedValues(tool, context),
  };
  const answer = async (): Promise<PreflightResult> => {
    try {
      return { given: await tool.preflight?.(args, ctx) };
    } catch (thrown) {
      return { thrown };
    }
  };
  return context.withDeadline(answer(), "preflight").catch((error: unknown) => ({
    late: formatError(error),
  }));
}

async function proposeForTool(context: CheckContext, usable: UsableTool): Promise<ProposingTool> {
  const { manifest, seed } = context;
  const known = argumentsOfSamples(manifest, usable.spec.name).filter(usable.accepts);
  const made = fc.sample(generateArguments(usable, known, seed), { seed, numRuns: argumentSets });
  const proposals: Proposal[] = [];
  let failure: Fault | undefined;
  for (const args of [...known, ...made]) {
    // Arguments that the tool's own validation rejects never reach its preflight.
    if (!(await passesValidation(context, usable, args))) continue;
    const used = structuredClone(args);
    const answer = await runPreflight(context, usable, used);
    if ("given" in answer) {
      const isChanged = canonicalJson(used) !== canonicalJson(args);
      proposals.push({ args, given: answer.given, ...(isChanged ? { changed: used } : {}) });
    } else if ("late" in answer) {
      const wrong = "has a preflight that does not end";
      return { ...usable, proposals: [], failure: { wrong, seen: answer.late } };
    } else if (isProgrammingError(answer.thrown)) {
      const wrong =
        "has a preflight with a programming error for arguments that its schema accepts";
      failure ??= { wrong, seen: `${formatError(answer.thrown)}, with ${formatValue(args)}` };
    }
  }
  return { ...usable, proposals, ...(failure === undefined ? {} : { failure }) };
}

/**
 * True for a programming error. Any other error of a preflight refuses the call, which is allowed.
 */
function isProgrammingError(thrown: unknown): boolean {
  return (thrown instanceof TypeError || thrown instanceof ReferenceError) && !("code" in thrown);
}

/** True if the tool's own validation accepts the arguments. Other rules report how it fails. */
export async function passesValidation(
  context: CheckContext,
  { tool, accepts }: UsableTool,
  args: JsonObject,
): Promise<boolean> {
  if (!accepts(args)) return false;
  if (tool.validate === undefined) return true;
  try {
    const checked = Promise.resolve(tool.validate(structuredClone(args)));
    return ((await context.withDeadline(checked, "validate")) ?? []).length === 0;
  } catch {
    return false;
  }
}

function injectedValues(
  { spec }: Tool,
  { manifest }: CheckContext,
): Pick<PreflightContext, "injected"> {
  if (spec.injected === undefined || manifest.injected === undefined) return {};
  const visible = spec.injected.filter(
    ({ name, secret }) => secret !== true && Object.hasOwn(manifest.injected ?? {}, name),
  );
  return {
    injected: Object.fromEntries(visible.map(({ name }) => [name, manifest.injected?.[name]])),
  };
}

/** The number of proposals of each tool for which the preflight is repeated. */
export const maxRepeatedProposals = 3;

/** The finding if no tool has a preflight. */
export const noPreflight: Finding = notApplicable("No tool has a preflight.");

/** Checks the tools whose preflights return; TW-PERM-006 reports the others. */
export async function checkProposals(
  context: CheckContext,
  done: string,
  findFault: (tool: ProposingTool) => Fault | undefined | Promise<Fault | undefined>,
): Promise<Finding> {
  const tools = (await collectProposals(context)).filter(({ proposals }) => proposals.length > 0);
  return tools.length === 0 ? noPreflight : checkEach(tools, done, findFault);
}

/** Finds the fault with the smallest arguments. */
export function findSmallestFault(
  proposals: readonly Proposal[],
  findFault: (proposal: Proposal) => Fault | undefined,
): Fault | undefined {
  let found: Fault | undefined;
  let length = Infinity;
  for (const proposal of proposals) {
    const fault = findFault(proposal);
    const own = canonicalJson(proposal.args).length;
    if (fault === undefined || own >= length) continue;
    found = { ...fault, seen: { arguments: proposal.args, proposed: fault.seen } };
    length = own;
  }
  return found;
}

/** Finds the first fault in the permissions that a tool proposes. */
export function findPermissionFault(
  tool: ProposingTool | undefined,
  describeFault: (request: PermissionRequest) => string | undefined,
): Fault | undefined {
  return findSmallestFault(tool?.proposals ?? [], (proposal) => {
    for (const request of validPermissions(proposal)) {
      const wrong = describeFault(request);
      if (wrong !== undefined) return { wrong, seen: request };
    }
    return undefined;
  });
}

/** Repeats the preflight for some of the arguments. */
export async function repeatPreflight(
  context: CheckContext,
  tool: ProposingTool,
  findFault: (before: Proposal, again: unknown) => Fault | undefined,
): Promise<Fault | undefined> {
  for (const before of tool.proposals.slice(0, maxRepeatedProposals)) {
    const answer = await runPreflight(context, tool, structuredClone(before.args));
    const fault = findFault(before, "given" in answer ? answer.given : answer);
    if (fault !== undefined) return fault;
  }
  return undefined;
}
