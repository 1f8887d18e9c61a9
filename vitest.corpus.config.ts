import { defineConfig } from "vitest/config";
import { corpusTests, shared } from "./vitest.config.ts";

/** The quick run over real documents: what reads `../shared`, which a clone need not have beside it. */
export default defineConfig({
  ...shared,
  test: {
    ...shared.test,
    include: corpusTests,
    exclude: ["**/node_modules/**", "**/*.full.test.ts"],
    globalSetup: ["scripts/require-shared.ts"],
    isolate: false,
  },
});
