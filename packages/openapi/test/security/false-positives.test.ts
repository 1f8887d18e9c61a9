import { createRequire } from "node:module";
import { scanSpec } from "@toolweave/core/scan";
import { expect, onTestFinished, test } from "vitest";
import { openApiSource } from "../../src/index.ts";

const require = createRequire(import.meta.url);

test("OA14 of more than a thousand real operations none is reported for instructions", async () => {
  const source = openApiSource(require.resolve("@octokit/openapi/generated/api.github.com.json"), {
    baseUrl: "https://api.github.com",
  });
  onTestFinished(() => source.close());
  await source.ready;
  const tools = source.tools();
  expect(tools.length).toBeGreaterThan(1_000);
  const found = tools.flatMap(({ spec }) =>
    scanSpec(spec).map(({ kind, excerpt }) => [spec.name, kind, excerpt]),
  );
  expect(found).toEqual([]);
});
