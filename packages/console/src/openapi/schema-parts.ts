import { defaultLimit, maxLimit } from "../http/paging.ts";

/** The schema of a text. */
export const text = (description: string): object => ({ type: "string", description });

/** The schema of a time. */
export const milliseconds = (description: string): object => ({
  type: "integer",
  description: `${description} Milliseconds since the epoch.`,
});

/** A reference to a schema of the document, of any part of the API. */
export const reference = (name: string): object => ({ $ref: `#/components/schemas/${name}` });

/** The content of a request or response that is JSON, with a schema of the document. */
const jsonContent = (name: string): object => ({
  "application/json": { schema: reference(name) },
});

/** A response that is JSON. */
export const jsonResponse = (description: string, name: string): object => ({
  description,
  content: jsonContent(name),
});

/** A required body that is JSON. */
export const jsonBody = (name: string): object => ({ required: true, content: jsonContent(name) });

/** A parameter of the query. */
export const queryParameter = (name: string, description: string, schema: object): object => ({
  name,
  in: "query",
  description,
  schema,
});

/** The member `nextCursor` of a list. */
export const nextCursor: object = text(
  "The `cursor` of the next page. Absent: this is the last one.",
);

/**
 * The schema of a page.
 *
 * @param name of the schema of a row.
 * @param member the member of the page that has the rows.
 */
export const pageSchema = (name: string, member = "items"): object => ({
  type: "object",
  required: [member],
  properties: { [member]: { type: "array", items: reference(name) }, nextCursor },
});

const pageParameters: readonly object[] = [
  queryParameter("limit", "Rows of a page.", {
    type: "integer",
    minimum: 1,
    maximum: maxLimit,
    default: defaultLimit,
  }),
  queryParameter("cursor", "`nextCursor` of the page before.", { type: "string" }),
];

/**
 * The parameters and the response of an operation that returns a page that `getPage` selects.
 *
 * @param name of the schema of the page.
 * @param parameters in addition to those that select a page.
 */
export const pageOperation = (
  name: string,
  parameters: readonly object[] = [],
): { readonly parameters: readonly object[]; readonly responses: Record<number, object> } => ({
  parameters: [...pageParameters, ...parameters],
  responses: { 200: jsonResponse("A page.", name) },
});
