import { getCodes, getPhrase } from "../http/problem.ts";
import { milliseconds, reference, text } from "./schema-parts.ts";

/** The schema of the body of an error. */
export const problemSchema: object = {
  type: "object",
  description: "A problem document (RFC 9457).",
  required: ["type", "title", "status", "code", "detail"],
  properties: {
    type: { const: "about:blank" },
    title: { type: "string" },
    status: { type: "integer" },
    code: text("Name of the problem, for programs."),
    detail: text("What is wrong, and what to do."),
    answeredBy: text("Who answered, if this process knows."),
    answeredAt: milliseconds("When."),
    expiresAt: milliseconds("With `approval_expired`."),
    scope: text("With `insufficient_scope`: the missing scope."),
  },
};

/** The responses of an operation that are problems, by status. */
export function problemResponses(statuses: readonly number[]): Record<string, object> {
  return Object.fromEntries(
    statuses.map((status) => {
      const codes = { properties: { code: { enum: getCodes(status) } } };
      const schema = { allOf: [reference("Problem"), codes] };
      const content = { "application/problem+json": { schema } };
      return [String(status), { description: getPhrase(status), content }];
    }),
  );
}
