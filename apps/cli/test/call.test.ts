import { afterAll, beforeEach, beforeAll, describe, expect, test } from "vitest";
import { runCli } from "../src/program.ts";
import { captureIo, type CaptureOptions } from "./support/captured-io.ts";
import { openPetShop, type PetShop, type SeenRequest } from "./support/pet-shop.ts";
import { tempFile } from "./support/temp-file.ts";

let shop: PetShop;
let before = 0;
beforeAll(async () => {
  shop = await openPetShop();
});
beforeEach(() => {
  before = shop.requests.length;
});
afterAll(() => shop.close());

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly sent: readonly SeenRequest[];
}

async function call(
  argv: readonly string[],
  options: CaptureOptions & { stdin?: string } = {},
): Promise<Ended> {
  const { io, stdin, stdout, stderr } = captureIo(options);
  if (options.stdin !== undefined) stdin.end(options.stdin);
  const code = await runCli(["call", ...argv, "--openapi", shop.documentUrl], io);
  return { code, stdout: stdout(), stderr: stderr(), sent: shop.requests.slice(before) };
}

describe("a call that completes", () => {
  test("prints the answer and ends with 0", async () => {
    const { code, stdout, stderr, sent } = await call([
      "list_pets",
      "limit=5",
      "tag=a",
      "tag=b",
      "sold=false",
    ]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(JSON.parse(stdout)).toEqual({ path: "/pets?limit=5&tag=a&tag=b&sold=false" });
    expect(stdout.endsWith("}\n")).toBe(true);
    expect(sent).toMatchObject([{ method: "GET", url: "/pets?limit=5&tag=a&tag=b&sold=false" }]);
  });

  test("sends a body from key=value arguments", async () => {
    const { code, sent } = await call([
      "add_pet",
      "name=Rex",
      "age=3.5",
      "tags=big",
      "tags=old",
      "owner.name=Ada",
      "owner.phone=null",
      "--yes",
    ]);
    expect(code).toBe(0);
    expect(sent).toMatchObject([{ method: "POST", url: "/pets" }]);
    expect(JSON.parse(sent[0]?.body ?? "")).toEqual({
      name: "Rex",
      age: 3.5,
      tags: ["big", "old"],
      owner: { name: "Ada", phone: null },
    });
  });

  test.each([
    ["as text", () => ({ args: '{"name":"Rex"}' })],
    ["from a file", () => ({ args: `@${tempFile("pet.json", '\uFEFF{"name":"Rex"}')}` })],
    ["from stdin", () => ({ args: "-", stdin: '{"name":\n"Rex"}' })],
  ])("accepts arguments as JSON %s, and key=value overrides them", async (_, given) => {
    const { args, ...options } = given() as { args: string; stdin?: string };
    const { code, sent } = await call(["add_pet", "--args", args, "age=2", "--yes"], options);
    expect(code).toBe(0);
    expect(JSON.parse(sent[0]?.body ?? "")).toEqual({ name: "Rex", age: 2 });
  });

  test("--json prints the complete outcome", async () => {
    const { code, stdout } = await call(["get_pet", "id=7", "--json"]);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      status: "completed",
      result: {
        toolName: "get_pet",
        isError: false,
        value: { path: "/pets/7" },
        details: { status: 200 },
      },
    });
  });

  test("an answer that is not text is named, and is complete in --json", async () => {
    const printed = await call(["get_photo"]);
    expect(printed).toMatchObject({ code: 0, stdout: "" });
    expect(printed.stderr).toBe(
      "toolweave: The result contains an image (image/png, 4 bytes): save it with --output, or print it as base64 with --json.\n",
    );
    const { stdout } = await call(["get_photo", "--json"]);
    expect(JSON.parse(stdout).result.content).toEqual([
      {
        type: "image",
        mimeType: "image/png",
        data: Buffer.from([137, 80, 78, 71]).toString("base64"),
      },
    ]);
  });

  test("an answer is written to a file unchanged, and to a terminal without control characters", async () => {
    const poem = "roses \u001b[31mred\u001b[0m\nviolets\u202e blue\n";
    expect((await call(["read_poem"])).stdout).toBe(poem);
    expect((await call(["read_poem"], { terminal: true })).stdout).toBe(
      "roses \\u{1B}[31mred\\u{1B}[0m\nviolets\\u{202E} blue\n",
    );
  });

  test("a long answer is not truncated", async () => {
    const name = "x".repeat(100_000);
    const { stdout } = await call(["add_pet", "--yes", "--args", "-"], {
      stdin: JSON.stringify({ name }),
    });
    expect(JSON.parse(stdout)).toEqual({ name });
  });
});

describe("credentials", () => {
  test("come from the environment and go to the API", async () => {
    const { code, sent } = await call(["list_orders", "--auth", "apiKey:shopKey=$SHOP_KEY"], {
      env: { SHOP_KEY: "k-1" },
    });
    expect(code).toBe(0);
    expect(sent[0]?.headers).toMatchObject({ "x-key": "k-1" });
  });

  test("that are missing are named with their option, and the call ends with 1", async () => {
    const { code, stderr } = await call(["list_orders"]);
    expect(code).toBe(1);
    expect(stderr).toContain(
      "configure them as --auth (the document asks for shopKey, an API key in the header",
    );
  });

  test("and headers are sent with every request, for the document too", async () => {
    const { io, stdout } = captureIo({ env: { PASSWORD: "s3cret" } });
    const argv = ["call", "get_pet", "id=1", "--openapi", `${shop.url}/secret.json`];
    const code = await runCli(
      [...argv, "--auth", "basic:ada:$PASSWORD", "--header", "X-Trace: t-1", "--json"],
      io,
    );
    expect(code).toBe(0);
    expect(JSON.parse(stdout()).status).toBe("completed");
    expect(shop.requests.at(-1)?.headers).toMatchObject({
      authorization: `Basic ${Buffer.from("ada:s3cret").toString("base64")}`,
      "x-trace": "t-1",
    });
  });

  test("are never on stderr", async () => {
    const { io, stderr } = captureIo();
    const openapi = `${shop.url}/k-secret/no-document`;
    const argv = ["call", "x", "--openapi", openapi, "--auth", "bearer:k-secret", "--verbose"];
    expect(await runCli(argv, io)).toBe(4);
    expect(stderr()).toContain("/[redacted]/no-document");
    expect(stderr()).not.toContain("k-secret");
  });
});

describe("the address of the API", () => {
  test("--base-url replaces the document's servers", async () => {
    const { sent, code } = await call(["get_pet", "id=7", "--base-url", `${shop.url}/v2`]);
    expect(code).toBe(0);
    expect(sent).toMatchObject([{ url: "/v2/pets/7" }]);
  });

  test("a private origin that the document chose is refused with 3, until --allow-origin allows it", async () => {
    const document = {
      openapi: "3.1.0",
      info: { title: "Sly", version: "1" },
      servers: [{ url: shop.url }],
      paths: { "/pets": { get: { operationId: "listPets", responses: {} } } },
    };
    const path = tempFile("sly.json", JSON.stringify(document));
    const refused = captureIo();
    expect(await runCli(["call", "list_pets", "--openapi", path], refused.io)).toBe(3);
    expect(refused.stderr()).toContain(`--allow-origin ${shop.url}.\n`);
    expect(shop.requests).toHaveLength(before);
    const allowed = captureIo();
    const argv = ["call", "list_pets", "--openapi", path, "--allow-origin", shop.url];
    expect(await runCli(argv, allowed.io)).toBe(0);
  });
});

describe("a call that fails", () => {
  test("with an answer that is an error ends with 1, and the error is only on stderr", async () => {
    const { code, stdout, stderr } = await call(["get_pet", "id=404"]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toBe(
      'toolweave: GET /pets/{id} answered 404 Not Found: {"error":"no such pet"}\n',
    );
  });

  test("has its error as data in --json", async () => {
    const { code, stdout } = await call(["get_pet", "id=404", "--json"]);
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      status: "completed",
      result: { isError: true },
      error: { code: "upstream", status: 404, body: { error: "no such pet" }, retryable: false },
    });
  });

  test("because of --timeout ends with 1", async () => {
    const { code, stdout, stderr } = await call(["wait_forever", "--timeout", "300"]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toMatch(/^toolweave: wait_forever did not answer within 300 ms/);
  });

  test("because the operation is broken names the reason", async () => {
    const document = {
      openapi: "3.1.0",
      info: { title: "Broken", version: "1" },
      servers: [{ url: "https://api.example.com" }],
      paths: {
        "/bad": { put: { operationId: "bad", requestBody: { $ref: "#/nowhere" }, responses: {} } },
      },
    };
    const { io, stderr } = captureIo();
    const path = tempFile("broken.json", JSON.stringify(document));
    expect(await runCli(["call", "bad", "--openapi", path], io)).toBe(1);
    expect(stderr()).toMatch(/^toolweave: bad cannot be called: .*#\/nowhere/);
  });
});

describe("an invalid command line ends with 2 and sends nothing", () => {
  test.each([
    [
      "an unknown tool",
      ["get_pets", "id=1"],
      'There is no tool "get_pets". Did you mean get_pet? `toolweave inspect` lists them.',
    ],
    ["an unknown argument", ["get_pet", "di=1"], 'There is no argument "di".'],
    ["a text for a number", ["get_pet", "id=x"], 'id must be a number, not "x".'],
    ["a missing argument", ["get_pet"], "- id is required"],
    [
      "an argument beyond its limit",
      ["list_pets", "limit=101"],
      "- limit must be <= 100 (sent: 101)",
    ],
    ["malformed JSON", ["add_pet", "--args", "{"], "--args is not valid JSON"],
    ["JSON that is not an object", ["add_pet", "--args", "[]"], "--args must be one JSON object"],
    [
      "a missing file",
      ["add_pet", "--args", "@no/such.json"],
      "the file no/such.json cannot be read (ENOENT)",
    ],
    ["a credential without a kind", ["get_pet", "id=1", "--auth", "x"], "--auth must be"],
    ["an unset variable", ["get_pet", "id=1", "--auth", "bearer:$NOPE"], "NOPE, which is not set"],
  ])("%s", async (_, argv, message) => {
    const { code, stdout, stderr, sent } = await call(argv);
    expect({ code, stdout, sent }).toEqual({ code: 2, stdout: "", sent: [] });
    expect(stderr).toContain(message);
  });
});

test("a document that cannot be loaded ends with 4 before anything is called", async () => {
  const { code, stdout, stderr, sent } = await call(["list_pets", "--openapi", "no/such.yaml"]);
  expect({ code, stdout, sent }).toEqual({ code: 4, stdout: "", sent: [] });
  expect(stderr).toContain("no such file");
});

test("Ctrl-C cancels the request and ends with 130", async () => {
  const own = await openPetShop();
  const { io, interrupt, stdout } = captureIo();
  const ended = runCli(["call", "wait_forever", "--json", "--openapi", own.documentUrl], io);
  await own.asked("/never");
  interrupt.abort();
  expect(await ended).toBe(130);
  expect(JSON.parse(stdout())).toMatchObject({ status: "failed", error: { code: "cancelled" } });
  await own.hungUp;
  await own.close();
});
