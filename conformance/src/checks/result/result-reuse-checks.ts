import { canonicalJson } from "@toolweave/core/adapter";
import { checkAnswers } from "../../calls/sample-answers.ts";
import { formatCall, createExecutor, runSample } from "../../execution/run-sample.ts";
import { defineCheck, type Check } from "../../context/check.ts";
import { notApplicable } from "../../contract/finding.ts";
import { checkEach } from "../../faults/check-each.ts";
import { drawSubset } from "../../schema/draw-subset.ts";

/** The maximum number of calls that are repeated. */
const maxCalls = 20;

/** Checks of results and artifact names after the call. */
export const resultReuseChecks: readonly Check[] = [
  defineCheck("TW-RESULT-017", async (context) => {
    const executor = createExecutor((await context.createReady()).callableTools());
    const results: { label: string; result: unknown; before: string }[] = [];
    const calls = drawSubset(context.samples("succeedingCalls"), maxCalls, context.seed);
    for (const call of [...calls, ...calls]) {
      const outcome = await runSample(context, executor, call).catch(() => undefined);
      if (outcome === undefined || outcome.status === "interrupted") continue;
      const { content, value = null } = outcome.result;
      const result = { content, value };
      results.push({ label: formatCall(call), result, before: serializeResult(result) });
    }
    if (results.length === 0) return notApplicable("No sample call ended.");
    const done = "Made each call twice and read the earlier results again";
    return checkEach(results, done, ({ result, before }) => {
      const after = serializeResult(result);
      return after === before
        ? undefined
        : {
            wrong:
              "returns a result that changes later: return a copy of data that the tool modifies",
            seen: { before, after },
          };
    });
  }),

  defineCheck("TW-RESULT-018", (context) =>
    checkAnswers(
      context,
      "Read the name of each artifact",
      ({ result }) => {
        const name = result.artifacts.find((ref) => !isFileName(ref.name ?? "a"))?.name;
        return name === undefined
          ? undefined
          : {
              wrong:
                "names an artifact with an invalid file name, so that saving it may write elsewhere",
              seen: name,
            };
      },
      {
        of: ({ result }) => result.artifacts.length > 0,
        none: "No sample call returns an artifact.",
      },
    ),
  ),
];

function serializeResult(result: unknown): string {
  try {
    return canonicalJson(result);
  } catch {
    return "";
  }
}

function isFileName(name: string): boolean {
  return !/[/\\\p{Cc}]/u.test(name) && name !== "." && name !== "..";
}
