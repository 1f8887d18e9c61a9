import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { pathToFileURL } from "node:url";
import { stripVTControlCharacters } from "node:util";
import { ajvValidator, type JsonObject } from "@toolweave/core";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { runCli } from "../src/program.ts";
import { configSubjects } from "../src/commands/conform/config.ts";
import { conformExamples } from "../src/commands/conform/command.ts";
import { captureIo, type CaptureOptions } from "./support/captured-io.ts";
import { openPetShop, type PetShop } from "./support/pet-shop.ts";
import { tempFile, tempFolder } from "./support/temp-file.ts";

let shop: PetShop;
let before = 0;
beforeAll(async () => {
  shop = await openPetShop();
});
beforeEach(() => {
  before = shop.requests.length;
});
afterAll(() => shop.close());

const some = ["--only", "TW-NAME-001", "--only", "TW-CALL-002", "--seed", "7"];

async function run(
  argv: readonly string[],
  options: CaptureOptions = {},
): Promise<{ code: number; stdout: string; stderr: string }> {
  const { io, stdout, stderr } = captureIo(options);
  const code = await runCli(["conform", ...argv], io);
  return { code, stdout: stdout(), stderr: stderr() };
}

/** A file for `--config`. */
function config(content: unknown): string {
  return tempFile("conformance.json", JSON.stringify(content));
}

test("a document whose tools follow the rules ends with 0, and nothing is sent to its API", async () => {
  const { code, stdout, stderr } = await run(["--openapi", shop.documentUrl, ...some]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toContain("no failure found: only ");
  expect(stdout).toContain("seed 7");
  expect(stdout).toContain("There are no sample calls");
  expect(shop.requests.slice(before)).toEqual([]);
});

test("--json is one report per line that matches the published schema, and nothing else", async () => {
  const path = new URL(import.meta.resolve("@toolweave/conformance/report.schema.json"));
  const schema = JSON.parse(readFileSync(path, "utf8")) as JsonObject;
  const check = await ajvValidator().compile(schema);
  const documents = ["--openapi", shop.documentUrl, "--openapi", shop.documentUrl];
  const { code, stdout } = await run([...documents, ...some, "--json"]);
  const lines = stdout.trimEnd().split("\n");
  expect([code, lines.length]).toEqual([0, 2]);
  for (const line of lines) expect(check(JSON.parse(line))).toBeUndefined();
});

test("--junit - prints XML", async () => {
  const { code, stdout } = await run(["--openapi", shop.documentUrl, ...some, "--junit", "-"]);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^<\?xml .*\n<testsuites [^]*<\/testsuites>\n$/);
});

test("--junit, --badge and --summary write files beside the text", async () => {
  const folder = tempFolder();
  const files = ["junit", "badge", "summary"].flatMap((name) => [`--${name}`, join(folder, name)]);
  const { code, stdout } = await run(["--openapi", shop.documentUrl, ...some, ...files]);
  const read = (name: string): string => readFileSync(join(folder, name), "utf8");
  expect(code).toBe(0);
  expect(stdout).toContain("no failure found");
  expect(read("junit")).toContain("<testsuites ");
  expect(JSON.parse(read("badge"))).toEqual({
    schemaVersion: 1,
    label: "toolweave",
    message: expect.stringMatching(/^partial \(\d+ of \d+ rules\)$/) as string,
    color: "lightgrey",
  });
  expect(JSON.parse(read("summary"))).toMatchObject({ result: "partial", seed: 7 });
});

test("a document that cannot be loaded ends with 4, before any rule is checked", async () => {
  const { code, stdout, stderr } = await run(["--openapi", `${shop.url}/nothing/here`, ...some]);
  expect({ code, stdout }).toEqual({ code: 4, stdout: "" });
  expect(stderr).toContain("/nothing/here");
});

describe("on a terminal", () => {
  const terminal = { terminal: true, columns: 70 };
  test("the report is coloured, and no wider", async () => {
    const { stdout } = await run(["--openapi", shop.documentUrl, ...some], terminal);
    const plain = stripVTControlCharacters(stdout);
    expect(plain).not.toBe(stdout);
    expect(Math.max(...plain.split("\n").map(({ length }) => length))).toBeLessThanOrEqual(70);
  });

  test("the report has no colours with NO_COLOR", async () => {
    const plain = { ...terminal, env: { NO_COLOR: "1" } };
    const { stdout } = await run(["--openapi", shop.documentUrl, ...some], plain);
    expect(stdout).not.toContain("\u001b");
  });
});

describe("--config", () => {
  test("makes its sample calls, and ends with 1 for a rule that they break", async () => {
    const subject = {
      name: "the pet shop",
      openapi: shop.documentUrl,
      samples: {
        succeedingCalls: [
          { tool: "get_pet", arguments: { id: 7 } },
          { tool: "get_pet", arguments: { id: 404 } },
        ],
      },
    };
    const path = config(subject);
    const { code, stdout } = await run(["--config", path, ...some]);
    expect(code).toBe(1);
    expect(stdout).toContain("the pet shop: not conformant: 1 of ");
    expect(stdout).toContain('get_pet({"id":404}) should succeed but does not.');
    expect(stdout.replace(/\n +/g, " ")).toContain(
      `replay  toolweave conform --config ${path} --seed 7 --only TW-CALL-002`,
    );
    expect(shop.requests.slice(before).map(({ url }) => url)).toContain("/pets/7");
  });

  test("does not end with 1 for a known failure", async () => {
    const { code, stdout } = await run([
      "--config",
      config({
        name: "the pet shop",
        openapi: shop.documentUrl,
        samples: { succeedingCalls: [{ tool: "get_pet", arguments: { id: 404 } }] },
        knownFailing: { "TW-CALL-002": "issue 12" },
      }),
      ...some,
    ]);
    expect(code).toBe(0);
    expect(stdout).toContain("TW-CALL-002 known to fail");
  });

  test("tests several subjects, with paths relative to the file", async () => {
    const { code, stdout } = await run([
      "--config",
      config({
        subjects: [
          { name: "one", openapi: shop.documentUrl },
          { name: "two", openapi: shop.documentUrl },
        ],
      }),
      ...some,
    ]);
    expect(code).toBe(0);
    expect(stdout.match(/^(?:one|two): no failure found/gm)).toHaveLength(2);
    const file = config({ name: "here", openapi: "pets.yaml" });
    const missing = await run(["--config", file]);
    expect(missing.code).toBe(4);
    expect(missing.stderr).toContain(join(dirname(file), "pets.yaml"));
  });

  test("resolves the places that references may open relative to the file, too", async () => {
    const vet = tempFile("vet.json", '{ "type": "object" }');
    const content = { "application/json": { schema: { $ref: pathToFileURL(vet).href } } };
    const openapi = tempFile(
      "vets.json",
      JSON.stringify({
        openapi: "3.1.0",
        info: { title: "Vets", version: "1" },
        servers: [{ url: "https://api.example.com" }],
        paths: { "/vets": { get: { responses: { 200: { description: "ok", content } } } } },
      }),
    );
    const path = join(tempFolder(), "conformance.json");
    const opens = async (place: string): Promise<boolean> => {
      const options = { allowReference: [place] };
      writeFileSync(path, JSON.stringify({ name: "vets", openapi, options }));
      const [subject] = await configSubjects(path, {}, new AbortController().signal);
      const source = await subject?.manifest.create();
      if (source === undefined || !("ready" in source)) throw new Error("no source");
      await source.ready;
      const [tool] = source.tools();
      await source.close();
      return tool?.spec.outputSchema !== undefined;
    };
    expect(await opens(relative(dirname(path), dirname(vet)))).toBe(true);
    expect(await opens(".")).toBe(false);
  });

  test("reads secrets from the environment, and prints them nowhere", async () => {
    const subject = {
      name: "the key k-4711-secret",
      openapi: shop.documentUrl,
      options: { auth: ["bearer:$PET_TOKEN"] },
      secrets: ["PET_TOKEN"],
      samples: { succeedingCalls: [{ tool: "get_pet", arguments: { id: "k-4711-secret" } }] },
    };
    const env = { PET_TOKEN: "k-4711-secret" };
    const { code, stdout, stderr } = await run(["--config", config(subject), ...some], { env });
    expect(code).toBe(1);
    expect(stdout).toContain("the key [redacted]");
    expect(stdout + stderr).not.toContain("k-4711-secret");
  });

  test.each<[where: string, text: () => string]>([
    ["the README", () => readFileSync(new URL("../README.md", import.meta.url), "utf8")],
    ["the help", () => conformExamples],
  ])("the file that %s displays can be used", async (_, text) => {
    const [json = ""] =
      /^ *\{\n *"name": "(?:the library|my server)"[^]*?^ *\}$/m.exec(text()) ?? [];
    const path = tempFile("conformance.json", json);
    const env = { API_KEY: "k-4711-secret" };
    const [subject] = await configSubjects(path, env, new AbortController().signal);
    expect(subject?.manifest.samples?.succeedingCalls).toHaveLength(1);
    expect(subject?.secrets).toContain("k-4711-secret");
  });

  test.each<[what: string, content: unknown, problem: RegExp]>([
    ["no object", [], /must be one JSON object: a subject, or \{ "subjects": \[\.\.\.\] \}/],
    ["no name", { openapi: "x" }, /: \/name is required/],
    ["a misspelled field", { name: "x", openapi: "x", sampels: {} }, /: \/sampels is not a known/],
    [
      "a sample call without arguments",
      { name: "x", openapi: "x", samples: { failingCalls: [{ tool: "a" }] } },
      /: \/samples\/failingCalls\/0\/arguments is required/,
    ],
    [
      "a fault in the second of two",
      {
        subjects: [
          { name: "x", openapi: "x" },
          { name: "y", openapi: 7 },
        ],
      },
      /: \/subjects\/1\/openapi must be string/,
    ],
    ["nothing to test", { name: "x" }, /x must have one of module, openapi and mcp/],
    ["two things to test", { name: "x", openapi: "a", module: "b" }, /x must have one of/],
    ["options without a document", { name: "x", module: "b", options: {} }, /for openapi only/],
    ["a server that has neither", { name: "x", mcp: {} }, /\/mcp must have either command or url/],
    [
      "a server with both",
      { name: "x", mcp: { command: "a", url: "http://a" } },
      /\/mcp must have either command or url/,
    ],
    [
      "a secret that is not set",
      { name: "x", mcp: { command: "a", env: { KEY: "$NOT_SET" } } },
      /\/mcp\/env\/KEY names the environment variable NOT_SET, which is not set/,
    ],
    [
      "tools in a word",
      { name: "x", openapi: "x", generatedCalls: "some" },
      /\/generatedCalls must be "all" or a list of tools/,
    ],
  ])("%s is a usage error with its place", async (_, content, problem) => {
    const { code, stdout, stderr } = await run(["--config", config(content)]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(problem);
  });
});

test.each<[what: string, argv: readonly string[], problem: string]>([
  ["nothing to test", [], "Name the subject to test: a module, --openapi, --mcp or --config."],
  ["two things", ["a.mjs", "--mcp", "b"], "Use only one of a module, --openapi, --mcp or"],
  ["a missing module", ["./not/there.mjs"], "./not/there.mjs cannot be read (ENOENT)."],
  ["a folder as a module", ["."], ". is not a file."],
  ["options of an API without one", ["--mcp", "x", "--auth", "bearer:t"], "go with --openapi."],
  ["a wrong seed", ["x.mjs", "--seed", "x"], "--seed must be a whole number"],
  [
    "a time limit of 0",
    ["x.mjs", "--deadline", "0"],
    "--deadline must be a number of milliseconds",
  ],
  ["two formats at once", ["x.mjs", "--json", "--junit", "-"], "--json and --junit - both print"],
  ["no folder", ["x.mjs", "--badge", "/not/there/b.json"], '--badge: there is no folder "/not'],
  ["an open quote", ["--mcp", "server 'a b"], "--mcp: a quote is not closed"],
  ["an empty command", ["--mcp", " "], "--mcp contains no command."],
])("%s is a usage error", async (_, argv, problem) => {
  const { code, stdout, stderr } = await run(argv);
  expect(code).toBe(2);
  expect(stdout).toMatch(argv.includes("--json") ? /^\{"error":\{"exitCode":2,/ : /^$/);
  expect(stderr).toContain(problem);
  expect(stderr).toContain("See `toolweave conform --help`.");
});

test("an unknown rule is a usage error that names the nearest", async () => {
  const { code, stderr } = await run(["--openapi", shop.documentUrl, "--only", "SPCE"]);
  expect(code).toBe(2);
  expect(stderr).toContain('There is no rule or area "SPCE". Did you mean SPEC?');
});

test("a badge needs exactly one subject", async () => {
  const documents = ["--openapi", shop.documentUrl, "--openapi", shop.documentUrl];
  const { code, stderr } = await run([...documents, "--badge", join(tempFolder(), "b.json")]);
  expect(code).toBe(2);
  expect(stderr).toContain("--badge and --summary are of one subject");
});

test("a URL with a login or a query is printed without them", async () => {
  const location = `${shop.documentUrl.replace("//", "//ada:s3cr3t@")}?key=s3cr3t`;
  const { stdout, stderr } = await run(["--openapi", location, "--only", "TW-SPEC-002"]);
  expect(stdout + stderr).toContain(new URL(shop.documentUrl).host);
  expect(stdout + stderr).not.toContain("s3cr3t");
});

test("the command to check a rule again keeps the options of the API, and no secret", async () => {
  const subject = tempFile(
    "empty.json",
    JSON.stringify({ openapi: "3.1.0", info: { title: "Empty", version: "1" }, paths: {} }),
  );
  const argv = ["--openapi", subject, "--base-url", "http://127.0.0.1:9", "--only", "TW-LIFE-001"];
  const secrets = ["--auth", "bearer:s3cr3t-token", "--header", "X-Key: $PET_KEY"];
  const { stdout, stderr } = await run([...argv, ...secrets, "--seed", "3"], {
    env: { PET_KEY: "k-4711" },
  });
  expect(stdout.replace(/\n +/g, " ")).toContain(
    `toolweave conform --openapi ${subject} --base-url http://127.0.0.1:9 --header 'X-Key: $PET_KEY' --auth 'bearer:$TOKEN' --seed 3 --only TW-LIFE-001`,
  );
  expect(stdout + stderr).not.toContain("s3cr3t");
});
