// Makes a document of 22,000 operations, about 50 MB of JSON, of several real ones:
//
// node bench/openapi/documents/make-huge.ts [operations]
//
// Prints its path in the temporary folder, for documents.ts. Documents are read
// from ../shared/specs. The first copy of each is complete; further ones, under other paths and
// operationIds, share its components and have no examples.
import { readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { load } from "js-yaml";

type Json = Record<string, unknown>;

const specs = new URL("../../../../shared/specs/", import.meta.url);
const sources = [
  ["github", "github-api-3.0.json"],
  ["stripe", "stripe-2023-09.yaml"],
  ["qdrant", "qdrant-3.0.json"],
  ["petstore", "swagger-petstore-3.0.yaml"],
] as const;
const methods = new Set(["get", "put", "post", "delete", "options", "head", "patch", "trace"]);
const most = Number(process.argv[2] ?? 22_000);

const originals = sources.map(([prefix, file]) => ({ prefix, document: read(prefix, file) }));
const paths: Json = {};
const components: Record<string, Json> = {};
for (const { document } of originals) {
  for (const [section, entries] of Object.entries((document["components"] ?? {}) as Json)) {
    Object.assign((components[section] ??= {}), entries);
  }
}
let count = 0;
for (let copy = 1; count < most; copy++) {
  for (const { prefix, document } of originals) {
    for (const [path, item] of Object.entries(document["paths"] as Record<string, Json>)) {
      if (count >= most) break;
      const own = copy === 1 ? item : (withoutExamples(item) as Json);
      paths[`/${prefix}/${copy}${path}`] = renamed(own, `${prefix}/${copy}`);
      count += Object.keys(item).filter((key) => methods.has(key)).length;
    }
  }
}
const target = join(tmpdir(), "toolweave-huge.json");
const huge = { openapi: "3.0.3", info: { title: "Huge", version: "1" }, paths, components };
const text = JSON.stringify(huge);
writeFileSync(target, text);
process.stdout.write(`${target}\n`);
process.stderr.write(`${count} operations, ${(text.length / 1e6).toFixed(1)} MB\n`);

/** A document whose components have unique names. */
function read(prefix: string, file: string): Json {
  const text = readFileSync(new URL(file, specs), "utf8");
  const document = (file.endsWith(".json") ? JSON.parse(text) : load(text)) as Json;
  const json = JSON.stringify(document).replace(
    /"#\/components\/(\w+)\//g,
    (_, section: string) => `"#/components/${section}/${prefix}.`,
  );
  const whole = JSON.parse(json) as Json;
  const sections = Object.entries((whole["components"] ?? {}) as Record<string, Json>);
  whole["components"] = Object.fromEntries(
    sections.map(([section, entries]) => [
      section,
      Object.fromEntries(Object.entries(entries).map(([name, one]) => [`${prefix}.${name}`, one])),
    ]),
  );
  return whole;
}

function renamed(item: Json, prefix: string): Json {
  return Object.fromEntries(
    Object.entries(item).map(([key, value]) => {
      if (!methods.has(key)) return [key, value];
      // Names of security schemes have been replaced by others.
      const { operationId, security: _, ...operation } = value as Json;
      return [key, { operationId: `${prefix}/${operationId as string}`, ...operation }];
    }),
  );
}

function withoutExamples(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutExamples);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, inner]) =>
      key === "example" || key === "examples" ? [] : [[key, withoutExamples(inner)]],
    ),
  );
}
