import { once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { describe, expect, onTestFinished, test } from "vitest";
import { hasColors } from "../src/process/terminal.ts";
import { fitCell, fitColumns } from "../src/render/columns.ts";
import { captureIo } from "./support/captured-io.ts";
import { runBin } from "./support/run-bin.ts";
import { runCommand } from "./support/run-cli.ts";
import { tempFile } from "./support/temp-file.ts";
import { createFolder, greeter, toolCode } from "./support/tool-module.ts";

const terminal = { terminal: true } as const;

function greetModule(): string {
  return join(createFolder({ "tools.mjs": greeter("Hello") }), "tools.mjs");
}

test.each([
  ["a terminal", true, {}, true],
  ["a pipe", false, {}, false],
  ["a terminal with NO_COLOR", true, { NO_COLOR: "1" }, false],
  ["a terminal with an empty NO_COLOR", true, { NO_COLOR: "" }, true],
  ["a terminal with TERM=dumb", true, { TERM: "dumb" }, false],
  ["a pipe with FORCE_COLOR", false, { FORCE_COLOR: "1" }, true],
  ["a terminal with FORCE_COLOR=0", true, { FORCE_COLOR: "0" }, false],
])("%s: colours %j %j → %s", (_what, isTerminal, env, colors) => {
  expect(hasColors(captureIo({ terminal: isTerminal }).io.stdout, env)).toBe(colors);
});

test("--no-color prints no colours, before or after the command", async () => {
  const path = greetModule();
  expect((await runCommand(["inspect", path], terminal)).stdout).toContain("\u001b[1mgreet");
  for (const argv of [
    ["inspect", path, "--no-color"],
    ["--no-color", "inspect", path],
  ]) {
    expect((await runCommand(argv, terminal)).stdout).not.toContain("\u001b");
  }
});

test("-v is --verbose", async () => {
  const { stderr } = await runCommand(["inspect", "--openapi", "no/such.yaml", "-v"]);
  expect(stderr).toMatch(/\n {4}at /);
});

describe("JSON", () => {
  test("is indented and coloured on a terminal, and the same JSON as for programs", async () => {
    const argv = ["inspect", greetModule(), "--json"];
    const displayed = (await runCommand(argv, terminal)).stdout;
    const written = (await runCommand(argv)).stdout;
    expect(displayed).toContain('\u001b[36m"tools"\u001b[39m: [\n');
    expect(JSON.parse(stripVTControlCharacters(displayed))).toEqual(JSON.parse(written));
  });

  test("has no colours in a pipe, even if they are forced", async () => {
    const { stdout } = await runCommand(["inspect", greetModule(), "--json"], {
      env: { FORCE_COLOR: "1" },
    });
    expect(() => JSON.parse(stdout) as unknown).not.toThrow();
  });

  test("as the text of a result is indented on a terminal, and unchanged in a pipe", async () => {
    const code = `export const list = ${toolCode("list", `() => '{"a":[1,null],"b":"\\\\u001b[2J"}'`)};`;
    const path = join(createFolder({ "tools.mjs": code }), "tools.mjs");
    const displayed = (await runCommand(["call", path, "list"], terminal)).stdout;
    expect(displayed).toContain("\u001b[33m1\u001b[39m");
    expect(stripVTControlCharacters(displayed)).toBe(
      '{\n  "a": [\n    1,\n    null\n  ],\n  "b": "\\u001b[2J"\n}\n',
    );
    expect((await runCommand(["call", path, "list"])).stdout).toBe(
      '{"a":[1,null],"b":"\\u001b[2J"}\n',
    );
  });
});

test("notes about further pages are on stderr, and stdout is the JSON of the API", async () => {
  const server = createServer((request, response) => {
    const { searchParams } = new URL(request.url ?? "", "http://x");
    const page = Number(searchParams.get("page") ?? 1);
    response
      .writeHead(200, {
        "content-type": "application/json",
        link: `</pets?page=${page + 1}>; rel="next"`,
      })
      .end(JSON.stringify([{ id: page }]));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const document = {
    openapi: "3.1.0",
    info: { title: "Shop", version: "1" },
    servers: [{ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }],
    paths: {
      "/pets": {
        get: {
          operationId: "listPets",
          parameters: [{ name: "page", in: "query", schema: { type: "integer" } }],
          responses: { 200: { description: "ok", content: { "application/json": {} } } },
        },
      },
    },
  };
  const origin = document.servers[0]?.url ?? "";
  const { code, stdout, stderr } = await runCommand([
    "call",
    tempFile("pets.json", JSON.stringify(document)),
    "list_pets",
    "--allow-origin",
    origin,
  ]);
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toEqual([{ id: 1 }]);
  expect(stderr).toMatch(/^\[more: call list_pets again with .*\]\n$/);
});

test("no line of a list is wider than the terminal, and names are complete", async () => {
  const path = "/a/very/long/path/of/an/operation/that/fills/the/line";
  const document = {
    openapi: "3.1.0",
    info: { title: "x", version: "1" },
    servers: [{ url: "https://api.example.com" }],
    paths: {
      [path]: {
        delete: { operationId: "removeTheThing", summary: "S".repeat(200), responses: {} },
      },
    },
  };
  const file = tempFile("wide.json", JSON.stringify(document));
  for (const columns of [60, 80, 120]) {
    const { stdout } = await runCommand(["inspect", file], { terminal: true, columns });
    const lines = stripVTControlCharacters(stdout).split("\n");
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(columns);
    expect(stdout).toContain("remove_the_thing");
  }
  expect((await runCommand(["inspect", file])).stdout).toContain(path);
});

test("the widest columns shrink first, and none below its minimum", () => {
  const column = (length: number, minWidth: number): Parameters<typeof fitColumns>[0][number] => ({
    cells: ["x".repeat(length)],
    maxWidth: Infinity,
    minWidth,
  });
  expect(fitColumns([column(10, 10), column(30, 5), column(20, 5)], undefined)).toEqual([
    10, 30, 20,
  ]);
  expect(fitColumns([column(10, 10), column(30, 5), column(20, 5)], 54)).toEqual([10, 20, 20]);
  expect(fitColumns([column(10, 10), column(30, 5)], 5)).toEqual([10, 5]);
  expect(fitCell("abcdef", 4)).toBe("abc…");
});

describe("a list that does not fit the terminal", () => {
  /** A pager that writes what it reads to a file. */
  function pagerTo(): { env: Record<string, string>; read: () => string } {
    const script = tempFile(
      "pager.mjs",
      `import { writeFileSync } from "node:fs"; import { text } from "node:stream/consumers";
       writeFileSync(process.argv[2], await text(process.stdin));`,
    );
    const target = `${script}.out`;
    return {
      env: {
        PAGER: `'${process.execPath}' '${script}' '${target}'`,
        PATH: process.env["PATH"] ?? "",
      },
      read: () => (existsSync(target) ? readFileSync(target, "utf8") : ""),
    };
  }
  const small = { terminal: true, rows: 2 } as const;

  test("goes through the pager, with colours", async () => {
    const { env, read } = pagerTo();
    const { code, stdout } = await runCommand(["inspect", greetModule()], { ...small, env });
    expect([code, stdout]).toEqual([0, ""]);
    expect(read()).toContain("\u001b[1mgreet\u001b[22m");
    expect(read()).toContain("1 tool, no problems\n");
  });

  test.each([
    ["--no-pager", ["--no-pager"], small],
    ["a pipe", [], { terminal: false, rows: 2 }],
    ["a terminal with enough lines", [], { terminal: true, rows: 50 }],
  ])("is printed with %s", async (_what, flags, size) => {
    const { env, read } = pagerTo();
    const { stdout } = await runCommand(["inspect", greetModule(), ...flags], { ...size, env });
    expect([stdout.includes("1 tool"), read()]).toEqual([true, ""]);
  });

  test.each([["cat"], [""], ["no-such-pager-here"]])("is printed with PAGER=%j", async (PAGER) => {
    const { stdout } = await runCommand(["inspect", greetModule()], { ...small, env: { PAGER } });
    expect(stdout).toContain("1 tool, no problems");
  });
});

describe("--tokens", () => {
  test("lists the tokens of each tool, and the totals of every format", async () => {
    const { stdout } = await runCommand(["inspect", greetModule(), "--tokens", "anthropic"]);
    const [, count = ""] = /^greet {2}(\d+) {2}function/m.exec(stdout) ?? [];
    expect(Number(count)).toBeGreaterThan(10);
    expect(stdout).toContain("estimates");
    expect(stdout).toMatch(new RegExp(`^ {2}Anthropic {2} *${count}$`, "m"));
    expect(stdout.match(/^ {2}(?:OpenAI|Anthropic|Gemini|Bedrock) +\d+$/gm)).toHaveLength(4);
  });

  test("adds them to --json", async () => {
    const { stdout } = await runCommand(["inspect", greetModule(), "--tokens", "--json"]);
    const { tokens } = JSON.parse(stdout) as {
      tokens: { tools: { openai: { greet: number } }; total: { openai: number } };
    };
    expect(tokens.total.openai).toBe(tokens.tools.openai.greet);
  });

  test("counts a description with the text of a special token", async () => {
    const code = greeter("Hello").replace("The tool greet.", "Ends with <|endoftext|>.");
    const path = tempFile("tools.mjs", code);
    expect((await runCommand(["inspect", path, "--tokens"])).code).toBe(0);
  });

  test("refuses an unknown format", async () => {
    const { code, stderr } = await runCommand(["inspect", greetModule(), "--tokens", "llama"]);
    expect([code, stderr.includes("openai, anthropic, gemini, bedrock")]).toEqual([2, true]);
  });
});

describe("key=@file", () => {
  const echo = (schema: object): string => {
    const code = `export const echo = ${toolCode("echo", "(args) => JSON.stringify(args)")};`;
    const properties = '{"name":{"type":"string"}}';
    expect(code).toContain(properties);
    return tempFile("tools.mjs", code.replace(properties, JSON.stringify({ value: schema })));
  };
  const called = async (schema: object, value: string): Promise<unknown> => {
    const { code, stdout, stderr } = await runCommand([
      "call",
      echo(schema),
      "echo",
      `value=${value}`,
    ]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    return (JSON.parse(stdout) as { value: unknown }).value;
  };

  test("is the content of a file, read by the schema", async () => {
    const note = tempFile("note.md", "# Note\n");
    expect(await called({ type: "string" }, `@${note}`)).toBe("# Note\n");
    expect(await called({ type: "integer" }, `@${tempFile("n", "7\n")}`)).toBe(7);
    expect(await called({ type: "object" }, `@${tempFile("o", '{"a": 1}\n')}`)).toEqual({ a: 1 });
    const bytes = tempFile("b", "");
    writeFileSync(bytes, Buffer.from([0xff, 0xd8]));
    expect(await called({ type: "string", contentEncoding: "base64" }, `@${bytes}`)).toBe("/9g=");
  });

  test("with two @ is a text that begins with one", async () => {
    expect(await called({ type: "string" }, "@@ada")).toBe("@ada");
  });

  test("is refused if the file is missing or no text", async () => {
    const module = echo({ type: "string" });
    const missing = await runCommand(["call", module, "echo", "value=@ada"]);
    expect(missing.code).toBe(2);
    expect(missing.stderr).toContain("value=@@ada");
    const bytes = tempFile("b", "");
    writeFileSync(bytes, Buffer.from([0xff, 0xd8]));
    const binary = await runCommand(["call", module, "echo", `value=@${bytes}`]);
    expect([binary.code, binary.stderr.includes("is not text")]).toEqual([2, true]);
  });
});

test("a process without a terminal starts no pager and prints no colours", async () => {
  const { stdout } = await runBin(["inspect", greetModule()], {
    env: { FORCE_COLOR: "", PAGER: "no-such-pager-here" },
  });
  expect([stdout.includes("1 tool"), stdout.includes("\u001b")]).toEqual([true, false]);
});
