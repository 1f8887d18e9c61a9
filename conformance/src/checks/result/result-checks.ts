import { isContentBlock } from "@toolweave/core/adapter";
import { checkAnswers, type SampleAnswer } from "../../calls/sample-answers.ts";
import { defineCheck, type Check } from "../../context/check.ts";
import { findJsonDefect } from "../../faults/json-defect.ts";
import {
  getArtifacts,
  findBlockFault,
  getContent,
  findDataFault,
} from "../../faults/returned-output.ts";
import { compileSchema } from "../../schema/shared-validator.ts";
import { isObject } from "../../schema/subschemas.ts";
import { answerTextChecks } from "./answer-text-checks.ts";
import { blockChecks } from "./block-checks.ts";
import { resultReuseChecks } from "./result-reuse-checks.ts";

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

  ...blockChecks,
  ...answerTextChecks,
  ...resultReuseChecks,
];
