import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { defineConfig, type ViteUserConfig } from "vitest/config";

// Packages are tested on their sources: no build is needed before a test run.
const conditions = ["@toolweave/source"];

/** Every test that a clone can run by itself. */
export const packageTests: string[] = [
  "{packages,apps,examples}/*/test/**/*.test.ts",
  "{conformance,chaos}/test/**/*.test.ts",
  "test/**/*.test.ts",
];

/** Tests that read real documents in `../shared`. */
export const corpusTests: string[] = [
  "{packages,apps}/*/corpus/**/*.test.ts",
  "conformance/corpus/**/*.test.ts",
  "corpus/**/*.test.ts",
];

/**
 * Files that replace modules or timers, so that each needs a process of its own: what a shared module keeps of a replaced
 * timer would outlast the file. All others share the modules of their worker, which are loaded once.
 */
export const isolatedTests: string[] = globSync(packageTests, {
  cwd: import.meta.dirname,
  exclude: ["**/node_modules/**"],
}).filter((file) =>
  /\bvi\.(?:mock|useFakeTimers)\(/.test(readFileSync(join(import.meta.dirname, file), "utf8")),
);

/** Tests that need a PostgreSQL, which is started once for all of them. */
export const postgresTests: string[] = [
  "packages/postgres/test/**/*.test.ts",
  "{packages,apps,examples}/*/test/**/*.postgres{,.full}.test.ts",
  "chaos/test/**/*.postgres{,.full}.test.ts",
];
export const postgresSetup: string = "packages/test-support/src/postgres-setup.ts";

/** Tests of the whole of Studio, whose page is built once for all of them. */
export const studioTests: string[] = ["apps/cli/test/studio*.test.ts"];
const studioSetup = "apps/cli/test/support/page-setup.ts";

/** The shared part of all runs. */
export const shared: ViteUserConfig = {
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: conditions } },
  test: {
    // One more than the processors of the machines that run this: many tests wait for processes and timers.
    maxWorkers: 3,
    // For tests that would hang; how long one takes depends on what else the machine does.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    setupFiles: ["./scripts/usual-seed.ts"],
    // Programs that tests start read the same several hundred modules each time: Node keeps what it made of them.
    env: { NODE_COMPILE_CACHE: join(import.meta.dirname, "node_modules/.cache/node") },
    typecheck: { include: [] },
  },
};

/** The quick run, `pnpm test`: without `*.full.test.ts`, and with samples where a full run has all. */
export default defineConfig({
  ...shared,
  test: {
    ...shared.test,
    projects: [
      {
        extends: true,
        test: {
          name: "shared",
          isolate: false,
          include: packageTests,
          exclude: [
            "**/node_modules/**",
            "**/*.full.test.ts",
            ...isolatedTests,
            ...postgresTests,
            ...studioTests,
          ],
        },
      },
      {
        extends: true,
        test: {
          name: "isolated",
          include: isolatedTests,
          exclude: ["**/node_modules/**", "**/*.full.test.ts"],
        },
      },
      {
        extends: true,
        test: {
          name: "postgres",
          isolate: false,
          globalSetup: [postgresSetup],
          include: postgresTests,
          exclude: ["**/node_modules/**", "**/*.full.test.ts"],
        },
      },
      {
        extends: true,
        test: {
          name: "studio",
          isolate: false,
          globalSetup: [studioSetup],
          include: studioTests,
          exclude: ["**/node_modules/**", "**/*.full.test.ts"],
        },
      },
    ],
  },
});
