import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** Where the published documents are, with a slash at the end; they are not part of this repository. */
export const specs: string = fileURLToPath(new URL("../../../../shared/specs/", import.meta.url));

/** The root files of documents that are trees of files. */
const trees = [
  "digitalocean-multi/DigitalOcean-public.v2.yaml",
  "hey-api-full-2.0/full.yaml",
  "hey-api-full-3.1/full.yaml",
  "oai-petstore-separate-2.0/spec/swagger.json",
];

/** All documents, by path below `specs`. */
export function documentNames(): readonly string[] {
  const files = readdirSync(specs).filter((name) => /\.(?:json|ya?ml)$/.test(name));
  return [...files, ...trees];
}

/** Operations that no value can be sent to, as `problems` names them, by document. */
export const uncallable: Readonly<Record<string, readonly string[]>> = {
  // A list, required, as application/x-www-form-urlencoded, which has named fields only.
  "hey-api-full-3.1/full.yaml": ["PUT /api/v{api-version}/non-ascii-æøåÆØÅöôêÊ字符串"],
};
