import { defineConfig } from "vitest/config";
import {
  corpusTests,
  isolatedTests,
  packageTests,
  postgresSetup,
  postgresTests,
  shared,
  studioTests,
} from "./vitest.config.ts";

/** The full run: every test with its whole matrix, thousands of seeds, real servers, and the whole corpus. */
export default defineConfig({
  ...shared,
  test: {
    ...shared.test,
    env: { ...shared.test?.env, TOOLWEAVE_FULL: "1" },
    globalSetup: ["scripts/require-shared.ts"],
    testTimeout: 1_200_000,
    hookTimeout: 1_200_000,
    projects: [
      {
        extends: true,
        test: {
          name: "shared",
          isolate: false,
          include: [...packageTests, ...corpusTests],
          exclude: ["**/node_modules/**", ...isolatedTests, ...postgresTests, ...studioTests],
        },
      },
      { extends: true, test: { name: "isolated", include: isolatedTests } },
      {
        extends: true,
        test: {
          name: "postgres",
          isolate: false,
          globalSetup: [postgresSetup],
          include: postgresTests,
        },
      },
      {
        extends: true,
        test: {
          name: "studio",
          isolate: false,
          globalSetup: ["apps/cli/test/support/command-setup.ts"],
          include: studioTests,
        },
      },
    ],
  },
});
