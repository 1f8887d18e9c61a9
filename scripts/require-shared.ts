import { existsSync } from "node:fs";
import { join } from "node:path";

/** Vitest's global setup of the corpus tests: without ../shared there is nothing to read. */
export function setup(): void {
  if (existsSync(join(import.meta.dirname, "../../shared/specs"))) return;
  process.stderr.write(
    "The corpus tests read the API documents in ../shared/specs, beside the repository, and that folder is missing.\n",
  );
  process.exit(1);
}
