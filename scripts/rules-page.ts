// Writes docs/reference/conformance-rules.md. `check rules-page` says when it has to be done.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { currentRulesPage, rulesPagePath } from "./steps/rules-page.ts";

const root = join(import.meta.dirname, "..");
writeFileSync(join(root, rulesPagePath), await currentRulesPage(root));
