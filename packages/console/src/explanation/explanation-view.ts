import type { Decision, ExplainedRequest, Explanation, ToolExecutor } from "@toolweave/core";
import { toListed, type ListedGrant } from "../grants/grants.ts";
import { permissionSchema } from "../openapi/permission-schemas.ts";
import { reference, text } from "../openapi/schema-parts.ts";

/** The decision about a call, as JSON. */
export type ExplanationView = Pick<Explanation, "tool" | "advertised" | "effect"> & {
  readonly requests: readonly (Omit<ExplainedRequest, "grant"> & {
    readonly grant?: ListedGrant;
  })[];
  readonly problem?: { readonly code: string; readonly message: string };
};

/** Converts an explanation for a client, without secrets. */
export function toExplanationView(
  executor: ToolExecutor,
  { tool, advertised, effect, requests, problem }: Explanation,
): ExplanationView {
  return executor.redact({
    tool,
    advertised,
    effect,
    requests: requests.map(({ considered, grant, ...request }) => ({
      ...request,
      considered: considered.map(toDisplayedDecision),
      ...(grant === undefined ? {} : { grant: toListed(grant) }),
    })),
    ...(problem === undefined ? {} : { problem: { code: problem.code, message: problem.message } }),
  });
}

/** The exception of a policy function is for the host. Whether a rule would change a decision is in `remedy`. */
function toDisplayedDecision({
  cause: _cause,
  byDefault: _default,
  ...displayed
}: Decision): Decision {
  return displayed;
}

const effect = { enum: ["allow", "ask", "deny"] } as const;

const decisionProperties = {
  effect,
  ask: { const: "always", description: "No grant answers it." },
  reason: { type: "string" },
  remedy: text("The change of the configuration with which such calls run."),
  rule: text("The rule that decides: its id or its place."),
  layer: text("The policy that the rule belongs to."),
};

/** The schemas of explanations. */
export const explanationSchemas: Readonly<Record<string, object>> = {
  Decision: {
    type: "object",
    required: ["effect", "reason", "rule", "layer"],
    properties: decisionProperties,
  },
  Explanation: {
    type: "object",
    description: "The decision that a call would get.",
    required: ["tool", "advertised", "effect", "requests"],
    properties: {
      tool: { type: "string" },
      advertised: { type: "boolean", description: "A model can see and call the tool." },
      effect: {
        ...effect,
        description:
          "`allow`: it would run. `ask`: a person would be asked. `deny`: it would be refused.",
      },
      requests: {
        type: "array",
        items: {
          type: "object",
          required: ["permission", "effect", "rule", "layer", "reason", "considered"],
          properties: {
            ...decisionProperties,
            permission: permissionSchema,
            considered: { type: "array", items: reference("Decision") },
            grant: { ...reference("Grant"), description: "The grant that would answer." },
          },
        },
      },
      problem: {
        type: "object",
        description: "The error with which the call would fail, whatever the policy decides.",
        required: ["code", "message"],
        properties: { code: { type: "string" }, message: { type: "string" } },
      },
    },
  },
};
