import { canonicalJson, type PermissionRequest } from "@toolweave/core";
import type { CheckContext } from "../context/check.ts";
import { notApplicable, type Finding } from "../contract/finding.ts";
import { checkEach, type Fault } from "../reading/check-each.ts";
import {
  permissionsOf,
  propose,
  proposingTools,
  type Proposal,
  type ProposingTool,
} from "./proposals.ts";

/** Asked again, a preflight is asked about so many arguments of each tool. */
export const mostAskedAgain = 3;

/** There is no tool that could propose anything. */
export const nothingProposed: Finding = notApplicable("No tool has a preflight.");

/** Looks at the tools whose preflights answer; the others break TW-PERM-006 already. */
export async function checkProposals(
  context: CheckContext,
  done: string,
  faultOf: (tool: ProposingTool) => Fault | undefined | Promise<Fault | undefined>,
): Promise<Finding> {
  const tools = (await proposingTools(context)).filter(({ proposals }) => proposals.length > 0);
  return tools.length === 0 ? nothingProposed : checkEach(tools, done, faultOf);
}

/** The fault of the proposal with the smallest arguments. */
export function smallest(
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

/** The first fault of a permission that the tool proposes. */
export function proposedFault(
  tool: ProposingTool | undefined,
  wrongOf: (request: PermissionRequest) => string | undefined,
): Fault | undefined {
  return smallest(tool?.proposals ?? [], (proposal) => {
    for (const request of permissionsOf(proposal)) {
      const wrong = wrongOf(request);
      if (wrong !== undefined) return { wrong, seen: request };
    }
    return undefined;
  });
}

/** Asks again what was asked before, about a few of the arguments. */
export async function askedAgain(
  context: CheckContext,
  tool: ProposingTool,
  faultOf: (before: Proposal, again: unknown) => Fault | undefined,
): Promise<Fault | undefined> {
  for (const before of tool.proposals.slice(0, mostAskedAgain)) {
    const answer = await propose(context, tool, structuredClone(before.args));
    const fault = faultOf(before, "given" in answer ? answer.given : answer);
    if (fault !== undefined) return fault;
  }
  return undefined;
}
