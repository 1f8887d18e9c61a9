import { isContentBlock } from "@toolweave/core";
import { checkAnswers, type Answer } from "../calling/sample-answers.ts";
import { check, type Check } from "../context/check.ts";
import { jsonDefect } from "../reading/json-defect.ts";
import { artifactsOf, blockFault, contentOf, dataFault } from "../reading/returned-output.ts";
import { checkerOf } from "../schema/checker-of.ts";
import { isObject } from "../schema/subschemas.ts";
import { answerTextChecks } from "./answer-text-checks.ts";
import { blockChecks } from "./block-checks.ts";
import { keepingChecks } from "./keeping-checks.ts";

/** Of more the executor shows no more than these. */
const mostBlocks = 200;

const structured = {
  of: ({ outputSchema }: Answer): boolean => outputSchema !== undefined,
  none: "No sample call is of a tool with an output schema that it must keep.",
};

/** What tools answer. */
export const resultChecks: readonly Check[] = [
  check("TW-RESULT-001", (context) =>
    checkAnswers(context, "Looked at each content block", blockFault),
  ),

  check("TW-RESULT-002", (context) =>
    checkAnswers(context, "Looked for what JSON cannot hold in each answer", dataFault),
  ),

  check("TW-RESULT-003", (context) =>
    checkAnswers(
      context,
      "Validated the value of each answer",
      async ({ result, outputSchema = {} }) => {
        const { value } = result;
        if (value === undefined) return undefined;
        const [problem] = (await checkerOf(outputSchema))?.(value) ?? [];
        if (problem === undefined) return undefined;
        const place = problem.path === "" ? "the value" : `"${problem.path}"`;
        return {
          wrong: `answers against its own output schema: ${place} ${problem.message}`,
          seen: value,
        };
      },
      structured,
    ),
  ),

  check("TW-RESULT-004", (context) =>
    checkAnswers(
      context,
      "Looked for the value of each answer",
      ({ result, returned }) =>
        result.value === undefined
          ? { wrong: "has an output schema and answers without a value", seen: returned }
          : undefined,
      structured,
    ),
  ),

  check("TW-RESULT-008", (context) =>
    checkAnswers(
      context,
      "Looked for what JSON cannot hold in details and provider",
      ({ returned }) => {
        const { details, provider } = returned as Readonly<Record<string, unknown>>;
        const defect = jsonDefect({ details, provider });
        return defect === undefined
          ? undefined
          : { wrong: `tells the host what is not JSON, at "${defect.path}"`, seen: defect.what };
      },
      {
        of: ({ returned }) =>
          contentOf(returned) !== undefined &&
          ["details", "provider"].some((field) => Object.hasOwn(returned as object, field)),
        none: "No sample call answers with details or provider.",
      },
    ),
  ),

  check("TW-RESULT-010", (context) =>
    checkAnswers(
      context,
      "Looked for each artifact that an answer names",
      ({ returned, result }) => {
        const found = new Set(result.artifacts.map(({ key }) => key));
        const missing = artifactsOf(returned).find(
          (ref) => !isObject(ref) || !found.has(String(ref["key"]).replace(/^artifact:/, "")),
        );
        return missing === undefined
          ? undefined
          : { wrong: "names an artifact that cannot be read", seen: missing };
      },
      {
        of: ({ returned }) => artifactsOf(returned).length > 0,
        none: "No sample call names an artifact.",
      },
    ),
  ),

  check("TW-RESULT-015", (context) =>
    checkAnswers(context, "Looked for content beside each value", ({ result }) =>
      result.value !== undefined && result.content.length === 0
        ? {
            wrong: "answers with a value and no content: a model reads nothing",
            seen: { content: result.content, value: result.value },
          }
        : undefined,
    ),
  ),

  check("TW-RESULT-016", (context) =>
    checkAnswers(context, "Counted the blocks of each answer", ({ returned }) => {
      const content = Array.isArray(returned) && returned.every(isContentBlock);
      const count = (content ? returned : (contentOf(returned) ?? [])).length;
      return count > mostBlocks
        ? {
            wrong: `answers with more than ${mostBlocks} blocks, of which a model sees the first: make one text of them`,
            seen: `${count} blocks`,
          }
        : undefined;
    }),
  ),

  ...blockChecks,
  ...answerTextChecks,
  ...keepingChecks,
];
