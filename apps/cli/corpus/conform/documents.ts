import { readFileSync } from "node:fs";
import { join } from "node:path";
import { openApiSource, type OpenApiOptions, type OpenApiSource } from "@toolweave/openapi";
import { inFullRun } from "@toolweave/test-support";
import { load } from "js-yaml";
import { specs } from "../../../../packages/openapi/corpus/documents.ts";

/** The documents of the kit's full run: each kind of OpenAPI, small and huge, plain and odd. */
const all: readonly string[] = [
  "digitalocean-multi/DigitalOcean-public.v2.yaml",
  "figma-3.1.yaml",
  "github-api-3.0.json",
  "httpbin-conv.json",
  "netlify-2.0.yml",
  "oai-uspto-3.0.json",
  "qdrant-3.0.json",
  "readme-star-trek-3.0.json",
  "redocly-cafe-3.2.yaml",
  "redocly-museum-3.1.yaml",
  "resend-3.1.json",
  "scalar-galaxy-3.1.yaml",
  "stripe-2023-09.yaml",
  "swagger-petstore-3.0.yaml",
];

/** The documents of this run of the kit. */
export const documentNames: readonly string[] = inFullRun(all, [
  "redocly-cafe-3.2.yaml",
  "swagger-petstore-3.0.yaml",
]);

/** Makes sources of a document. What one file holds is parsed once: it is a huge one that costs. */
export function opener(name: string): (options: OpenApiOptions) => OpenApiSource {
  const path = join(specs, name);
  if (name.includes("/")) return (options) => openApiSource.fromFile(path, options);
  const text = readFileSync(path, "utf8");
  const document = (name.endsWith(".json") ? JSON.parse(text) : load(text)) as object;
  return (options) => openApiSource.fromDocument(document, options);
}
