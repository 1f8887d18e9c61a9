import type { PermissionRequest } from "@toolweave/core";
import { canonicalJson } from "@toolweave/core/adapter";
import type { CheckContext } from "../context/check.ts";
import { notApplicable, type Finding } from "../contract/finding.ts";
import { checkEach, type Fault } from "../faults/check-each.ts";
import {
  validPermissions,
  runPreflight,
  collectProposals,
  type Proposal,
  type ProposingTool,
} from "./proposals.ts";

/** The number of proposals of each tool for which the preflight is repeated. */
export const maxRepeatedProposals = 3;

/** The finding if no tool has a preflight. */
export const noPreflight: Finding = notApplicable("No tool has a preflight.");

/** Checks the tools whose preflights return; TW-PERM-006 reports the others. */
export async function checkProposals(
  context: CheckContext,
  done: string,
  faultOf: (tool: ProposingTool) => Fault | undefined | Promise<Fault | undefined>,
): Promise<Finding> {
  const tools = (await collectProposals(context)).filter(({ proposals }) => proposals.length > 0);
  return tools.length === 0 ? noPreflight : checkEach(tools, done, faultOf);
}

/** Finds the fault with the smallest arguments. */
export function findSmallestFault(
  proposals: readonly Proposal[],
  faultOf: (proposal: Proposal) => Fault | undefined,
): Fault | undefined {
  let found: Fault | undefined;
  let length = Infinity;
  for (const proposal of proposals) {
    const fault = faultOf(proposal);
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
  wrongOf: (request: PermissionRequest) => string | undefined,
): Fault | undefined {
  return findSmallestFault(tool?.proposals ?? [], (proposal) => {
    for (const request of validPermissions(proposal)) {
      const wrong = wrongOf(request);
      if (wrong !== undefined) return { wrong, seen: request };
    }
    return undefined;
  });
}

/** Repeats the preflight for some of the arguments. */
export async function repeatPreflight(
  context: CheckContext,
  tool: ProposingTool,
  faultOf: (before: Proposal, again: unknown) => Fault | undefined,
): Promise<Fault | undefined> {
  for (const before of tool.proposals.slice(0, maxRepeatedProposals)) {
    const answer = await runPreflight(context, tool, structuredClone(before.args));
    const fault = faultOf(before, "given" in answer ? answer.given : answer);
    if (fault !== undefined) return fault;
  }
  return undefined;
}
