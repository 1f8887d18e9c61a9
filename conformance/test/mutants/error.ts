import { readFileSync } from "node:fs";
import { ToolError } from "@toolweave/core";
import { ofTool, type Mutant } from "../mutant.ts";

export const errorMutants: readonly Mutant[] = [
  ofTool("TW-ERROR-001", "open_door", "an error that says nothing", () => ({
    invoke: () => ({ content: [], isError: true }),
  })),
  ofTool("TW-ERROR-001", "open_door", "a failure that passes for success", () => ({
    invoke: () => "Error: locked",
  })),
  ofTool("TW-ERROR-002", "open_door", "a stack in the message", () => ({
    invoke: () => {
      try {
        return readFileSync("/no/such/door", "utf8");
      } catch (error) {
        throw new ToolError("execution_failed", (error as Error).stack ?? "");
      }
    },
  })),
];
