import type { JsonObject } from "@toolweave/core";

const id = { name: "id", in: "path", required: true, schema: { type: "integer", format: "int64" } };
const ok = { "200": { description: "fine" } };

/** The pet shop's document: one operation for each case that the command line distinguishes. */
export const petDocument: JsonObject = {
  openapi: "3.1.0",
  info: { title: "Pet shop", version: "1" },
  servers: [{ url: "/" }],
  paths: {
    "/pets": {
      get: {
        operationId: "listPets",
        summary: "List the pets",
        parameters: [
          { name: "limit", in: "query", schema: { type: "integer", maximum: 100 } },
          { name: "tag", in: "query", schema: { type: "array", items: { type: "string" } } },
          { name: "sold", in: "query", schema: { type: "boolean" } },
        ],
        responses: ok,
      },
      post: {
        operationId: "addPet",
        summary: "Add a pet",
        requestBody: {
          required: true,
          content: { "application/json": { schema: { $ref: "#/components/schemas/Pet" } } },
        },
        responses: { "201": { description: "added" } },
      },
    },
    "/pets/{id}": {
      parameters: [id],
      get: { operationId: "getPet", summary: "Get a pet", responses: ok },
      delete: { operationId: "deletePet", summary: "Delete a pet", responses: ok },
    },
    "/orders": {
      get: {
        operationId: "listOrders",
        summary: "List the orders",
        security: [{ shopKey: [] }],
        responses: ok,
      },
    },
    "/poem": { get: { operationId: "readPoem", summary: "Read a poem", responses: ok } },
    "/photo": { get: { operationId: "getPhoto", summary: "Get a photo", responses: ok } },
    "/never": { get: { operationId: "waitForever", summary: "Wait", responses: ok } },
  },
  components: {
    securitySchemes: { shopKey: { type: "apiKey", in: "header", name: "x-key" } },
    schemas: {
      Pet: {
        type: "object",
        required: ["name"],
        properties: {
          name: { type: "string" },
          age: { type: "number" },
          tags: { type: "array", items: { type: "string" } },
          owner: {
            type: "object",
            properties: { name: { type: "string" }, phone: { type: ["integer", "null"] } },
          },
        },
      },
    },
  },
};
