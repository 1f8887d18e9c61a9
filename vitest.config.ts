import { defineConfig } from "vitest/config";

// Packages are tested on their sources: no build is needed before a test run.
const conditions = ["@toolweave/source"];

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: conditions } },
  test: {
    // For tests that would hang; how long one takes depends on what else the machine does.
    testTimeout: 30_000,
    setupFiles: ["./scripts/usual-seed.ts"],
    include: [
      "{packages,apps,examples}/*/test/**/*.test.ts",
      "conformance/test/**/*.test.ts",
      "test/**/*.test.ts",
    ],
    typecheck: {
      enabled: true,
      include: ["packages/*/test/**/*.test-d.ts"],
      tsconfig: "./tsconfig.json",
    },
  },
});
