import { conformance } from "@toolweave/conformance/vitest";
import { afterAll } from "vitest";
import { documentManifest } from "./document-manifest.ts";
import { documentNames } from "./documents.ts";
import { brokenByDocuments } from "./known-failing.ts";

// Of documents with hundreds of operations a run looks at some: always the same ones here.
const seed = 1;

const documents = await Promise.all(
  documentNames.map((name) =>
    documentManifest(name, { knownFailing: brokenByDocuments[name] ?? {} }),
  ),
);
for (const { manifest } of documents) conformance(manifest, { seed });
afterAll(() => Promise.all(documents.map(({ close }) => close())));
