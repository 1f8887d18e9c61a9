import { defineConfig } from "vitest/config";
import tests from "./vitest.config.ts";

// What reads the documents in ../shared, which a clone need not have beside it.
export default defineConfig({
  ...tests,
  test: {
    include: ["{packages,apps}/*/corpus/**/*.test.ts", "conformance/corpus/**/*.test.ts"],
    globalSetup: ["scripts/require-shared.ts"],
    setupFiles: ["./scripts/usual-seed.ts"],
    testTimeout: 120_000,
  },
});
