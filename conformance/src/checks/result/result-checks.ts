import { isContentBlock, canonicalJson, isObject } from "@toolweave/core/adapter";
import { checkAnswers, checkBlocks, type SampleAnswer } from "../../calls/sample-answers.ts";
import { defineCheck, type Check } from "../../context/check.ts";
import { findJsonDefect } from "../../faults/json-defect.ts";
import {
  getArtifacts,
  findBlockFault,
  getContent,
  findDataFault,
} from "../../faults/returned-output.ts";
import { compileSchema } from "../../schema/shared-validator.ts";
import { answerTextChecks } from "./answer-text-checks.ts";
import {
  findAnnotationsFault,
  findMediaFault,
  findMediaTypeFault,
  findResourceFault,
  findUriFault,
} from "../../faults/block-faults.ts";
import { formatCall, createExecutor, runSample } from "../../execution/run-sample.ts";
import { notApplicable } from "../../contract/finding.ts";
import { checkEach } from "../../faults/check-each.ts";
import { drawSubset } from "../../schema/generation-settings.ts";

/** The maximum number of blocks that an executor returns. */
const maxBlocks = 200;

const withOutputSchema = {
  of: ({ outputSchema }: SampleAnswer): boolean => outputSchema !== undefined,
  none: "No sample call uses a tool with an output schema that it must match.",
};

/** Checks of results. */
export const resultChecks: readonly Check[] = [
  defineCheck("TW-RESULT-001", (context) =>
    checkAnswers(context, "Checked each content block", findBlockFault),
  ),

  defineCheck("TW-RESULT-002", (context) =>
    checkAnswers(context, "Looked for values that are not JSON in each result", findDataFault),
  ),

  defineCheck("TW-RESULT-003", (context) =>
    checkAnswers(
      context,
      "Validated the value of each result",
      async ({ result, outputSchema = {} }) => {
        const { value } = result;
        if (value === undefined) return undefined;
        const [problem] = (await compileSchema(outputSchema))?.(value) ?? [];
        if (problem === undefined) return undefined;
        const place = problem.path === "" ? "the value" : `"${problem.path}"`;
        return {
          wrong: `returns a value that violates its output schema: ${place} ${problem.message}`,
          seen: value,
        };
      },
      withOutputSchema,
    ),
  ),

  defineCheck("TW-RESULT-004", (context) =>
    checkAnswers(
      context,
      "Looked for the value of each result",
      ({ result, returned }) =>
        result.value === undefined
          ? { wrong: "has an output schema but returns no value", seen: returned }
          : undefined,
      withOutputSchema,
    ),
  ),

  defineCheck("TW-RESULT-008", (context) =>
    checkAnswers(
      context,
      "Looked for values that are not JSON in details and provider",
      ({ returned }) => {
        const { details, provider } = returned as Readonly<Record<string, unknown>>;
        const defect = findJsonDefect({ details, provider });
        return defect === undefined
          ? undefined
          : {
              wrong: `returns a value for the host that is not JSON, at "${defect.path}"`,
              seen: defect.what,
            };
      },
      {
        of: ({ returned }) =>
          getContent(returned) !== undefined &&
          ["details", "provider"].some((field) => Object.hasOwn(returned as object, field)),
        none: "No sample call returns details or provider.",
      },
    ),
  ),

  defineCheck("TW-RESULT-010", (context) =>
    checkAnswers(
      context,
      "Looked for each artifact that a result names",
      ({ returned, result }) => {
        const found = new Set(result.artifacts.map(({ key }) => key));
        const missing = getArtifacts(returned).find(
          (ref) => !isObject(ref) || !found.has(String(ref["key"]).replace(/^artifact:/, "")),
        );
        return missing === undefined
          ? undefined
          : { wrong: "names an artifact that cannot be read", seen: missing };
      },
      {
        of: ({ returned }) => getArtifacts(returned).length > 0,
        none: "No sample call names an artifact.",
      },
    ),
  ),

  defineCheck("TW-RESULT-015", (context) =>
    checkAnswers(context, "Looked for content beside each value", ({ result }) =>
      result.value !== undefined && result.content.length === 0
        ? {
            wrong: "returns a value without content, so that a model reads nothing",
            seen: { content: result.content, value: result.value },
          }
        : undefined,
    ),
  ),

  defineCheck("TW-RESULT-016", (context) =>
    checkAnswers(context, "Counted the blocks of each result", ({ returned }) => {
      const content = Array.isArray(returned) && returned.every(isContentBlock);
      const count = (content ? returned : (getContent(returned) ?? [])).length;
      return count > maxBlocks
        ? {
            wrong: `returns more than ${maxBlocks} blocks, of which a model sees only the first ones: combine them`,
            seen: `${count} blocks`,
          }
        : undefined;
    }),
  ),

  defineCheck("TW-RESULT-005", (context) =>
    checkBlocks(context, "Checked each image and audio block", ["image", "audio"], findMediaFault),
  ),

  defineCheck("TW-RESULT-006", (context) =>
    checkBlocks(context, "Checked the contents of each resource", ["resource"], findResourceFault),
  ),

  defineCheck("TW-RESULT-007", (context) =>
    checkBlocks(context, "Parsed each uri", ["resource_link", "resource"], findUriFault),
  ),

  defineCheck("TW-RESULT-011", (context) =>
    checkBlocks(
      context,
      "Checked the annotations of each block",
      ["text", "image", "audio", "resource_link", "resource"],
      findAnnotationsFault,
    ),
  ),

  defineCheck("TW-RESULT-013", (context) =>
    checkBlocks(
      context,
      "Compared media types with the first bytes",
      ["image", "audio", "resource"],
      findMediaTypeFault,
    ),
  ),
  ...answerTextChecks,
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

/** The maximum number of calls that are repeated. */
const maxCalls = 20;

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
