import type { ToolExecutor } from "@toolweave/core";
import { unavailableProblem } from "../http/unavailable-problem.ts";
import type { ApiPart } from "../openapi/route.ts";
import { jsonResponse, reference, text } from "../openapi/schema-parts.ts";
import { compareWithLock, type ConsoleLock } from "./lock-difference.ts";

const names = { type: "array", items: { type: "string" } } as const;

const lockSchemas = {
  LockDiff: {
    type: "object",
    required: ["added", "removed", "changed", "command"],
    properties: {
      file: text("The path of the lock."),
      added: { ...names, description: "Tools that are not in the lock." },
      removed: { ...names, description: "Tools that are only in the lock." },
      changed: {
        type: "array",
        items: {
          type: "object",
          required: ["tool", "changes"],
          properties: {
            tool: { type: "string" },
            changes: { type: "array", items: reference("LockChange") },
          },
        },
      },
      command: text("The command with which a person locks the tools again after a review."),
    },
  },
  LockChange: {
    type: "object",
    required: ["path", "text"],
    properties: {
      path: text("The place in the tool, such as `inputSchema/properties/id`."),
      before: text(
        "Its JSON, or the part of it that differs. Absent: it was added, or is not known.",
      ),
      after: text("The same. Absent: it was removed."),
      beforeUnknown: {
        const: true,
        description: "It was another one, of which the lock has only the digest.",
      },
      text: text("The change as one line."),
    },
  },
};

/** The operations on the lock. */
export function lockRoutes(executor: ToolExecutor, lock: ConsoleLock | undefined): ApiPart {
  return {
    tag: "lock",
    schemas: lockSchemas,
    routes: [
      {
        method: "GET",
        path: "/api/lock/diff",
        scope: "read",
        operation: {
          operationId: "getLockDifference",
          summary: "Compare the tools with their lock",
          responses: { 200: jsonResponse("The changes.", "LockDiff") },
        },
        handle: () => {
          if (lock === undefined) throw unavailableProblem("lock", "lock");
          return compareWithLock(executor, lock);
        },
      },
    ],
  };
}
