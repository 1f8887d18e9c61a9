import type { JsonObject, JsonValue } from "@toolweave/core";

/** A necessary difference for a client of the gateway. */
export interface Difference {
  readonly server: "everything" | "fixture";
  /** The step. */
  readonly shows: string;
  readonly why: string;
  /** The gateway's result, computed from the server's. */
  seen(direct: JsonObject): JsonObject;
}

const said = (text: JsonValue): JsonObject => ({ type: "text", text });

/** With the gateway's own text, and its data. */
const error =
  (message: string, data?: JsonObject) =>
  ({ progress, asked }: JsonObject): JsonObject => ({
    progress: progress ?? [],
    asked: asked ?? [],
    error: { code: -32602, message, ...(data === undefined ? {} : { data }) },
  });

/** A value without content has a text as well. */
const withText = (direct: JsonObject): JsonObject => {
  const answer = direct["answer"] as JsonObject;
  const { content, structuredContent: value } = answer;
  if ((content as readonly JsonValue[]).length > 0) return direct;
  const text = typeof value === "object" && value !== null ? value : JSON.stringify(value);
  return { ...direct, answer: { ...answer, content: [said(text ?? null)] } };
};

const notFoundText = "With several servers none has it: the gateway returns its own error text.";
const textForModels =
  "Structured content is also sent as JSON text, as the protocol recommends: hosts that use the older results see it.";

/** All differences, with their reasons. */
export const differences: readonly Difference[] = [
  {
    server: "everything",
    shows: "arguments that do not match",
    why: "The executor checks arguments before a call begins, and says what to correct.",
    seen: (direct) => ({
      ...direct,
      answer: {
        content: [
          said(
            'The arguments of s__get-sum are not valid:\n- a must be number (sent: "one")\nCorrect them and call it again.',
          ),
        ],
        isError: true,
      },
    }),
  },
  {
    server: "everything",
    shows: "an unknown tool",
    why: "It is an error of the protocol (2025-11-25, server/tools, Error Handling), which this server returns as a result; and the text is the gateway's.",
    seen: error(
      'There is no tool "s__get-nothing". Some that exist: read_artifact, s__echo, s__get-annotated-message, s__get-env, s__get-resource-links.',
    ),
  },
  {
    server: "fixture",
    shows: "an unknown tool",
    why: "The gateway names the existing ones.",
    seen: error(
      'There is no tool "s__nothing". Some that exist: read_artifact, s__add, s__any_json, s__ask_endlessly, s__ask_form.',
    ),
  },
  {
    server: "everything",
    shows: "a page that is needed first",
    why: "The gateway asks its client, and repeats the call once the person has visited the page: a client of the newer protocol has no such error.",
    seen: () => ({
      answer: {
        content: [
          said(
            "✅ User completed the URL elicitation flow.\nElicitation ID: <id>\nURL: https://donwell.test/strawberries",
          ),
          said({ action: "accept" }),
        ],
      },
      progress: [],
      asked: [
        {
          method: "elicitation/create",
          params: {
            mode: "url",
            message: "Open this link to satisfy the prerequisite, then retry the request.",
            url: "https://modelcontextprotocol.io/",
          },
        },
        {
          method: "elicitation/create",
          params: {
            mode: "url",
            message: "Please open the link to complete this action.",
            url: "https://donwell.test/strawberries",
          },
        },
      ],
    }),
  },
  {
    server: "everything",
    shows: "an unknown resource",
    why: notFoundText,
    seen: error("Resource not found", { uri: "demo://nowhere" }),
  },
  {
    server: "fixture",
    shows: "an unknown resource",
    why: notFoundText,
    seen: error("Resource not found", { uri: "fixture://none" }),
  },
  {
    server: "everything",
    shows: "an unknown prompt",
    why: notFoundText,
    seen: error("Unknown prompt: s__no-prompt"),
  },
  {
    server: "fixture",
    shows: "an unknown prompt",
    why: notFoundText,
    seen: error("Unknown prompt: s__none"),
  },
  ...["an object", "a list", "a text as structured content", "a number", "nothing"].map(
    (shows): Difference => ({ server: "fixture", shows, why: textForModels, seen: withText }),
  ),
];
