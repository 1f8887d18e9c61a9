import {
  defineTool,
  displayProse,
  suspend,
  text,
  type JsonObject,
  type JsonSchema,
  type Tool,
} from "@toolweave/core";

const maxQuestion = 2_000;
const maxChoices = 10;

interface Arguments {
  readonly question: string;
  readonly choices?: readonly string[];
  readonly several?: boolean;
}

/**
 * The tool `ask_user`: the call waits for a person's answer. A host displays the question and the schema of the answer,
 * and resumes the call with an `input` answer, perhaps days later.
 */
export function askUserTool(): Tool {
  return defineTool({
    name: "ask_user",
    description:
      "Ask the user a question, and wait for the answer. Use it when a decision is the user's and cannot be found out otherwise.",
    input: {
      type: "object",
      properties: {
        question: { type: "string", minLength: 1, maxLength: maxQuestion },
        choices: {
          type: "array",
          items: { type: "string", minLength: 1, maxLength: 200 },
          minItems: 2,
          maxItems: maxChoices,
          description: "Answers to choose from. Default: any text.",
        },
        several: {
          type: "boolean",
          description: "More than one of the choices can be chosen. Default: false.",
        },
      },
      required: ["question"],
      additionalProperties: false,
    },
    annotations: {
      readOnlyHint: true,
      openWorldHint: false,
      access: { filesystem: "none", process: false, network: false },
    },
    // A person answers when they can.
    timeoutMs: 0,
    execute: (args, ctx) => {
      const [answer] = ctx.resumed?.answers ?? [];
      if (answer === undefined) {
        const message = displayProse(args.question, maxQuestion);
        const request = {
          id: `${ctx.callId}:answer`,
          type: "input",
          message,
          schema: answerSchema(args),
        } as const;
        return suspend([request], null);
      }
      if (answer.type === "input") {
        const { answer: given } = answer.value as { readonly answer: string | readonly string[] };
        const lines = typeof given === "string" ? [given] : given;
        return {
          content: [text(lines.length === 0 ? "The user chose none." : lines.join("\n"))],
          value: { answer: given as string | string[] },
        };
      }
      const reason = answer.type === "reject" ? answer.reason : undefined;
      return {
        content: [
          text(
            `The user did not answer${reason === undefined ? "." : `: ${displayProse(reason, maxQuestion)}`}`,
          ),
        ],
        value: { answer: null },
      };
    },
  });
}

/** An object, since forms of hosts and of MCP's elicitation have fields. */
function answerSchema({ choices, several = false }: Arguments): JsonSchema {
  const choice: JsonObject =
    choices === undefined ? { type: "string", minLength: 1 } : { type: "string", enum: choices };
  const isList = several && choices !== undefined;
  const answer: JsonObject = isList ? { type: "array", items: choice, uniqueItems: true } : choice;
  return {
    type: "object",
    properties: { answer },
    required: ["answer"],
    additionalProperties: false,
  };
}
