import type { JsonValue, ToolExecutor } from "@toolweave/core";
import type { ConsoleLock } from "../lock/lock-difference.ts";
import { ToolLocks } from "../lock/tool-locks.ts";
import { readJsonBody } from "../http/json-body.ts";
import { defaultLimit } from "../http/paging.ts";
import { Problem } from "../http/problem.ts";
import { explanationSchemas } from "../explanation/explanation-view.ts";
import type { ApiPart } from "../openapi/route.ts";
import { jsonBody, jsonResponse, queryParameter } from "../openapi/schema-parts.ts";
import { checkCall } from "./check-call.ts";
import { maxToolLimit, ToolRows } from "./list-tools.ts";
import { getProviderView } from "./provider-view.ts";
import { maxResults, ToolFinder } from "./search-hits.ts";
import { getTool } from "./tool-details.ts";
import { toolSchemas } from "./tool-schemas.ts";

/** The operations on tools. */
export function toolRoutes(executor: ToolExecutor, lock?: ConsoleLock): ApiPart {
  const locks = lock === undefined ? undefined : new ToolLocks(executor, lock);
  const rows = new ToolRows(executor);
  const finder = new ToolFinder(executor);
  const texts = { type: "string" };
  return {
    tag: "tools",
    schemas: { ...toolSchemas, ...explanationSchemas },
    routes: [
      {
        method: "GET",
        path: "/api/tools",
        scope: "read",
        operation: {
          operationId: "listTools",
          summary: "List the tools, in order of name",
          description:
            "The response has an `ETag`; with `If-None-Match` it is 304 while no tool has changed.",
          parameters: [
            queryParameter("query", "A part of the name, the title or the line.", texts),
            queryParameter("source", "Only tools of this source.", texts),
            queryParameter("effect", "Only tools with this decision.", {
              enum: ["allow", "ask", "deny"],
            }),
            queryParameter("limit", "Rows of a page.", {
              type: "integer",
              minimum: 1,
              maximum: maxToolLimit,
              default: defaultLimit,
            }),
            queryParameter("cursor", "`nextCursor` of the page before.", texts),
          ],
          responses: {
            200: jsonResponse("A page.", "ToolList"),
            304: { description: "No tool has changed." },
          },
        },
        handle: ({ request, query, sender }) => rows.respond(request, query, sender.caller),
      },
      {
        method: "GET",
        path: "/api/tools/{name}",
        scope: "read",
        operation: {
          operationId: "getTool",
          summary: "Read a tool with its whole definition",
          responses: { 200: jsonResponse("The tool.", "ToolDetails") },
          problems: [409],
        },
        handle: ({ parameters: { name = "" }, sender }) =>
          getTool(executor, name, sender.caller, locks),
      },
      {
        method: "GET",
        path: "/api/tools/{name}/as/{provider}",
        scope: "read",
        operation: {
          operationId: "getProviderView",
          summary: "Read a tool as a model of a provider receives it",
          description: "`provider` is openai, anthropic, gemini, bedrock or mcp.",
          responses: { 200: jsonResponse("The tool in that format.", "ProviderView") },
        },
        handle: ({ parameters: { name = "", provider = "" } }) =>
          getProviderView(executor, name, provider),
      },
      {
        method: "POST",
        path: "/api/tools/{name}/check",
        scope: "call",
        operation: {
          operationId: "checkCall",
          summary: "Check the arguments of a call, and explain the decision about it",
          description: "Nothing runs.",
          requestBody: jsonBody("CheckBody"),
          responses: { 200: jsonResponse("What the call would lead to.", "CheckResult") },
          problems: [413, 415, 422],
        },
        handle: async ({ request, parameters: { name = "" }, sender }) => {
          const body = await readJsonBody(request, ["arguments"]);
          const args: JsonValue | undefined = body["arguments"];
          if (args === undefined) {
            throw new Problem("invalid_body", "The body must have the member arguments.");
          }
          return checkCall(executor, name, args, sender.caller);
        },
      },
      {
        method: "GET",
        path: "/api/search",
        scope: "read",
        operation: {
          operationId: "findTools",
          summary: "Search the tools as a model does with search_tools",
          parameters: [
            {
              ...queryParameter("q", "What the tool should do, in a few words.", texts),
              required: true,
            },
            queryParameter("limit", "Number of results.", {
              type: "integer",
              minimum: 1,
              maximum: maxResults,
              default: 5,
            }),
          ],
          responses: {
            200: jsonResponse("The tools that were found, best first.", "SearchResult"),
          },
        },
        handle: ({ query }) => finder.search(query),
      },
    ],
  };
}
