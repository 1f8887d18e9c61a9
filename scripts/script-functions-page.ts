// Writes docs/reference/script-functions.md. `check script-functions` says when it has to be done.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { currentScriptFunctionsPage, scriptFunctionsPagePath } from "./steps/script-functions.ts";

const root = join(import.meta.dirname, "..");
writeFileSync(join(root, scriptFunctionsPagePath), await currentScriptFunctionsPage(root));
