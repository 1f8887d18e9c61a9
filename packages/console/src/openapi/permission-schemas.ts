import { reference, text } from "./schema-parts.ts";

/** The schema of a person or program. */
export const callerSchema: object = {
  type: "object",
  required: ["id"],
  properties: {
    id: text("The person or program."),
    roles: { type: "array", items: { type: "string" } },
    agent: text("The agent that acts for the caller."),
  },
};

/** The schema of an action that the policy decides about. */
export const permissionSchema: object = {
  type: "object",
  required: ["kind", "target"],
  properties: {
    kind: text("Kind of the action, such as `http.write`."),
    target: text("Target of the action: a path, a request, a command, an amount."),
    summary: text("One line for the person who decides."),
    details: { description: "Further details: any JSON." },
  },
};

/** The members of a grant that are known before it is stored. */
export const grantProperties: Readonly<Record<string, object>> = {
  tool: text("The tool."),
  specHash: text("SHA-256 of the definition that was approved."),
  permission: permissionSchema,
  argumentsHash: text("Keyed hash of the arguments. Absent: any arguments."),
  caller: reference("Caller"),
};
