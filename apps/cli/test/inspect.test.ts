import { existsSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Writable } from "node:stream";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import type { JsonSchema, JsonValue } from "@toolweave/core";
import type { RegisteredTool } from "@toolweave/core/adapter";
import { runCli } from "../src/program.ts";
import { writeToolsJson } from "../src/render/tool-list.ts";
import { showProgress } from "../src/render/progress.ts";
import { captureIo, type CaptureOptions } from "./support/captured-io.ts";
import { openPetShop, type PetShop } from "./support/pet-shop.ts";
import { project } from "./support/project.ts";
import { tempFile } from "./support/temp-file.ts";

let shop: PetShop;
beforeAll(async () => {
  shop = await openPetShop();
});
afterAll(() => shop.close());

async function inspect(
  argv: readonly string[],
  options: CaptureOptions = {},
): Promise<{ code: number; stdout: string; stderr: string }> {
  const { io, stdout, stderr } = captureIo(options);
  const code = await runCli(["inspect", ...argv], io);
  return { code, stdout: stdout(), stderr: stderr() };
}

const broken = JSON.stringify({
  openapi: "3.1.0",
  info: { title: "Half broken", version: "1" },
  servers: [{ url: "https://api.example.com" }],
  paths: {
    "/good": { get: { operationId: "good", summary: "Good", responses: {} } },
    "/bad": {
      post: {
        operationId: "bad",
        requestBody: { $ref: "#/components/requestBodies/Missing" },
        responses: {},
      },
    },
  },
});

test("a tool is a line: name, method and path, annotations, summary", async () => {
  const { code, stdout, stderr } = await inspect(["--openapi", shop.documentUrl]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toBe(
    [
      "add_pet       POST   /pets       asks first                           Add a pet",
      "delete_pet    DELETE /pets/{id}  asks first, destructive, idempotent  Delete a pet",
      "get_pet       GET    /pets/{id}  read-only                            Get a pet",
      "get_photo     GET    /photo      read-only                            Get a photo",
      "list_orders   GET    /orders     read-only                            List the orders",
      "list_pets     GET    /pets       read-only                            List the pets",
      "read_poem     GET    /poem       read-only                            Read a poem",
      "wait_forever  GET    /never      read-only                            Wait",
      "",
      "8 tools, no problems",
      "",
    ].join("\n"),
  );
});

test("--filter keeps the tools with matching names", async () => {
  const { stdout } = await inspect([
    "--openapi",
    shop.documentUrl,
    "--filter",
    "list_*",
    "--filter",
    "get_pet",
  ]);
  expect(stdout.match(/^\w+_\w+/gm)).toEqual(["get_pet", "list_orders", "list_pets"]);
  expect(stdout).toContain("\n3 of 8 tools, no problems\n");
});

describe("--json", () => {
  test("prints tools with their schemas, and problems, and nothing else", async () => {
    const path = tempFile("broken.json", broken);
    const { code, stdout, stderr } = await inspect(["--openapi", path, "--json"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const result = JSON.parse(stdout) as { tools: unknown[]; problems: unknown[] };
    expect(result).toEqual({
      tools: [
        expect.objectContaining({
          name: "good",
          inputSchema: expect.objectContaining({ type: "object" }),
        }),
      ],
      problems: [
        expect.objectContaining({
          source: path,
          subject: "POST /bad",
          pointer: expect.any(String),
        }),
      ],
      decisions: { good: "allow" },
      warnings: [],
    });
  });

  test("stays valid if a tool cannot be serialized, which becomes a problem", async () => {
    const entry = (name: string, inputSchema: JsonSchema): RegisteredTool => {
      const spec = { name, description: "", inputSchema, annotations: {}, provenance };
      return { tool: { spec, invoke: () => "" }, source: "api.json", trusted: false };
    };
    const provenance = { adapter: "code" };
    const deep = JSON.parse("[".repeat(20_000) + "]".repeat(20_000)) as JsonValue;
    let written = "";
    const output = {
      isTerminal: false,
      style: (_: unknown, text: string): string => text,
      write: (text: string): Promise<void> => {
        written += text;
        return Promise.resolve();
      },
    };
    const entries = [entry("bad", { default: deep }), entry("good", {}), entry("also_good", {})];
    await writeToolsJson(entries, { problems: [], decisions: new Map(), warnings: [] }, output);
    expect(JSON.parse(written)).toMatchObject({
      tools: [{ name: "good" }, { name: "also_good" }],
      problems: [
        {
          source: "api.json",
          subject: "bad",
          message: expect.stringContaining("cannot be serialized") as string,
        },
      ],
    });
  });

  test("has every schema of every document", async () => {
    const other = tempFile("broken.json", broken);
    const { stdout } = await inspect(["--openapi", shop.documentUrl, "--openapi", other, "--json"]);
    const { tools } = JSON.parse(stdout) as { tools: { name: string; inputSchema: object }[] };
    expect(tools).toHaveLength(9);
    expect(tools.find(({ name }) => name === "add_pet")?.inputSchema).toMatchObject({
      required: ["name"],
      properties: { owner: { properties: { phone: { type: ["integer", "null"] } } } },
    });
  });
});

test("problems are at the end, with the place in the document", async () => {
  const { code, stdout } = await inspect(["--openapi", tempFile("broken.json", broken)]);
  expect(code).toBe(0);
  expect(stdout).toMatch(
    /\n\n1 tool, 1 problem\nerror {2}POST \/bad: .*Missing.* \(\/paths\/~1bad\/post\S*\)\n$/,
  );
});

test("for a document without servers the output names the option that sets one", async () => {
  const path = tempFile(
    "no-server.yaml",
    "openapi: 3.1.0\ninfo: {title: x, version: '1'}\npaths: {/a: {get: {operationId: a, responses: {}}}}",
  );
  const { stdout } = await inspect(["--openapi", path]);
  expect(stdout).toMatch(/\nwarning {2}servers: The document has no server: .*Set --base-url\.\n$/);
});

test("a referenced file is named, with the option that opens it", async () => {
  const elsewhere = tempFile("vet.json", '{ "type": "object", "properties": { "name": {} } }');
  const content = { "application/json": { schema: { $ref: pathToFileURL(elsewhere).href } } };
  const path = tempFile(
    "openapi.json",
    JSON.stringify({
      openapi: "3.1.0",
      info: { title: "Vets", version: "1" },
      servers: [{ url: "https://api.example.com" }],
      paths: { "/vets": { get: { responses: { 200: { description: "ok", content } } } } },
    }),
  );
  const closed = await inspect(["--openapi", path]);
  expect(closed.stdout).toContain("--allow-reference with its folder opens it");
  const opened = await inspect(["--openapi", path, "--allow-reference", dirname(elsewhere)]);
  expect(opened.stdout).toContain("1 tool, no problems");
});

test("a credential without a scheme in the document is named", async () => {
  const { stdout } = await inspect(["--openapi", shop.documentUrl, "--auth", "apiKey:kee=K1"]);
  expect(stdout).toContain('--auth names "kee", which is not a security scheme of the document');
});

test("two sources with the same names are one line, with a way to use both, and end with 1", async () => {
  const other = `${shop.documentUrl}?copy`;
  const { code, stdout } = await inspect(["--openapi", shop.documentUrl, "--openapi", other]);
  expect(code).toBe(1);
  expect(stdout).toContain("\n8 tools, 8 problems\n");
  const errors = stdout.split("\n").filter((line) => line.startsWith("error"));
  expect(errors).toEqual([
    expect.stringMatching(
      /^error {2}\S+: 8 tools are left out, since another tool has the same name: \w+, \w+, \w+, 5 more\. Use one of them at a time, or give each a prefix in a toolweave\.json: `toolweave init` writes one\.$/,
    ),
  ]);
});

test("two sources of a configuration with the same names name the option to write, and are not locked", async () => {
  const { folder, run } = project();
  const openapi = { pets: { url: shop.documentUrl }, animals: { url: `${shop.documentUrl}?2` } };
  writeFileSync(join(folder, "tools.json"), JSON.stringify({ openapi }));
  const path = join(folder, "tools.json");
  const advice = `animals: 8 tools are left out, since pets has the same name: `;
  const remedy = `Set "prefix" for openapi.animals in ${path}.`;
  const listed = await run(["inspect", "--config", path]);
  expect(listed.stdout).toContain(`error  ${advice}`);
  expect(listed.stdout).toContain(remedy);
  const locked = await run(["lock", "--config", path]);
  expect(locked.code).toBe(1);
  expect(locked.stderr).toContain(`toolweave: ${advice}`);
  expect(existsSync(join(folder, "toolweave.lock.json"))).toBe(false);
});

describe("a document that cannot be loaded ends with 4", () => {
  test("a missing file", async () => {
    const { code, stdout, stderr } = await inspect(["--openapi", "no/such.yaml"]);
    expect({ code, stdout }).toEqual({ code: 4, stdout: "" });
    expect(stderr).toMatch(/^toolweave: .*no\/such\.yaml.*no such file.*\n$/);
  });

  test("an address without a server", async () => {
    const gone = await openPetShop();
    await gone.close();
    const { code, stderr } = await inspect(["--openapi", gone.documentUrl]);
    expect(code).toBe(4);
    expect(stderr).toMatch(/^toolweave: .*refused the connection\.\n$/);
  });

  test("a file that is not an OpenAPI document", async () => {
    const { code, stderr } = await inspect(["--openapi", tempFile("x.json", "[1, 2]")]);
    expect(code).toBe(4);
    expect(stderr.trimEnd().split("\n")).toHaveLength(1);
  });

  test("the other documents are still listed", async () => {
    const { code, stdout } = await inspect([
      "--openapi",
      "no/such.yaml",
      "--openapi",
      shop.documentUrl,
    ]);
    expect(code).toBe(4);
    expect(stdout).toContain("\n8 tools, 1 source failed\n");
  });

  test("--json lists it among the problems", async () => {
    const { code, stdout } = await inspect(["--openapi", "no/such.yaml", "--json"]);
    expect(code).toBe(4);
    expect(JSON.parse(stdout)).toEqual({
      tools: [],
      problems: [{ source: "no/such.yaml", subject: "no/such.yaml", message: expect.any(String) }],
      decisions: {},
      warnings: [],
    });
  });

  test("--verbose prints the cause", async () => {
    const gone = await openPetShop();
    await gone.close();
    const { stderr } = await inspect(["--openapi", gone.documentUrl, "--verbose"]);
    expect(stderr).toMatch(/Caused by Error: connect ECONNREFUSED/);
    expect(stderr).toMatch(/\n {4}at /);
  });
});

describe("a terminal", () => {
  afterEach(() => {
    vi.unstubAllEnvs();
    vi.useRealTimers();
  });

  test("has colours and summaries that fit", async () => {
    const summary = "A summary that is much longer than what is left of the line";
    const path = tempFile(
      "long.yaml",
      `openapi: 3.1.0\ninfo: {title: x, version: '1'}\npaths: {/a: {get: {operationId: a, summary: ${summary}, responses: {}}}}`,
    );
    const wide = await inspect(["--openapi", path], { terminal: true, columns: 60 });
    expect(wide.stdout).toContain(
      "\u001b[1ma\u001b[22m  GET    /a  \u001b[2mread-only\u001b[22m  A summary that is much longer than…\n",
    );
    const narrow = await inspect(["--openapi", path], { terminal: true, columns: 40 });
    expect(narrow.stdout).toContain(" A summary that…\n");
  });

  test("has no colours with NO_COLOR", async () => {
    const url = shop.documentUrl;
    const { stdout } = await inspect([url], { terminal: true, env: { NO_COLOR: "1" } });
    expect(stdout).toContain("get_pet ");
    expect(stdout).not.toContain("\u001b");
  });

  test("displays after a second which document is being loaded, until it is loaded", () => {
    vi.useFakeTimers();
    const { io, stderr } = captureIo({ terminal: true });
    const done = showProgress(io, "Loading a.yaml …");
    vi.advanceTimersByTime(999);
    expect(stderr()).toBe("");
    vi.advanceTimersByTime(1);
    expect(stderr()).toBe("Loading a.yaml …");
    done();
    expect(stderr()).toBe("Loading a.yaml …\r\u001b[2K");
  });

  test("displays nothing for shorter loads, and never for a file", () => {
    vi.useFakeTimers();
    const quick = captureIo({ terminal: true });
    showProgress(quick.io, "Loading")();
    const piped = captureIo();
    showProgress(piped.io, "Loading");
    vi.advanceTimersByTime(5000);
    expect([quick.stderr(), piped.stderr()]).toEqual(["", ""]);
  });
});

test("a reader that closes the pipe ends the list without an error", async () => {
  const { io, stderr } = captureIo();
  let lines = 0;
  const stdout = new Writable({
    write(_chunk, _encoding, done) {
      lines += 1;
      done(lines > 2 ? Object.assign(new Error("write EPIPE"), { code: "EPIPE" }) : null);
    },
  });
  expect(await runCli(["inspect", "--openapi", shop.documentUrl], { ...io, stdout })).toBe(0);
  expect({ lines, stderr: stderr() }).toEqual({ lines: 3, stderr: "" });
});

test("Ctrl-C while a document loads ends with 130", async () => {
  const { io, interrupt, stderr } = captureIo();
  const ended = runCli(["inspect", "--openapi", `${shop.url}/never.json`], io);
  await shop.asked("/never.json");
  interrupt.abort();
  expect(await ended).toBe(130);
  expect(stderr()).toBe("toolweave: Interrupted.\n");
  await shop.hungUp;
});

test("a document that needs authentication is listed with the credentials of --auth, which are not displayed", async () => {
  const seen: (string | undefined)[] = [];
  const server = createServer(({ headers }, response) => {
    seen.push(headers.authorization);
    response.statusCode = headers.authorization === "Bearer s3cret-t0ken" ? 200 : 401;
    response.setHeader("content-type", "application/json");
    response.end(broken);
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const { port } = server.address() as AddressInfo;
  const document = ["--openapi", `http://127.0.0.1:${port}/openapi.json`];
  try {
    const refused = await inspect(document);
    expect(refused).toMatchObject({ code: 4, stdout: "" });
    expect(refused.stderr).toContain("--auth");
    const listed = await inspect([...document, "--auth", "bearer:$TOKEN"], {
      env: { TOKEN: "s3cret-t0ken" },
    });
    expect(listed.code).toBe(0);
    expect(listed.stdout).toContain("GET    /good");
    expect(listed.stdout + listed.stderr).not.toContain("s3cret-t0ken");
    expect(seen).toEqual([undefined, "Bearer s3cret-t0ken"]);
  } finally {
    server.close();
  }
});

test("one tool is listed with its arguments", async () => {
  const { code, stdout } = await inspect(["--openapi", shop.documentUrl, "--filter", "add_pet"]);
  expect(code).toBe(0);
  const lines = stdout.split("\n");
  const at = lines.indexOf("Arguments:");
  expect(at).toBeGreaterThan(0);
  expect(lines.slice(at + 1).find((line) => line.trim().startsWith("name"))).toMatch(
    /^ {2}name\s+string\s+required/,
  );
});

test("a filter that matches no tool is named", async () => {
  const { stdout } = await inspect([shop.documentUrl, "--filter", "nope"]);
  expect(stdout).toBe('0 of 8 tools, no problems\nNo tool has a name that matches "nope".\n');
});
