import { canonicalJson } from "@toolweave/core";
import { checkAnswers } from "../calling/sample-answers.ts";
import { callLabel, executorOver, runSample } from "../execution/sample-run.ts";
import { check, type Check } from "../context/check.ts";
import { notApplicable } from "../contract/finding.ts";
import { checkEach } from "../reading/check-each.ts";
import { drawn } from "../schema/drawn.ts";

/** How many calls are made again. */
const mostCalls = 20;

/** What becomes of answers that somebody keeps. */
export const keepingChecks: readonly Check[] = [
  check("TW-RESULT-017", async (context) => {
    const executor = executorOver((await context.fresh()).callable());
    const kept: { label: string; result: unknown; before: string }[] = [];
    const calls = drawn(context.samples("succeedingCalls"), mostCalls, context.seed);
    for (const call of [...calls, ...calls]) {
      const outcome = await runSample(context, executor, call).catch(() => undefined);
      if (outcome === undefined || outcome.status === "interrupted") continue;
      const { content, value = null } = outcome.result;
      const result = { content, value };
      kept.push({ label: callLabel(call), result, before: textOf(result) });
    }
    if (kept.length === 0) return notApplicable("No sample call came to an end.");
    const done = "Made each call twice, and looked at the answers again that came before";
    return checkEach(kept, done, ({ result, before }) => {
      const after = textOf(result);
      return after === before
        ? undefined
        : {
            wrong:
              "gives an answer that changes afterwards: answer with a copy of what the tool goes on to change",
            seen: { before, after },
          };
    });
  }),

  check("TW-RESULT-018", (context) =>
    checkAnswers(
      context,
      "Read the name of each artifact",
      ({ result }) => {
        const name = result.artifacts.find((ref) => !isFileName(ref.name ?? "a"))?.name;
        return name === undefined
          ? undefined
          : {
              wrong:
                "names an artifact by what is no file's name: whoever saves it writes somewhere else",
              seen: name,
            };
      },
      {
        of: ({ result }) => result.artifacts.length > 0,
        none: "No answer of a sample call has an artifact.",
      },
    ),
  ),
];

function textOf(result: unknown): string {
  try {
    return canonicalJson(result);
  } catch {
    return "";
  }
}

function isFileName(name: string): boolean {
  return !/[/\\\p{Cc}]/u.test(name) && name !== "." && name !== "..";
}
