import type { ApiPart } from "../openapi/route.ts";
import {
  jsonResponse,
  milliseconds,
  pageOperation,
  pageSchema,
  queryParameter,
  reference,
  text,
} from "../openapi/schema-parts.ts";
import { getMemory, listMemory, listMemoryOwners, type MemorySources } from "./memory.ts";

const owner = {
  caller: text("The caller whose memory it is in. Absent: that of calls without a caller."),
  agent: text("The agent of the caller whose memory it is in."),
};

const row = {
  required: ["id", "key", "category", "bytes", "storedAt"],
  properties: {
    id: text("Of the owner and the key: a text that replaces it has the same one."),
    key: { type: "string" },
    category: { type: "string" },
    bytes: { type: "integer", description: "The size of the content." },
    storedAt: milliseconds("Its last change."),
    expiresAt: milliseconds("It is not found afterwards."),
    ...owner,
    runId: text("The run that has stored it."),
  },
};

const memorySchemas = {
  Memory: { type: "object", ...row },
  MemoryList: pageSchema("Memory"),
  MemoryOwner: { type: "object", properties: owner },
  MemoryOwnerList: {
    type: "object",
    required: ["items"],
    properties: { items: { type: "array", items: reference("MemoryOwner") } },
  },
  MemoryDetails: {
    type: "object",
    required: [...row.required, "content"],
    properties: { ...row.properties, content: { type: "string" } },
  },
};

/** The parameters that select the entries of a list. */
const selection = [
  queryParameter(
    "q",
    "Plain words, of which an entry has at least one, or a word that begins with one of at least 4 letters.",
    { type: "string" },
  ),
  queryParameter(
    "owner",
    "Only the memory of this caller and agent: a JSON array of both, in which `null` means none.",
    { type: "string", examples: ['["ada","claude"]', '["ada",null]'] },
  ),
];

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
          summary: "List what agents remember, or search it",
          description:
            "The latest 1,000 entries without their contents, newest first. With `q`, at most 100 of all entries: those that `memory_recall` would find by words, the best match first.",
          ...pageOperation("MemoryList", selection),
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
          description:
            "One of the latest 1,000; with `q`, one of the matches. Name the same `q` and `owner` as for the list that has the id. Secrets are masked.",
          parameters: selection,
          responses: { 200: jsonResponse("The entry.", "MemoryDetails") },
        },
        handle: ({ sender, parameters: { id = "" }, query }) =>
          getMemory(sources, sender, id, query),
      },
      {
        method: "GET",
        path: "/api/memory-owners",
        scope: "read",
        operation: {
          operationId: "listMemoryOwners",
          summary: "List whose memory there is",
          description: "The callers and agents of the latest 1,000 entries.",
          responses: { 200: jsonResponse("The owners.", "MemoryOwnerList") },
        },
        handle: ({ sender }) => listMemoryOwners(sources, sender),
      },
    ],
  };
}
