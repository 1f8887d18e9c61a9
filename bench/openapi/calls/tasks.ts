/** An operation that is measured. */
export interface Task {
  readonly name: string;
  readonly method: "GET" | "POST";
  /** A document with this operation alone, so that the tool is unambiguous. */
  readonly document: object;
  /** The arguments of a model, parameters and properties of the body side by side. */
  argumentsFor(call: number): Readonly<Record<string, string | number>>;
  /** The same as it is sent: path and query, and the body. */
  requestFor(call: number): { readonly path: string; readonly body?: string };
}

/** The server's answer, beside `id`. */
export const answer = {
  name: "Ant colony, on loan",
  price: 12.5,
  tags: ["insects", "live"],
  place: { hall: "B", case: 14 },
  open: true,
};

const item = {
  type: "object",
  properties: { id: { type: "integer" }, name: { type: "string" }, price: { type: "number" } },
};

const responses = {
  200: { description: "ok", content: { "application/json": { schema: item } } },
};

export const tasks: readonly Task[] = [
  {
    name: "GET",
    method: "GET",
    document: createDocument("/items/{id}", {
      get: {
        operationId: "findItem",
        summary: "One item, as others see it",
        parameters: [
          { name: "id", in: "path", required: true, schema: { type: "integer" } },
          { name: "view", in: "query", schema: { type: "string" } },
          { name: "limit", in: "query", schema: { type: "integer" } },
        ],
        responses,
      },
    }),
    argumentsFor: (call) => ({ id: call, view: "short list", limit: 20 }),
    requestFor: (call) => ({ path: `/items/${call}?view=short%20list&limit=20` }),
  },
  {
    name: "POST",
    method: "POST",
    document: createDocument("/items", {
      post: {
        operationId: "addItem",
        summary: "Adds an item",
        requestBody: {
          required: true,
          content: { "application/json": { schema: { ...item, required: ["id", "name"] } } },
        },
        responses,
      },
    }),
    argumentsFor: (call) => ({ id: call, name: "Ant colony", price: 12.5 }),
    requestFor: (call) => ({
      path: "/items",
      body: JSON.stringify({ id: call, name: "Ant colony", price: 12.5 }),
    }),
  },
];

function createDocument(path: string, item: object): object {
  return {
    openapi: "3.0.3",
    info: { title: "Museum", version: "1" },
    servers: [{ url: "http://127.0.0.1" }],
    paths: { [path]: item },
  };
}
