import fc from "fast-check";
import type { JsonObject, PermissionRequest, PreflightContext, Tool } from "@toolweave/core";
import { check, type Check, type CheckContext } from "../check.ts";
import { messageOf, notApplicable } from "../finding.ts";
import { lookAt, type Fault } from "../look-at.ts";
import { callLabel, knownArguments } from "../sample-run.ts";
import { argumentsOf, usableTools, type UsableTool } from "../schema/usable-tool.ts";

const argumentSets = 20;

/** What tools say that they do, beside what they do. */
export const permissionChecks: readonly Check[] = [
  check("TW-PERM-001", async (context) => {
    const readOnly = await usableTools(
      context,
      ({ annotations }) => annotations?.readOnlyHint === true,
    );
    if (readOnly.tools.length === 0) return notApplicable("No tool calls itself read-only.");
    return lookAt(
      readOnly.tools,
      "Asked each read-only tool what generated calls would do",
      (tool) => accessFault(tool) ?? preflightFault(tool, context),
    );
  }),

  check("TW-PERM-002", async (context) => {
    const tools = (await context.fresh()).callable();
    const calls = context.samples("effectCalls").map((call) => ({ call, label: callLabel(call) }));
    return lookAt(calls, "Read the annotations of each tool that has an effect", ({ call }) => {
      const annotations = tools.find(({ spec }) => spec.name === call.tool)?.spec.annotations;
      return annotations?.readOnlyHint === true
        ? { wrong: "has an effect and calls itself read-only", seen: annotations }
        : undefined;
    });
  }),
];

function accessFault({ spec }: UsableTool): Fault | undefined {
  const { access } = spec.annotations;
  return access?.filesystem === "write" || access?.spend === true
    ? { wrong: "calls itself read-only and declares that it writes or spends", seen: access }
    : undefined;
}

async function preflightFault(
  usable: UsableTool,
  { manifest, seed, within }: CheckContext,
): Promise<Fault | undefined> {
  const { tool, spec } = usable;
  if (tool.preflight === undefined) return undefined;
  const ctx: PreflightContext = {
    callId: "conformance",
    toolName: spec.name,
    runId: "conformance",
    signal: new AbortController().signal,
  };
  let found: Fault | undefined;
  let hung = false;
  const all = argumentsOf(usable, knownArguments(manifest, spec.name), seed);
  const property = fc.asyncProperty(all, async (args) => {
    if (hung) return true;
    const proposed = proposedBy(tool, args, ctx);
    const requests = await within(proposed, "preflight").catch((error: unknown) => {
      hung = true;
      found = { wrong: "does not say what a call would do", seen: messageOf(error) };
      return [];
    });
    const write = requests.find(({ kind }) => kind === "fs.write" || kind === "spend");
    if (write === undefined) return true;
    const seen = { arguments: args, proposed: write };
    found = { wrong: `calls itself read-only and proposes ${write.kind}`, seen };
    return false;
  });
  await fc.check(property, { seed, numRuns: argumentSets });
  return found;
}

/** What a call would do; nothing when that cannot be said, since such a call is refused. */
async function proposedBy(
  tool: Tool,
  args: JsonObject,
  ctx: PreflightContext,
): Promise<readonly PermissionRequest[]> {
  try {
    return (await tool.preflight?.(args, ctx)) ?? [];
  } catch {
    return [];
  }
}
