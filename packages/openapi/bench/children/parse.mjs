// The floor: what reading the document costs at least.
import { readFileSync } from "node:fs";

const path = process.argv[2];
if (/\.ya?ml$/.test(path)) {
  const { load } = await import("js-yaml");
  load(readFileSync(path).toString());
} else {
  JSON.parse(readFileSync(path));
}
