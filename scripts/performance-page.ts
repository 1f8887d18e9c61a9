// Writes docs/reference/performance.md. `check performance-page` says when it has to be done.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { currentPerformancePage, performancePagePath } from "./steps/performance-page.ts";

const root = join(import.meta.dirname, "..");
writeFileSync(join(root, performancePagePath), await currentPerformancePage(root));
