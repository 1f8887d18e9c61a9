// Names and summaries of every operation, as a list of tools needs them.
import { openApiSource } from "@toolweave/openapi";

const source = openApiSource.fromFile(process.argv[2]);
await source.ready;
let length = 0;
for (const { spec } of source.tools()) length += spec.name.length + (spec.title ?? "").length;
if (length === 0) throw new Error("no operations");
