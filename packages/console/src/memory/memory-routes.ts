import type { ApiPart } from "../openapi/route.ts";
import {
  jsonResponse,
  milliseconds,
  pageOperation,
  pageSchema,
  text,
} from "../openapi/schema-parts.ts";
import { getMemory, listMemory, type MemorySources } from "./memory.ts";

const row = {
  required: ["id", "key", "category", "bytes", "storedAt"],
  properties: {
    id: text("Of the owner and the key: a text that replaces it has the same one."),
    key: { type: "string" },
    category: { type: "string" },
    bytes: { type: "integer", description: "The size of the content." },
    storedAt: milliseconds("Its last change."),
    expiresAt: milliseconds("It is not found afterwards."),
    caller: text("The caller whose memory it is in. Absent: that of calls without a caller."),
    agent: text("The agent of the caller whose memory it is in."),
    runId: text("The run that has stored it."),
  },
};

const memorySchemas = {
  Memory: { type: "object", ...row },
  MemoryList: pageSchema("Memory"),
  MemoryDetails: {
    type: "object",
    required: [...row.required, "content"],
    properties: { ...row.properties, content: { type: "string" } },
  },
};

/** The operations on the memory of agents. */
export function memoryRoutes(sources: MemorySources): ApiPart {
  return {
    tag: "memory",
    schemas: memorySchemas,
    routes: [
      {
        method: "GET",
        path: "/api/memory",
        scope: "read",
        operation: {
          operationId: "listMemory",
          summary: "List what agents remember",
          description: "The latest 1,000 entries without their contents, newest first.",
          ...pageOperation("MemoryList"),
        },
        handle: ({ sender, query }) => listMemory(sources, sender, query),
      },
      {
        method: "GET",
        path: "/api/memory/{id}",
        scope: "read",
        operation: {
          operationId: "getMemory",
          summary: "Read an entry of the memory",
          description: "One of the latest 1,000. Secrets are masked.",
          responses: { 200: jsonResponse("The entry.", "MemoryDetails") },
        },
        handle: ({ sender, parameters: { id = "" } }) => getMemory(sources, sender, id),
      },
    ],
  };
}
