import { classifyCalls } from "../../packages/openapi/corpus/oracles/classify-calls.ts";
import { specs } from "../../packages/openapi/corpus/documents.ts";
import { checkDocument } from "../../packages/openapi/corpus/oracles/check-document.ts";
import { router } from "../../packages/openapi/corpus/oracles/path-routes.ts";
import { createPrismOracle } from "../../packages/openapi/corpus/oracles/prism-oracle.ts";
import { contenders } from "./contenders.ts";

// One contender and one document, in a child process:
//
// node judge-child.ts contender document seed most
const [name = "", document = "", seed = "1", most = "50"] = process.argv.slice(2);
// Peers write to the console.
for (const method of ["log", "info", "warn", "error", "debug"] as const) console[method] = () => {};

const contender = await contenders[name]?.();
if (contender === undefined) throw new Error(`no contender ${name}`);
const prism = await createPrismOracle(specs + document);
const checked = await checkDocument(document, [prism], {
  contender,
  seed: Number(seed),
  most: Number(most),
  route: router(prism.operations),
});
const { tallies, ours } = classifyCalls(checked, [prism.name]);
const result = {
  operations: prism.operations.length,
  tools: checked.operations,
  called: checked.called,
  tally: tallies[0],
  rejections: ours,
};
// A peer may keep the process alive.
process.stdout.write(JSON.stringify(result), () => process.exit());
