import { ofTool, type Mutant } from "../mutant.ts";

export const resultMutants: readonly Mutant[] = [
  ofTool("TW-RESULT-001", "draw", "an image as a data URL", () => ({
    invoke: () => [
      { type: "image", data: "data:image/png;base64,iVBORw0KGgo=", mimeType: "image/png" },
    ],
  })),
  ofTool("TW-RESULT-001", "draw", "a block of a type that does not exist", () => ({
    invoke: () => ({ content: [{ type: "json", json: {} }] }),
  })),
  ofTool("TW-RESULT-002", "draw", "a map as a value", () => ({
    invoke: () => ({ content: [], value: new Map([["a", 1]]) as never }),
  })),
];
