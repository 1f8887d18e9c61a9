import { isContentBlock, type ContentBlock, type ToolResult } from "@toolweave/core";
import { check, type Check, type CheckContext } from "../check.ts";
import { notApplicable, type Finding } from "../finding.ts";
import { jsonDefect } from "../json-defect.ts";
import { lookAt, type Fault } from "../look-at.ts";
import { around, callLabel, executorOver, runSample } from "../sample-run.ts";
import { isObject } from "../schema/subschemas.ts";

/** What a sample call gave: what the tool returned, and what the executor made of it. */
interface Answer {
  readonly label: string;
  readonly returned: unknown;
  readonly result: ToolResult;
}

/** What tools answer. */
export const resultChecks: readonly Check[] = [
  check("TW-RESULT-001", (context) =>
    lookAtAnswers(context, "Looked at each content block", ({ returned, result }) => {
      const meant = contentOf(returned);
      if (meant !== undefined && !meant.every(isContentBlock)) {
        return { wrong: "returns content with a malformed block", seen: meant };
      }
      for (const block of result.content) {
        const wrong = blockFault(block);
        if (wrong !== undefined) return { wrong: `returns ${wrong}`, seen: block };
      }
      return undefined;
    }),
  ),

  check("TW-RESULT-002", (context) =>
    lookAtAnswers(context, "Looked for what JSON cannot hold in each answer", ({ returned }) => {
      const defect = jsonDefect(dataOf(returned));
      return defect === undefined
        ? undefined
        : { wrong: `returns what is not JSON, at "${defect.path}"`, seen: defect.what };
    }),
  ),
];

async function lookAtAnswers(
  context: CheckContext,
  done: string,
  faultOf: (answer: Answer) => Fault | undefined,
): Promise<Finding> {
  let returned: unknown;
  const tools = (await context.fresh()).callable().map((tool) =>
    around(tool, {
      invoke: async (args, ctx) => {
        const value = await tool.invoke(args, ctx);
        returned = value;
        return value;
      },
    }),
  );
  const executor = executorOver(tools);
  const answers: Answer[] = [];
  for (const call of context.samples("succeedingCalls")) {
    const outcome = await runSample(context, executor, call);
    if (outcome.status !== "completed") continue;
    answers.push({ label: callLabel(call), returned, result: outcome.result });
  }
  if (answers.length === 0) return notApplicable("No sample call completed: see TW-CALL-002.");
  return lookAt(answers, done, faultOf);
}

const outputFields = new Set([
  "content",
  "value",
  "isError",
  "error",
  "artifacts",
  "details",
  "childRunId",
  "provider",
]);

/** The content of what is meant as an output: one malformed block makes it pass for a JSON value. */
function contentOf(returned: unknown): readonly unknown[] | undefined {
  if (!isObject(returned)) return undefined;
  const content: unknown = returned["content"];
  const meant = Object.keys(returned).every((field) => outputFields.has(field));
  return meant && Array.isArray(content) ? content : undefined;
}

/** The part of an answer that goes on as JSON; the rest is for the executor. */
function dataOf(returned: unknown): unknown {
  if (returned === undefined) return null;
  if (contentOf(returned) === undefined) return returned;
  const { error: _, ...data } = returned as { readonly error?: unknown };
  return data;
}

function blockFault(block: ContentBlock): string | undefined {
  switch (block.type) {
    case "text":
      return undefined;
    case "image":
    case "audio":
      if (!isBase64(block.data)) return `an ${block.type} whose data is not base64`;
      return isMediaType(block.mimeType) ? undefined : `an ${block.type} without a media type`;
    case "resource_link":
      return URL.canParse(block.uri) ? undefined : "a link that is no URI";
    case "resource": {
      const { uri, text, blob } = block.resource;
      if (!URL.canParse(uri)) return "a resource whose uri is no URI";
      if ((text === undefined) === (blob === undefined)) {
        return "a resource that has not exactly one of text and blob";
      }
      return blob === undefined || isBase64(blob)
        ? undefined
        : "a resource whose blob is not base64";
    }
  }
}

function isBase64(data: string): boolean {
  return data.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(data);
}

function isMediaType(type: string): boolean {
  return /^[\w.+-]+\/[\w.+-]+/.test(type);
}
