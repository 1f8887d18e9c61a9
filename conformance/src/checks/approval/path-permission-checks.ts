import type { PermissionRequest } from "@toolweave/core";
import {
  checkProposals,
  maxRepeatedProposals,
  findPermissionFault,
} from "../../calls/check-proposals.ts";
import {
  passesValidation,
  validPermissions,
  runPreflight,
  type Proposal,
  type ProposingTool,
} from "../../calls/proposals.ts";
import { defineCheck, type Check, type CheckContext } from "../../context/check.ts";
import type { Fault } from "../../faults/check-each.ts";

/** Checks of paths that preflights propose. */
export const pathPermissionChecks: readonly Check[] = [
  defineCheck("TW-PERM-007", (context) =>
    checkProposals(context, "Checked the proposed paths", async (tool) => {
      const asSent = findPermissionFault(tool, findPathFault);
      return asSent ?? (await findUnresolvedPath(context, tool));
    }),
  ),
];

function findPathFault({ kind, target }: PermissionRequest): string | undefined {
  const climbs = kind.startsWith("fs.") && target.split(/[\\/]/).includes("..");
  return climbs ? `proposes ${kind} for a path with ".." in it` : undefined;
}

/**
 * Finds a fault for arguments with `..` in a path, which must be refused or proposed as the
 * resolved path.
 */
async function findUnresolvedPath(
  context: CheckContext,
  tool: ProposingTool,
): Promise<Fault | undefined> {
  for (const proposal of tool.proposals.slice(0, maxRepeatedProposals)) {
    for (const name of findPathArguments(proposal)) {
      const args = { ...proposal.args, [name]: `${String(proposal.args[name])}/../../conformance` };
      if (!(await passesValidation(context, tool, args))) continue;
      const answer = await runPreflight(context, tool, structuredClone(args));
      if (!("given" in answer)) continue;
      const asked = { ...tool, proposals: [{ args, given: answer.given }] };
      const fault = findPermissionFault(asked, findPathFault);
      if (fault !== undefined) return fault;
    }
  }
  return undefined;
}

/** The names of the arguments that the proposed path contains. */
function findPathArguments(proposal: Proposal): string[] {
  const paths = validPermissions(proposal).filter(({ kind }) => kind.startsWith("fs."));
  return Object.entries(proposal.args).flatMap(([name, value]) =>
    typeof value === "string" && value !== "" && paths.some(({ target }) => target.includes(value))
      ? [name]
      : [],
  );
}
