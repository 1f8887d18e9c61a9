import type { ToolOutcome } from "@toolweave/core";
import { isContentBlock, isToolName } from "@toolweave/core/adapter";
import { checkGenerated, type FindFault, type InputKind } from "../../calls/check-generated.ts";
import { formatOutcome } from "../../execution/call-result.ts";
import { defineCheck, type Check } from "../../context/check.ts";
import { failed } from "../../contract/finding.ts";
import { findMediaFault, findResourceFault, findUriFault } from "../../faults/block-faults.ts";
import { findBlockFault, getContent, findDataFault } from "../../faults/returned-output.ts";

function formatOptionalOutcome(outcome: ToolOutcome | undefined): string {
  return outcome === undefined ? "none" : formatOutcome(outcome);
}

const usualKinds: readonly InputKind[] = ["least", "ordinary", "edge"];

const findProgrammingError: FindFault = ({ programmingError }) =>
  programmingError === undefined
    ? undefined
    : { wrong: "causes a programming error", seen: programmingError };

/** Finds a programming error for arguments of these kinds, so that the tool is skipped. */
function findProgrammingErrorFor(...kinds: readonly InputKind[]): FindFault {
  return (answer) => (kinds.includes(answer.kind) ? findProgrammingError(answer) : undefined);
}

/** Checks with generated arguments. */
export const generatedChecks: readonly Check[] = [
  defineCheck("TW-CALL-009", async (context) => {
    const { generatedCalls = [] } = context.manifest;
    const names = (await context.subject()).names();
    const missing =
      generatedCalls === "all" ? [] : generatedCalls.filter((name) => !names.includes(name));
    // TW-NAME-001 reports a tool whose name is not canonical.
    if (missing.length > 0 && names.every(isToolName)) {
      const message = `generatedCalls names ${missing.join(", ")}, but there is no such tool.`;
      return failed(message, "Looked for the tools that may be called.", names.slice(0, 20));
    }
    return checkGenerated(
      context,
      "Looked for programming errors in the results",
      ["ordinary"],
      findProgrammingError,
      findProgrammingErrorFor("least"),
    );
  }),

  defineCheck("TW-CALL-010", (context) =>
    checkGenerated(
      context,
      "Looked for programming errors in the results",
      ["edge"],
      findProgrammingError,
      findProgrammingErrorFor("least", "ordinary"),
    ),
  ),

  defineCheck("TW-CALL-011", (context) =>
    checkGenerated(
      context,
      "Validated the value of the results",
      usualKinds,
      ({ schemaViolation, outcome }) =>
        schemaViolation === undefined
          ? undefined
          : {
              wrong: `returns a value that violates its output schema (${schemaViolation})`,
              seen: formatOptionalOutcome(outcome),
            },
    ),
  ),

  defineCheck("TW-CALL-012", (context) =>
    checkGenerated(context, "Checked the content blocks of the results", usualKinds, (answer) => {
      const malformed = findBlockFault(answer);
      if (malformed !== undefined) return malformed;
      for (const block of getContent(answer.returned) ?? []) {
        if (!isContentBlock(block)) continue;
        const wrong = findMediaFault(block) ?? findResourceFault(block) ?? findUriFault(block);
        if (wrong !== undefined) return { wrong: `returns a block that ${wrong}`, seen: block };
      }
      return undefined;
    }),
  ),

  defineCheck("TW-CALL-013", (context) =>
    checkGenerated(
      context,
      "Looked for programming errors in the results",
      ["least"],
      findProgrammingError,
    ),
  ),

  defineCheck("TW-CALL-014", (context) =>
    checkGenerated(
      context,
      "Looked for programming errors in the results",
      ["stranger"],
      findProgrammingError,
      findProgrammingErrorFor("least"),
    ),
  ),

  defineCheck("TW-CALL-015", (context) =>
    checkGenerated(
      context,
      "Looked for values that are not JSON in the results",
      usualKinds,
      findDataFault,
    ),
  ),
];
