import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { isFullRun } from "@toolweave/test-support";

/**
 * The folder of the published documents, with a slash at the end; they are not part of this
 * repository.
 */
export const specs: string = fileURLToPath(new URL("../../../../shared/specs/", import.meta.url));

/** The root files of documents that are trees of files. */
const trees = [
  "digitalocean-multi/DigitalOcean-public.v2.yaml",
  "hey-api-full-2.0/full.yaml",
  "hey-api-full-3.1/full.yaml",
  "oai-petstore-separate-2.0/spec/swagger.json",
];

/** All documents, by path below `specs`. */
export function allDocumentNames(): readonly string[] {
  const files = readdirSync(specs).filter((name) => /\.(?:json|ya?ml)$/.test(name));
  return [...files, ...trees];
}

/**
 * A document of each version, small ones and larger ones, and one that consists of several files.
 */
const sample = [
  "netlify-2.0.yml",
  "swagger-petstore-3.0.yaml",
  "figma-3.1.yaml",
  "redocly-cafe-3.2.yaml",
  "hey-api-full-3.1/full.yaml",
];

/** The documents to test, by path below `specs`: all of them in a full run, a sample in a quick one. */
export function documentNames(): readonly string[] {
  return isFullRun ? allDocumentNames() : sample;
}

/** Operations without a possible value, as `problems` names them, by document. */
export const uncallable: Readonly<Record<string, readonly string[]>> = {
  // A list, required, as application/x-www-form-urlencoded, which has named fields only.
  "hey-api-full-3.1/full.yaml": ["PUT /api/v{api-version}/non-ascii-æøåÆØÅöôêÊ字符串"],
};
