import type { Caller, JsonObject, JsonValue, ToolExecutor } from "@toolweave/core";
import { isObject } from "@toolweave/core/adapter";
import { toExplanationView } from "../explanation/explanation-view.ts";
import { readJsonBody } from "../http/json-body.ts";
import { Problem } from "../http/problem.ts";
import type { ApiPart } from "../openapi/route.ts";
import { jsonBody, jsonResponse, reference, text } from "../openapi/schema-parts.ts";
import { getPolicy } from "./policy-view.ts";
import { tryRule } from "./try-rule.ts";

const effects = { enum: ["allow", "ask", "ask always", "deny"] } as const;
const texts = { type: "array", items: { type: "string" } } as const;

const policySchemas = {
  Policy: {
    type: "object",
    required: ["layers", "warnings"],
    properties: {
      layers: {
        type: "array",
        description:
          "In order: each can only narrow those before it, except for policies for sources before all others.",
        items: {
          type: "object",
          required: ["name", "rules"],
          properties: {
            name: { type: "string" },
            preset: text("Decides about calls that no rule matches."),
            default: { enum: ["allow", "ask", "deny"], description: "In place of a preset." },
            isFunction: { const: true, description: "A function of the host: it has no rules." },
            sources: {
              ...texts,
              description: "The sources about whose tools alone it decides, as globs. Absent: all.",
            },
            rules: {
              type: "array",
              items: {
                type: "object",
                required: ["id", "text", "effect"],
                properties: {
                  id: text("Its id or its place, as in explanations."),
                  text: text("What the rule is for."),
                  effect: { ...effects, description: "`ask always`: no grant answers." },
                  remark: text("The reason that the rule gives."),
                },
              },
            },
          },
        },
      },
      warnings: { ...texts, description: "Rules that have no effect." },
    },
  },
  ExplainBody: {
    type: "object",
    additionalProperties: false,
    required: ["name"],
    properties: {
      name: text("The tool."),
      arguments: {
        description:
          "As a model would send them. Absent: the decision about the tool is explained.",
        type: ["object", "string"],
      },
      caller: { ...reference("Caller"), description: "Default: the sender." },
    },
  },
  TryBody: {
    type: "object",
    additionalProperties: false,
    required: ["rule"],
    properties: {
      rule: {
        type: "object",
        description: "A rule as in `toolweave.json`: `effect` and its conditions.",
        properties: { effect: { enum: ["allow", "ask", "deny"] } },
      },
      layer: text("The policy that the rule is added to. Default: the first one with rules."),
      caller: { ...reference("Caller"), description: "Default: calls without a caller." },
    },
  },
  TryResult: {
    type: "object",
    required: ["changes", "unchanged", "problems"],
    properties: {
      layer: text("The policy that the rule was added to. Absent: the rule is not valid."),
      changes: {
        type: "array",
        items: {
          type: "object",
          required: ["tool", "before", "after"],
          properties: {
            tool: { type: "string" },
            permission: text("If the rule is for permissions: an example that it is for."),
            before: effects,
            after: effects,
          },
        },
      },
      unchanged: { type: "integer", description: "The number of the other tools." },
      problems: { ...texts, description: "Why the rule is not valid, or has no effect." },
    },
  },
};

/** The operations on policies. */
export function policyRoutes(executor: ToolExecutor): ApiPart {
  return {
    tag: "policy",
    schemas: policySchemas,
    routes: [
      {
        method: "GET",
        path: "/api/policy",
        scope: "read",
        operation: {
          operationId: "getPolicy",
          summary: "Read the policies in force",
          responses: { 200: jsonResponse("The policies.", "Policy") },
        },
        handle: () => Promise.resolve(getPolicy(executor)),
      },
      {
        method: "POST",
        path: "/api/policy/explain",
        scope: "read",
        operation: {
          operationId: "explainCall",
          summary: "Explain the decision about a call",
          description: "Nothing runs.",
          requestBody: jsonBody("ExplainBody"),
          responses: { 200: jsonResponse("The decision.", "Explanation") },
          problems: [413, 415, 422],
        },
        handle: async ({ request, sender }) => {
          const body = await readJsonBody(request, ["name", "arguments", "caller"]);
          const name = readName(body["name"]);
          const call = { name, ...readArguments(body["arguments"]) };
          const caller = readCaller(body["caller"]) ?? sender.caller;
          return toExplanationView(executor, await executor.explain(call, { caller }));
        },
      },
      {
        method: "POST",
        path: "/api/policy/try",
        scope: "read",
        operation: {
          operationId: "tryRule",
          summary: "Find out what one further rule would change",
          description: "The decision about every tool, with and without the rule.",
          requestBody: jsonBody("TryBody"),
          responses: { 200: jsonResponse("The changes.", "TryResult") },
          problems: [413, 415, 422],
        },
        handle: async ({ request }) => {
          const { rule, layer, caller } = await readJsonBody(request, ["rule", "layer", "caller"]);
          if (!isObject(rule)) throw invalid("rule must be an object, such as {…}.");
          if (layer !== undefined && typeof layer !== "string") {
            throw invalid("layer must be the name of a policy.");
          }
          const decided = readCaller(caller);
          return tryRule(executor, rule as JsonObject, {
            ...(layer === undefined ? {} : { layer }),
            ...(decided === undefined ? {} : { caller: decided }),
          });
        },
      },
    ],
  };
}

function readName(name: JsonValue | undefined): string {
  if (typeof name === "string" && name !== "") return name;
  throw invalid("name must be the name of a tool.");
}

function readArguments(args: JsonValue | undefined): { readonly arguments?: JsonObject | string } {
  if (args === undefined) return {};
  if (typeof args === "string" || isObject(args)) {
    return { arguments: args as JsonObject | string };
  }
  throw invalid("arguments must be an object, or its JSON as a text.");
}

function readCaller(value: JsonValue | undefined): Caller | undefined {
  if (value === undefined) return undefined;
  const { id, roles, agent, ...others } = (isObject(value) ? value : {}) as Partial<
    Record<string, JsonValue>
  >;
  const isCaller =
    typeof id === "string" &&
    (agent === undefined || typeof agent === "string") &&
    (roles === undefined ||
      (Array.isArray(roles) && roles.every((role) => typeof role === "string"))) &&
    Object.keys(others).length === 0;
  if (isCaller) return value as unknown as Caller;
  throw invalid('caller must be { "id", "roles", "agent" }, where only the id is required.');
}

function invalid(detail: string): Problem {
  return new Problem("invalid_body", detail);
}
