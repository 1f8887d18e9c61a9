import type { JsonObject } from "@toolweave/core";
import { checkProposals } from "../calling/check-proposals.ts";
import { isValid, permissionsOf, propose, type ProposingTool } from "../calling/proposals.ts";
import { waitingRuns } from "../calling/waiting-calls.ts";
import { check, type Check, type CheckContext } from "../context/check.ts";
import { described, checkEach, type Fault } from "../reading/check-each.ts";
import {
  requestDisplayFault,
  specDisplayFault,
  undisplayableInLine,
} from "../reading/display-fault.ts";
import { withHiddenCharacters } from "../schema/hidden-arguments.ts";

/** So many of a tool's arguments get hidden characters. */
const maxMarked = 3;

/** What a person sees of tools and of what they ask. */
export const displayChecks: readonly Check[] = [
  check("TW-SPEC-045", async (context) =>
    checkEach(
      described((await context.subject()).tools),
      "Looked for hidden characters in what a person is shown of each spec",
      ({ spec }) => specDisplayFault(spec),
    ),
  ),

  check("TW-PERM-017", (context) =>
    checkProposals(
      context,
      "Asked each preflight about hidden characters and line breaks",
      (tool) => targetFaultOf(context, tool),
    ),
  ),

  check("TW-SUSPEND-014", async (context) =>
    checkEach(
      await waitingRuns(context),
      "Looked for hidden characters in what a person is asked",
      ({ outcome }) => {
        if (typeof outcome === "string" || outcome.status !== "interrupted") return undefined;
        for (const request of outcome.interruption.requests) {
          const fault = requestDisplayFault(request);
          if (fault !== undefined) return fault;
        }
        return undefined;
      },
    ),
  ),
];

async function targetFaultOf(
  context: CheckContext,
  tool: ProposingTool,
): Promise<Fault | undefined> {
  for (const { args, given } of tool.proposals) {
    const fault = targetFault(args, given);
    if (fault !== undefined) return fault;
  }
  const marked = tool.proposals
    .slice(0, maxMarked)
    .flatMap(({ args }) => withHiddenCharacters(args));
  for (const args of marked) {
    if (!(await isValid(context, tool, args))) continue;
    const answer = await propose(context, tool, structuredClone(args));
    // To refuse such a call is as good as to spell them out.
    const fault = "given" in answer ? targetFault(args, answer.given) : undefined;
    if (fault !== undefined) return fault;
  }
  return undefined;
}

/** The executor spells out what is hidden in a summary; a target it leaves as rules match it. */
function targetFault(args: JsonObject, given: unknown): Fault | undefined {
  for (const { target } of permissionsOf({ args, given })) {
    const character = undisplayableInLine(target);
    if (character === undefined) continue;
    const wrong = `proposes a target with ${character} in it, which a person does not see as it is, or sees on a line of its own: spell it out with displayLine, or refuse the call`;
    return { wrong, seen: { arguments: args, target: JSON.stringify(target) } };
  }
  return undefined;
}
