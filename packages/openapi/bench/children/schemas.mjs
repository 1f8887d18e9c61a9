// Every input and output schema of every operation.
import { openApiSource } from "@toolweave/openapi";

const source = openApiSource.fromFile(process.argv[2]);
await source.ready;
let count = 0;
for (const { spec } of source.tools()) {
  if (typeof spec.inputSchema === "object") count++;
  if (typeof spec.outputSchema === "object") count++;
}
if (count === 0) throw new Error("no operations");
