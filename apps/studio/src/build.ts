import { join } from "node:path";
import { buildPage } from "./page-files/index.ts";

await buildPage(join(import.meta.dirname, "..", "dist/page"));
