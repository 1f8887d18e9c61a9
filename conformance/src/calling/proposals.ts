import {
  canonicalJson,
  type JsonObject,
  type PermissionRequest,
  type PreflightContext,
  type Tool,
} from "@toolweave/core";
import fc from "fast-check";
import type { CheckContext } from "../context/check.ts";
import { messageOf, show } from "../contract/finding.ts";
import type { Fault } from "../reading/check-each.ts";
import { once } from "../context/once.ts";
import { isObject } from "../schema/subschemas.ts";
import { argumentsOf, usableTools, type UsableTool } from "./usable-tool.ts";
import { knownArguments } from "../execution/sample-run.ts";

/** So many arguments are made for one tool, beside those of the sample calls. */
const argumentSets = 20;

/** What a preflight answered. */
export interface Proposal {
  readonly args: JsonObject;
  /** Whatever it gave. Nothing when it threw: such a call is refused. */
  readonly given: unknown;
  /** What it has made of the arguments, when it has changed them. */
  readonly changed?: JsonObject;
}

/** A tool that says what its calls would do, and what it says. */
export interface ProposingTool extends UsableTool {
  readonly proposals: readonly Proposal[];
  /** It did not answer as it has to: it never does, or stumbles. */
  readonly silence?: Fault;
}

/** Asks each tool that has a preflight what generated and known calls would do; once for all rules. */
export function proposingTools(context: CheckContext): Promise<readonly ProposingTool[]> {
  return once(context, "proposals", async () => {
    const { tools } = await usableTools(context);
    const asked: ProposingTool[] = [];
    for (const usable of tools) {
      if (usable.tool.preflight === undefined) continue;
      const one = await ask(context, usable);
      asked.push(one);
      // One that never answers is waited for once: others of its make would take as long.
      if (one.proposals.length === 0 && one.silence !== undefined) break;
    }
    return asked;
  });
}

/** The permissions among what was proposed that can be read. */
export function permissionsOf({ given }: Proposal): readonly PermissionRequest[] {
  if (!Array.isArray(given)) return [];
  return given.filter(
    (request): request is PermissionRequest =>
      isObject(request) &&
      typeof request["kind"] === "string" &&
      typeof request["target"] === "string" &&
      typeof request["summary"] === "string",
  );
}

/** What came of asking a preflight. */
export type Answer =
  | { readonly given: unknown }
  | { readonly thrown: unknown }
  /** It did not answer, and how long that was waited for. */
  | { readonly late: string };

/** Asks the tool's own preflight, within the deadline. */
export async function propose(
  context: CheckContext,
  { tool, spec }: UsableTool,
  args: JsonObject,
): Promise<Answer> {
  const ctx: PreflightContext = {
    callId: "conformance",
    toolName: spec.name,
    runId: "conformance",
    signal: new AbortController().signal,
    ...injectedFor(tool, context),
  };
  const answer = async (): Promise<Answer> => {
    try {
      return { given: await tool.preflight?.(args, ctx) };
    } catch (thrown) {
      return { thrown };
    }
  };
  return context.within(answer(), "preflight").catch((error: unknown) => ({
    late: messageOf(error),
  }));
}

async function ask(context: CheckContext, usable: UsableTool): Promise<ProposingTool> {
  const { manifest, seed } = context;
  const known = knownArguments(manifest, usable.spec.name).filter(usable.accepts);
  const made = fc.sample(argumentsOf(usable, known, seed), { seed, numRuns: argumentSets });
  const proposals: Proposal[] = [];
  let silence: Fault | undefined;
  for (const args of [...known, ...made]) {
    // What the tool's own check refuses never gets as far as its preflight.
    if (!(await isValid(context, usable, args))) continue;
    const used = structuredClone(args);
    const answer = await propose(context, usable, used);
    if ("given" in answer) {
      const isChanged = canonicalJson(used) !== canonicalJson(args);
      proposals.push({ args, given: answer.given, ...(isChanged ? { changed: used } : {}) });
    } else if ("late" in answer) {
      const wrong = "does not say what a call would do: its preflight never answers";
      return { ...usable, proposals: [], silence: { wrong, seen: answer.late } };
    } else if (isSlip(answer.thrown)) {
      const wrong = "has a preflight that stumbles over arguments which its schema accepts";
      silence ??= { wrong, seen: `${messageOf(answer.thrown)}, with ${show(args)}` };
    }
  }
  return { ...usable, proposals, ...(silence === undefined ? {} : { silence }) };
}

/** To throw is to refuse the call, and any error will do; but for one that nobody has meant. */
function isSlip(thrown: unknown): boolean {
  return (thrown instanceof TypeError || thrown instanceof ReferenceError) && !("code" in thrown);
}

/** The tool's own check has nothing against them; how it fails is for other rules to say. */
export async function isValid(
  context: CheckContext,
  { tool, accepts }: UsableTool,
  args: JsonObject,
): Promise<boolean> {
  if (!accepts(args)) return false;
  if (tool.validate === undefined) return true;
  try {
    const checked = Promise.resolve(tool.validate(structuredClone(args)));
    return ((await context.within(checked, "validate")) ?? []).length === 0;
  } catch {
    return false;
  }
}

function injectedFor(
  { spec }: Tool,
  { manifest }: CheckContext,
): Pick<PreflightContext, "injected"> {
  if (spec.injected === undefined || manifest.injected === undefined) return {};
  const shown = spec.injected.filter(
    ({ name, secret }) => secret !== true && Object.hasOwn(manifest.injected ?? {}, name),
  );
  return {
    injected: Object.fromEntries(shown.map(({ name }) => [name, manifest.injected?.[name]])),
  };
}
