import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { runCli } from "../src/program.ts";
import { captureIo } from "./support/captured-io.ts";
import { openPetShop, type PetShop } from "./support/pet-shop.ts";
import { tempFile, tempStore } from "./support/temp-file.ts";

// A person's input reaches the command through the terminal's line discipline; here streams replace
// it, marked as terminals.
let shop: PetShop;
let before = 0;
beforeAll(async () => {
  shop = await openPetShop();
});
beforeEach(() => {
  before = shop.requests.length;
});
afterAll(() => shop.close());

const remove = (...more: string[]): string[] => [
  "call",
  "delete_pet",
  "id=7",
  "--openapi",
  shop.documentUrl,
  ...more,
];
const sent = (): string[] =>
  shop.requests.slice(before).map(({ method, url }) => `${method} ${url}`);

describe("on a terminal", () => {
  test("the request is displayed on stderr before anything is sent", async () => {
    const { io, stdin, stderr, said } = captureIo({ terminal: true });
    const ended = runCli(remove(), io);
    await said("Run it?");
    expect(stderr()).toBe(
      [
        "delete_pet needs your approval:",
        `  DELETE ${shop.url}/pets/7`,
        "  supervised: the tool is marked destructive",
        '  to change this: Pass a file with { "rules": [{ "effect": "allow", "tools": "delete_pet" }] } as --policy.',
        "  description from the source: “Delete a pet”",
        "  arguments {",
        '    "id": 7',
        "  }",
        "Run it? [y/N/always] ",
      ].join("\n"),
    );
    expect(sent()).toEqual([]);
    stdin.write("n\n");
    await ended;
  });

  test.each([["y"], ["Y"], ["yes"], [" y "]])("%j runs it", async (answer) => {
    const { io, stdin, said } = captureIo({ terminal: true });
    const ended = runCli(remove(), io);
    await said("Run it?");
    stdin.write(`${answer}\n`);
    expect(await ended).toBe(0);
    expect(sent()).toEqual(["DELETE /pets/7"]);
  });

  test.each([["n"], [""], ["yy"], ["sure"]])("%j refuses it with 3", async (answer) => {
    const { io, stdin, stdout, stderr, said } = captureIo({ terminal: true });
    const ended = runCli(remove(), io);
    await said("Run it?");
    stdin.write(`${answer}\n`);
    expect(await ended).toBe(3);
    expect({ sent: sent(), stdout: stdout() }).toEqual({ sent: [], stdout: "" });
    expect(stderr()).toContain(
      "toolweave: delete_pet was not called, because you did not approve it.\n",
    );
  });

  test("the end of input refuses it", async () => {
    const { io, stdin, said } = captureIo({ terminal: true });
    const ended = runCli(remove(), io);
    await said("Run it?");
    stdin.end();
    expect(await ended).toBe(3);
    expect(sent()).toEqual([]);
  });

  test("Ctrl-C at the question ends with 130", async () => {
    const { io, interrupt, said } = captureIo({ terminal: true });
    const ended = runCli(remove(), io);
    await said("Run it?");
    interrupt.abort();
    expect(await ended).toBe(130);
    expect(sent()).toEqual([]);
  });

  test("arguments cannot disguise the question", async () => {
    const { io, stdin, stderr, said } = captureIo({ terminal: true });
    const name = "\u001b[2JRex\r\n\u009bRun it? \u202e";
    const argv = ["call", "add_pet", `name=${name}`, "--openapi", shop.documentUrl];
    const ended = runCli(argv, io);
    await said("Run it?");
    expect(stderr()).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/);
    stdin.write("n\n");
    await ended;
  });

  test("a read needs no approval", async () => {
    const { io, stderr } = captureIo({ terminal: true });
    expect(await runCli(["call", "get_pet", "id=7", "--openapi", shop.documentUrl], io)).toBe(0);
    expect(stderr()).toBe("");
  });
});

describe("without a terminal", () => {
  test("the call waits with 3, and the output has the reason and the commands to continue", async () => {
    const { io, stdout, stderr } = captureIo({ env: { TOOLWEAVE_STORE: tempStore() } });
    expect(await runCli(remove(), io)).toBe(3);
    expect({ sent: sent(), stdout: stdout() }).toEqual({ sent: [], stdout: "" });
    const id = /approve (\S+)/.exec(stderr())?.[1];
    const store = `--store ${io.env["TOOLWEAVE_STORE"]}`;
    expect(stderr()).toBe(
      [
        "toolweave: delete_pet waits for approval:",
        `  DELETE ${shop.url}/pets/7`,
        "  supervised: the tool is marked destructive",
        '  to change this: Pass a file with { "rules": [{ "effect": "allow", "tools": "delete_pet" }] } as --policy.',
        "  description from the source: “Delete a pet”",
        "  arguments {",
        '    "id": 7',
        "  }",
        "Nothing was sent. It is stored for 24 h; continue with one of:",
        `  toolweave approvals show ${id} ${store}`,
        `  toolweave approvals approve ${id} ${store}`,
        `  toolweave approvals reject ${id} ${store}`,
        "",
      ].join("\n"),
    );
  });

  test("long arguments are truncated, and hidden characters are visible", async () => {
    const { io, stdin, stderr } = captureIo();
    stdin.end(JSON.stringify({ name: `\u001b[2JRex${"x".repeat(50_000)}` }));
    expect(
      await runCli(["call", "add_pet", "--args", "-", "--openapi", shop.documentUrl], io),
    ).toBe(3);
    expect(stderr()).toContain('"name": "\\u001b[2JRexxx');
    expect(stderr()).toMatch(/x…\n {2}\(\d+ more characters: toolweave approvals show /);
    expect(stderr().length).toBeLessThan(6_000);
  });

  test("--json has the interruption", async () => {
    const { io, stdout } = captureIo();
    expect(await runCli(remove("--json"), io)).toBe(3);
    expect(JSON.parse(stdout())).toMatchObject({
      status: "interrupted",
      interruption: {
        call: { name: "delete_pet", arguments: { id: 7 } },
        requests: [{ type: "approval", permission: { target: `DELETE ${shop.url}/pets/7` } }],
      },
      next: {
        show: expect.stringMatching(/^toolweave approvals show /) as string,
        approve: expect.stringMatching(/^toolweave approvals approve /) as string,
        reject: expect.stringMatching(/^toolweave approvals reject /) as string,
      },
    });
  });

  test("--yes approves it", async () => {
    const { io } = captureIo();
    expect(await runCli(remove("--yes"), io)).toBe(0);
    expect(sent()).toEqual(["DELETE /pets/7"]);
  });
});

test("with arguments from stdin the call cannot ask", async () => {
  const { io, stdin } = captureIo({ terminal: true });
  stdin.end('{"id":7}');
  const argv = ["call", "delete_pet", "--args", "-", "--openapi", shop.documentUrl];
  expect(await runCli(argv, io)).toBe(3);
  expect(sent()).toEqual([]);
});

test('`inspect` prints "asks first" for exactly the calls that wait for approval', async () => {
  const methods = ["get", "head", "options", "post", "put", "patch", "delete"];
  const document = {
    openapi: "3.1.0",
    info: { title: "Every method", version: "1" },
    servers: [{ url: "/" }],
    paths: {
      "/pets": Object.fromEntries(
        methods.map((method) => [method, { operationId: `do_${method}`, responses: {} }]),
      ),
    },
  };
  const path = tempFile("methods.json", JSON.stringify(document));
  const listing = captureIo();
  await runCli(["inspect", "--openapi", path], listing.io);
  for (const method of methods) {
    const { io, stderr } = captureIo();
    const argv = ["call", `do_${method}`, "--openapi", path, "--base-url", shop.url];
    const code = await runCli(argv, io);
    const line =
      listing
        .stdout()
        .split("\n")
        .find((line) => line.startsWith(`do_${method} `)) ?? "";
    expect([method, code === 3 && stderr().includes("waits for approval")]).toEqual([
      method,
      line.includes("asks first"),
    ]);
  }
});
