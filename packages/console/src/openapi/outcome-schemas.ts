/** The members of a tool's result that every operation returns. */
export const resultProperties = {
  isError: { type: "boolean" },
  content: {
    description: "Content for the model. Images, sounds and files come without their data.",
    type: "array",
    items: {
      type: "object",
      required: ["type"],
      additionalProperties: true,
      properties: {
        type: { type: "string" },
        text: { type: "string", description: "Of a text." },
        mediaType: { type: "string", description: "Of an image, a sound or a file." },
        bytes: { type: "integer", description: "The size of its data." },
        dataUrl: { type: "string", description: "Of an image of at most 1 MiB: its data." },
      },
    },
  },
  value: { description: "The structured result: any JSON." },
  artifacts: { type: "array", items: { type: "object" } },
  taskId: { type: "string", description: "The task in which the call continues." },
} as const;

/** Why a call has failed. */
export const errorSchema = {
  type: "object",
  required: ["code", "message", "retryable"],
  properties: {
    code: { type: "string" },
    message: { type: "string" },
    retryable: { type: "boolean" },
  },
} as const;
