import { ofSpec, ofTool, type Mutant } from "../mutant.ts";

export const callMutants: readonly Mutant[] = [
  ofSpec("TW-CALL-001", "nullable, which JSON Schema does not know", () => ({
    inputSchema: {
      type: "object",
      properties: { a: { type: "number" }, b: { type: "number", nullable: true } },
      required: ["a", "b"],
    },
  })),
  ofTool("TW-CALL-002", "add", "a tool that always throws", () => ({
    invoke: () => {
      throw new Error("not implemented");
    },
  })),
];
