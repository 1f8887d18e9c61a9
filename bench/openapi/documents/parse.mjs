// The floor: what reading the document costs at least; read as text, or as bytes that become text.
import { readFileSync } from "node:fs";

const [, , path, form] = process.argv;
const read = () => (form === "text" ? readFileSync(path, "utf8") : readFileSync(path).toString());
if (/\.ya?ml$/.test(path)) {
  const { load } = await import("js-yaml");
  load(read());
} else {
  JSON.parse(read());
}
