import { Problem } from "../http/problem.ts";
import type { ApiPart } from "../openapi/route.ts";
import { jsonResponse, milliseconds, queryParameter, text } from "../openapi/schema-parts.ts";
import {
  defaultLength,
  findArtifact,
  maxLength,
  readPage,
  searchArtifact,
  streamArtifact,
  type ArtifactSources,
} from "./read-artifact.ts";

const maxQueryLength = 500;

const artifactSchemas = {
  ArtifactPage: {
    type: "object",
    required: ["key", "mediaType", "bytes", "createdAt", "offset"],
    properties: {
      key: { type: "string" },
      name: { type: "string" },
      mediaType: { type: "string" },
      bytes: { type: "integer", description: "The size of the whole." },
      createdAt: milliseconds("When it was stored."),
      expiresAt: milliseconds("It is removed afterwards."),
      truncated: { const: true, description: "The output was longer than what was stored." },
      offset: { type: "integer", description: "The byte with which the page begins." },
      text: text("The text of the page. Absent: the artifact is no text."),
      nextOffset: { type: "integer", description: "The `offset` of the next page." },
      image: {
        type: "object",
        description: "An image of at most 1 MiB.",
        required: ["mediaType", "dataUrl"],
        properties: {
          mediaType: { enum: ["image/png", "image/jpeg", "image/webp", "image/gif", "image/avif"] },
          dataUrl: { type: "string" },
        },
      },
    },
  },
  ArtifactMatches: {
    type: "object",
    required: ["items"],
    properties: {
      items: {
        type: "array",
        items: {
          type: "object",
          required: ["line", "offset", "text"],
          properties: {
            line: { type: "integer", minimum: 1 },
            offset: { type: "integer", description: "The byte with which the match begins." },
            text: text("The match with the text around it."),
          },
        },
      },
      nextOffset: { type: "integer", description: "The `offset` of further matches." },
    },
  },
};

const offsetParameter = queryParameter("offset", "The byte to begin at.", {
  type: "integer",
  minimum: 0,
  default: 0,
});

/** The operations on artifacts. */
export function artifactRoutes(sources: ArtifactSources): ApiPart {
  return {
    tag: "artifacts",
    schemas: artifactSchemas,
    routes: [
      {
        method: "GET",
        path: "/api/artifacts/{key}",
        scope: "read",
        operation: {
          operationId: "getArtifact",
          summary: "Read a page of an artifact",
          description: "A large or binary result that was stored. Secrets are masked.",
          parameters: [
            offsetParameter,
            queryParameter("length", "Bytes of the page, at most.", {
              type: "integer",
              minimum: 1,
              maximum: maxLength,
              default: defaultLength,
            }),
          ],
          responses: { 200: jsonResponse("The page.", "ArtifactPage") },
        },
        handle: async ({ sender, parameters: { key = "" }, query }) => {
          const offset = readInteger(query, "offset", 0, Number.MAX_SAFE_INTEGER) ?? 0;
          const length = readInteger(query, "length", 1, maxLength) ?? defaultLength;
          return readPage(sources, await findArtifact(sources, sender, key), offset, length);
        },
      },
      {
        method: "GET",
        path: "/api/artifacts/{key}/search",
        scope: "read",
        operation: {
          operationId: "searchArtifact",
          summary: "Find a text in an artifact",
          description: "Literally and case-insensitively, line by line: the first 100 matches.",
          parameters: [
            {
              ...queryParameter("q", "The text to find.", {
                type: "string",
                minLength: 1,
                maxLength: maxQueryLength,
              }),
              required: true,
            },
            offsetParameter,
          ],
          responses: { 200: jsonResponse("The matches.", "ArtifactMatches") },
          problems: [409],
        },
        handle: async ({ sender, parameters: { key = "" }, query }) => {
          const wanted = query.get("q") ?? "";
          if (wanted === "" || wanted.length > maxQueryLength) {
            const detail = `q must be a text of 1 to ${maxQueryLength} characters.`;
            throw new Problem("invalid_query", detail);
          }
          const offset = readInteger(query, "offset", 0, Number.MAX_SAFE_INTEGER) ?? 0;
          const artifact = await findArtifact(sources, sender, key);
          return searchArtifact(sources, artifact, wanted, offset);
        },
      },
      {
        method: "GET",
        path: "/api/artifacts/{key}/bytes",
        scope: "read",
        operation: {
          operationId: "downloadArtifact",
          summary: "Download an artifact",
          description: "As it is stored; in a text, secrets are masked.",
          responses: {
            200: {
              description: "The bytes.",
              content: { "application/octet-stream": { schema: {} } },
            },
          },
        },
        handle: async ({ sender, parameters: { key = "" } }) => {
          const artifact = await findArtifact(sources, sender, key);
          return new Response(streamArtifact(sources, artifact), {
            headers: {
              "content-type": "application/octet-stream",
              "content-disposition": `attachment; filename="${artifact.key}.bin"`,
            },
          });
        },
      },
    ],
  };
}

/** @throws Problem for a value that is no whole number of the range. */
function readInteger(
  query: URLSearchParams,
  name: string,
  min: number,
  max: number,
): number | undefined {
  const value = query.get(name);
  if (value === null) return undefined;
  const number = Number(value);
  if (/^\d{1,16}$/.test(value) && number >= min && number <= max) return number;
  throw new Problem("invalid_query", `${name} must be a whole number from ${min} to ${max}.`);
}
