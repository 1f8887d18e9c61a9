import { isContentBlock, isToolName, type ToolOutcome } from "@toolweave/core";
import { checkGenerated, type FaultOf } from "../calling/generated-answers.ts";
import type { InputKind } from "../calling/generated-calls.ts";
import { outcomeLabel } from "../execution/outcome.ts";
import { check, type Check } from "../context/check.ts";
import { failed } from "../contract/finding.ts";
import { mediaFault, resourceFault, uriFault } from "../reading/block-faults.ts";
import { blockFault, contentOf, dataFault } from "../reading/returned-output.ts";

function shown(outcome: ToolOutcome | undefined): string {
  return outcome === undefined ? "none" : outcomeLabel(outcome);
}

const everyday: readonly InputKind[] = ["least", "ordinary", "edge"];

const goesWrong: FaultOf = ({ programmingError }) =>
  programmingError === undefined
    ? undefined
    : { wrong: "meets a programming error", seen: programmingError };

/** It goes wrong with arguments of these kinds: what else it does is not looked at. */
function wrongWith(...kinds: readonly InputKind[]): FaultOf {
  return (answer) => (kinds.includes(answer.kind) ? goesWrong(answer) : undefined);
}

/** What tools make of whatever their schemas accept. */
export const generatedChecks: readonly Check[] = [
  check("TW-CALL-009", async (context) => {
    const { generatedCalls = [] } = context.manifest;
    const names = (await context.subject()).names();
    const missing =
      generatedCalls === "all" ? [] : generatedCalls.filter((name) => !names.includes(name));
    // It may be there under a name that is none: TW-NAME-001 says so.
    if (missing.length > 0 && names.every(isToolName)) {
      const message = `generatedCalls names ${missing.join(", ")}, and there is no such tool.`;
      return failed(message, "Looked for the tools that may be called.", names.slice(0, 20));
    }
    return checkGenerated(
      context,
      "Looked for programming errors in what came",
      ["ordinary"],
      goesWrong,
      wrongWith("least"),
    );
  }),

  check("TW-CALL-010", (context) =>
    checkGenerated(
      context,
      "Looked for programming errors in what came",
      ["edge"],
      goesWrong,
      wrongWith("least", "ordinary"),
    ),
  ),

  check("TW-CALL-011", (context) =>
    checkGenerated(context, "Validated the value of what came", everyday, ({ misfit, outcome }) =>
      misfit === undefined
        ? undefined
        : { wrong: `answers against its own output schema (${misfit})`, seen: shown(outcome) },
    ),
  ),

  check("TW-CALL-012", (context) =>
    checkGenerated(context, "Looked at the blocks of what came", everyday, (answer) => {
      const malformed = blockFault(answer);
      if (malformed !== undefined) return malformed;
      for (const block of contentOf(answer.returned) ?? []) {
        if (!isContentBlock(block)) continue;
        const wrong = mediaFault(block) ?? resourceFault(block) ?? uriFault(block);
        if (wrong !== undefined)
          return { wrong: `answers with a block that ${wrong}`, seen: block };
      }
      return undefined;
    }),
  ),

  check("TW-CALL-013", (context) =>
    checkGenerated(context, "Looked for programming errors in what came", ["least"], goesWrong),
  ),

  check("TW-CALL-014", (context) =>
    checkGenerated(
      context,
      "Looked for programming errors in what came",
      ["stranger"],
      goesWrong,
      wrongWith("least"),
    ),
  ),

  check("TW-CALL-015", (context) =>
    checkGenerated(context, "Looked for what JSON cannot hold in what came", everyday, dataFault),
  ),
];
