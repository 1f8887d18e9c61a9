import { once } from "node:events";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openPetShop, type PetShop } from "./support/pet-shop.ts";
import { awaitEnd, runBin, startBin } from "./support/run-bin.ts";
import { tempFile } from "./support/temp-file.ts";

// Processes start slowly on a busy machine.
let shop: PetShop;
beforeAll(async () => {
  shop = await openPetShop();
});
afterAll(() => shop.close());

describe("the process ends with", () => {
  test.each<[number, string, () => string[]]>([
    [0, "completed", () => ["call", "get_pet", "id=7", "--openapi", shop.documentUrl]],
    [
      1,
      "the tool answered with an error",
      () => ["call", "get_pet", "id=404", "--openapi", shop.documentUrl],
    ],
    [2, "usage", () => ["call", "get_pet", "di=7", "--openapi", shop.documentUrl]],
    [
      3,
      "waiting for approval",
      () => ["call", "delete_pet", "id=7", "--openapi", shop.documentUrl],
    ],
    [
      4,
      "a document could not be loaded",
      () => ["inspect", "--openapi", `${shop.url}/nothing/here`],
    ],
  ])("%i: %s", async (code, _, argv) => {
    const result = await runBin(argv());
    expect([result.code, result.signal]).toEqual([code, null]);
    expect(result.stdout === "").toBe(code !== 0);
    expect(result.stderr === "").toBe(code === 0);
  });

  test("130: Ctrl-C, and the server sees that the request is aborted", async () => {
    const own = await openPetShop();
    const child = startBin(["call", "wait_forever", "--openapi", own.documentUrl]);
    const ended = awaitEnd(child);
    await own.asked("/never");
    child.kill("SIGINT");
    const { code, stdout, stderr } = await ended;
    expect({ code, stdout }).toEqual({ code: 130, stdout: "" });
    expect(stderr).toMatch(/^toolweave: .* was cancelled\.\n$/);
    await own.hungUp;
    await own.close();
  });
});

test("arguments come from stdin, secrets from the environment", async () => {
  const { code, stdout } = await runBin(
    [
      "call",
      "add_pet",
      "--args",
      "-",
      "--yes",
      "--auth",
      "bearer:$PET_TOKEN",
      "--openapi",
      shop.documentUrl,
    ],
    { input: '{"name":"Rex"}', env: { PET_TOKEN: "t-1" } },
  );
  expect({ code, answer: JSON.parse(stdout) }).toEqual({ code: 0, answer: { name: "Rex" } });
  expect(shop.requests.at(-1)?.headers["authorization"]).toBe("Bearer t-1");
});

test("`| head` ends it with 0 and without a message", async () => {
  const paths = Object.fromEntries(
    Array.from({ length: 2000 }, (_, index) => [
      `/things/${index}`,
      { get: { operationId: `thing_${index}`, summary: "x".repeat(200), responses: {} } },
    ]),
  );
  const document = {
    openapi: "3.1.0",
    info: { title: "Long", version: "1" },
    servers: [{ url: "https://api.example.com" }],
    paths,
  };
  const path = tempFile("long.json", JSON.stringify(document));
  for (const flags of [[], ["--json"]]) {
    const child = startBin(["inspect", "--openapi", path, ...flags]);
    let stderr = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
    child.stdout.once("data", () => child.stdout.destroy());
    const [code] = (await once(child, "exit")) as [number];
    expect({ flags, code, stderr }).toEqual({ flags, code: 0, stderr: "" });
  }
});

test("help and version load neither adapters nor the core", async () => {
  const spy =
    'import { registerHooks } from "node:module";' +
    "registerHooks({ resolve(name, context, next) {" +
    ' if (/@toolweave|undici|ajv|yaml/.test(name)) process.stderr.write("loaded " + name + "\\n");' +
    " return next(name, context); } });";
  const nodeArgs = ["--import", `data:text/javascript,${encodeURIComponent(spy)}`];
  for (const argv of [["--help"], ["call", "--help"], ["--version"]]) {
    const { code, stderr } = await runBin(argv, { nodeArgs });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  }
  const { stderr } = await runBin(["inspect", "--openapi", "no/such.yaml"], { nodeArgs });
  expect(stderr).toContain("loaded @toolweave/openapi");
});

test("the output has no colours if it is not a terminal", async () => {
  const env = { NO_COLOR: "", FORCE_COLOR: "" };
  const { stdout } = await runBin(["inspect", "--openapi", shop.documentUrl], { env });
  expect(stdout).toContain("8 tools");
});
