// Writes docs/reference/executor-options.md. `check options-page` says when it has to be done.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { currentOptionsPage, optionsPagePath } from "./steps/options-page.ts";

const root = join(import.meta.dirname, "..");
writeFileSync(join(root, optionsPagePath), await currentOptionsPage(root));
