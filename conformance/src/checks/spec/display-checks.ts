import type { JsonObject } from "@toolweave/core";
import { checkProposals } from "../../calls/check-proposals.ts";
import {
  passesValidation,
  validPermissions,
  runPreflight,
  type ProposingTool,
} from "../../calls/proposals.ts";
import { makeWaitingCalls } from "../../calls/waiting-calls.ts";
import { defineCheck, type Check, type CheckContext } from "../../context/check.ts";
import { withReadableSpec, checkEach, type Fault } from "../../faults/check-each.ts";
import {
  findRequestDisplayFault,
  findSpecDisplayFault,
  findHiddenInLine,
} from "../../faults/display-fault.ts";
import { withHiddenCharacters } from "../../schema/hidden-arguments.ts";

/** The maximum number of arguments of a tool that are tried with hidden characters. */
const maxMarkedArguments = 3;

/** Checks of texts that a person reads. */
export const displayChecks: readonly Check[] = [
  defineCheck("TW-SPEC-045", async (context) =>
    checkEach(
      withReadableSpec((await context.subject()).tools),
      "Looked for hidden characters in the texts of each spec that a person reads",
      ({ spec }) => findSpecDisplayFault(spec),
    ),
  ),

  defineCheck("TW-PERM-017", (context) =>
    checkProposals(context, "Ran each preflight with hidden characters and line breaks", (tool) =>
      findTargetFault(context, tool),
    ),
  ),

  defineCheck("TW-SUSPEND-014", async (context) =>
    checkEach(
      await makeWaitingCalls(context),
      "Looked for hidden characters in the requests to a person",
      ({ outcome }) => {
        if (typeof outcome === "string" || outcome.status !== "interrupted") return undefined;
        for (const request of outcome.interruption.requests) {
          const fault = findRequestDisplayFault(request);
          if (fault !== undefined) return fault;
        }
        return undefined;
      },
    ),
  ),
];

async function findTargetFault(
  context: CheckContext,
  tool: ProposingTool,
): Promise<Fault | undefined> {
  for (const { args, given } of tool.proposals) {
    const fault = findHiddenInTarget(args, given);
    if (fault !== undefined) return fault;
  }
  const marked = tool.proposals
    .slice(0, maxMarkedArguments)
    .flatMap(({ args }) => withHiddenCharacters(args));
  for (const args of marked) {
    if (!(await passesValidation(context, tool, args))) continue;
    const answer = await runPreflight(context, tool, structuredClone(args));
    // Refusing such a call is as good as escaping the characters.
    const fault = "given" in answer ? findHiddenInTarget(args, answer.given) : undefined;
    if (fault !== undefined) return fault;
  }
  return undefined;
}

/**
 * Finds hidden characters in a target. The executor escapes them in a summary, but not in a target,
 * which rules match.
 */
function findHiddenInTarget(args: JsonObject, given: unknown): Fault | undefined {
  for (const { target } of validPermissions({ args, given })) {
    const character = findHiddenInLine(target);
    if (character === undefined) continue;
    const wrong = `proposes a target with ${character}, which is hidden or begins a new line: escape it with displayLine, or refuse the call`;
    return { wrong, seen: { arguments: args, target: JSON.stringify(target) } };
  }
  return undefined;
}
