import { ToolError } from "@toolweave/core";
import { loadConfig } from "@toolweave/config";
import { expect, test } from "vitest";
import { echo, loaded } from "./support/echo.ts";

const token = "tok-0123456789-abcdefghij";

test.each([
  ["a type", { mcpServers: { a: { ...echo, type: "${TOKEN}" } } }],
  ["a prefix", { mcpServers: { a: echo }, mcp: { a: { prefix: "1 ${TOKEN}" } } }],
  ["a preset", { policy: { preset: "${TOKEN}" } }],
  ["an effect", { policy: { rules: [{ effect: "${TOKEN}", tools: "*" }] } }],
  ["a document's prefix", { openapi: { a: { file: "a.json", prefix: "1 ${TOKEN}" } } }],
])("an invalid value of %s is named by its variable, not displayed", async (_, config) => {
  const error: unknown = await loadConfig(config, { env: { TOKEN: token } }).catch(
    (e: unknown) => e,
  );
  expect(ToolError.is(error) && error.message).toContain("${TOKEN}");
  // The cause of an error is displayed, too, on request.
  for (let current = error; current instanceof Error; current = current.cause) {
    expect(current.message).not.toContain(token.slice(0, 12));
  }
});

test("inherited names are neither options nor types", async () => {
  const { warnings } = await loaded({ mcpServers: { echo: { ...echo, constructor: 1 } } });
  expect(warnings).toEqual(['/mcpServers/echo/constructor: Unknown option "constructor".']);
  await expect(
    loadConfig({ mcpServers: { a: { ...echo, type: "constructor" } } }),
  ).rejects.toMatchObject({ message: expect.stringContaining('"constructor" is no type') });
});
