import { expect, test } from "vitest";
import { project } from "./support/project.ts";

test("add writes the base URL and the headers of a source, and names in place of secrets", async () => {
  const { run, read, write } = project();
  write(
    "pets.json",
    JSON.stringify({ openapi: "3.1.0", info: { title: "P", version: "1" }, paths: {} }),
  );
  const headers = ["--header", "X-Api-Version: 2", "--header", "X-Key: $PETS_KEY"];
  const added = await run([
    ...["add", "pets.json", "--no-check", "--base-url", "https://pets.example.com/v1"],
    ...headers,
  ]);
  expect(added.code).toBe(0);
  expect(JSON.parse(read("toolweave.json"))).toEqual({
    openapi: {
      pets: {
        file: "./pets.json",
        baseUrl: "https://pets.example.com/v1",
        headers: { "X-Api-Version": "2", "X-Key": "${PETS_KEY}" },
      },
    },
  });
});

test.each([
  [["pets.json", "--header", "X-Key: s3cret"], "--header X-Key must name an environment variable"],
  [
    ["https://mcp.example.com/mcp", "--base-url", "https://a.example"],
    "--base-url is for OpenAPI documents",
  ],
  [["node server.mjs", "--header", "A: b"], "--header is for URLs and documents"],
])("add %j is a usage error that repeats no secret", async (words, message) => {
  const { run, write } = project();
  write("pets.json", "{}");
  const { code, stderr } = await run(["add", ...words, "--no-check"]);
  expect(code).toBe(2);
  expect(stderr).toContain(message);
  expect(stderr).not.toContain("s3cret");
});
