import { createRequire } from "node:module";

/** The official suite's program. */
export const suiteProgram: string = createRequire(import.meta.url).resolve(
  "@modelcontextprotocol/conformance/dist/index.js",
);

/** A scenario with what went wrong in it, in the suite's words and, for the client, in its own. */
export interface CheckedScenario {
  readonly scenario: string;
  readonly wrong: readonly string[];
}
