import type { PermissionRequest } from "@toolweave/core";
import { checkProposals, mostAskedAgain, proposedFault } from "../calling/check-proposals.ts";
import {
  isValid,
  permissionsOf,
  propose,
  type Proposal,
  type ProposingTool,
} from "../calling/proposals.ts";
import { check, type Check, type CheckContext } from "../context/check.ts";
import type { Fault } from "../reading/check-each.ts";

/** What preflights say of paths. */
export const pathPermissionChecks: readonly Check[] = [
  check("TW-PERM-007", (context) =>
    checkProposals(context, "Looked at the paths that are proposed", async (tool) => {
      const asSent = proposedFault(tool, pathFault);
      return asSent ?? (await climbingFault(context, tool));
    }),
  ),
];

function pathFault({ kind, target }: PermissionRequest): string | undefined {
  const climbs = kind.startsWith("fs.") && target.split(/[\\/]/).includes("..");
  return climbs ? `proposes ${kind} for a path with ".." in it` : undefined;
}

/** Calls that climb out of the path which they name: refused, or proposed as what they come to. */
async function climbingFault(
  context: CheckContext,
  tool: ProposingTool,
): Promise<Fault | undefined> {
  for (const proposal of tool.proposals.slice(0, mostAskedAgain)) {
    for (const name of pathArguments(proposal)) {
      const args = { ...proposal.args, [name]: `${String(proposal.args[name])}/../../conformance` };
      if (!(await isValid(context, tool, args))) continue;
      const answer = await propose(context, tool, structuredClone(args));
      if (!("given" in answer)) continue;
      const asked = { ...tool, proposals: [{ args, given: answer.given }] };
      const fault = proposedFault(asked, pathFault);
      if (fault !== undefined) return fault;
    }
  }
  return undefined;
}

/** The arguments that stand in the path which is proposed. */
function pathArguments(proposal: Proposal): string[] {
  const paths = permissionsOf(proposal).filter(({ kind }) => kind.startsWith("fs."));
  return Object.entries(proposal.args).flatMap(([name, value]) =>
    typeof value === "string" && value !== "" && paths.some(({ target }) => target.includes(value))
      ? [name]
      : [],
  );
}
