import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { awaitEnd, runBin, startBin, type BinResult } from "./support/run-bin.ts";
import { tempFile, tempFolder } from "./support/temp-file.ts";

// Processes start slowly on a busy machine.
const tool = `const add = {
  spec: {
    name: "add",
    description: "Add two numbers.",
    inputSchema: { type: "object", properties: { a: { type: "number" } } },
    annotations: {},
    provenance: { adapter: "code" },
  },
  invoke: ({ a }) => a,
};
const source = (id) => {
  let closed = false;
  return {
    id,
    ready: Promise.resolve(),
    problems: [],
    tools: () => (closed ? [] : [add]),
    onChange: () => () => {},
    close: async () => void (closed = true),
    [Symbol.asyncDispose]: async () => void (closed = true),
  };
};
`;
const manifest = `{ name: "adding", create: () => [add], without: "it only adds" }`;
const rules = ["--only", "TW-NAME-001", "--only", "TW-LIFE-003"];

function conform(code: string, file = "my-tools.mjs"): Promise<BinResult> {
  return runBin(["conform", tempFile(file, code), ...rules, "--json"]);
}

test.each<[what: string, code: string, subjects: readonly string[]]>([
  ["a manifest", `${tool} export default ${manifest};`, ["adding"]],
  ["manifests", `${tool} export default [${manifest}, ${manifest}];`, ["adding", "adding"]],
  ["a tool", `${tool} export default add;`, ["my-tools.mjs"]],
  ["tools", `${tool} export default [add];`, ["my-tools.mjs"]],
  ["a source", `${tool} export default source("one");`, ["my-tools.mjs"]],
  ["a function", `${tool} export default async () => source("one");`, ["my-tools.mjs"]],
])("a module may export %s", async (_, code, subjects) => {
  const { code: exit, stdout, stderr } = await conform(code);
  const reports = stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as { subject: string });
  expect({ exit, stderr }).toEqual({ exit: 0, stderr: "" });
  expect(reports.map(({ subject }) => subject)).toEqual(subjects);
});

test("a module may be TypeScript", async () => {
  const code = `${tool} const n: number = 1; export default n === 1 ? [add] : [];`;
  expect(await conform(code, "my-tools.ts")).toMatchObject({ code: 0, stderr: "" });
});

test("a function that always returns the same source is reported", async () => {
  const { code, stdout } = await runBin([
    "conform",
    tempFile("same.mjs", `${tool} const same = source("one"); export default () => same;`),
    ...rules,
  ]);
  expect(code).toBe(1);
  expect(stdout.replace(/\s+/g, " ")).toContain(
    "The module returns the same source each time, but every check closes its source: export a function that creates one.",
  );
});

test.each([
  ["openapi.yaml", "openapi.yaml is not a module: use --openapi."],
  ["a.json", "a.json is not a module: use --openapi or --config."],
  ["https://a.example/x", "https://a.example/x is not a module: use --openapi or --mcp."],
])("%s in place of a module is refused with the right option", async (given, problem) => {
  const { code, stderr } = await runBin(["conform", given]);
  expect({ code, problem: stderr.split("\n")[0] }).toEqual({
    code: 2,
    problem: `toolweave: ${problem}`,
  });
});

test.each<[what: string, code: string, problem: string]>([
  ["nothing", "", "has no default export, and exports nothing: export a manifest of"],
  ["names only", "export const tools = [];", "has no default export, and exports only tools:"],
  ["a text", `export default "x";`, "is a string: it must be a manifest"],
  ["an empty list", `export default [];`, "is an empty list: it must be"],
  ["a mixed list", `${tool} export default [add, 7];`, "is a list whose item 1 is neither"],
  ["an object", "export default { a: 1, b: 2 };", "is an object with a, b: it must be"],
  [
    "a function that returns undefined",
    "export default () => {};",
    "exports gives undefined: it must be",
  ],
  [
    "a function that throws",
    `export default () => { throw new Error("no database"); };`,
    "my-tools.mjs exports failed. Error: no database",
  ],
  [
    "a fault",
    `throw new TypeError("no such key");`,
    "cannot be loaded (line 1). TypeError: no such key",
  ],
  ["no JavaScript", "export default {", "cannot be loaded. SyntaxError:"],
  [
    "a manifest that contradicts itself",
    `${tool} export default { ...${manifest}, knownFailing: { "TW-X-1": "?" } };`,
    "adding: knownFailing names TW-X-1, which is not a rule.",
  ],
])("a module that exports %s is a usage error, without a stack", async (_, code, problem) => {
  const { code: exit, stdout, stderr } = await conform(code);
  const { error } = JSON.parse(stdout) as { readonly error: Readonly<Record<string, unknown>> };
  expect({ exit, said: error }).toEqual({
    exit: 2,
    said: { exitCode: 2, message: expect.stringContaining(problem) },
  });
  expect(stderr).toContain(problem);
  expect(stdout + stderr).not.toMatch(/^\s+at |\\n\s+at /m);
});

test("a module that a file for --config names is beside the file", async () => {
  const path = tempFile("my-tools.mjs", `${tool} export default add;`);
  const config = join(path, "../conformance.json");
  const { writeFileSync } = await import("node:fs");
  writeFileSync(
    config,
    JSON.stringify({
      name: "configured",
      module: "my-tools.mjs",
      samples: { succeedingCalls: [{ tool: "add", arguments: { a: 1 } }] },
      without: { failingCalls: "an addition cannot fail" },
    }),
  );
  const { code, stdout, stderr } = await runBin(
    ["conform", "--config", config, "--only", "TW-CALL-002", "--only", "TW-PERM-002", "--verbose"],
    { cwd: "/" },
  );
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toContain("Made 1 sample calls.");
  expect(stdout).toContain("Counting effects needs a program: export a manifest.");
});

test("Ctrl-C ends a run with 130, and closes the created subjects", async () => {
  const closed = join(tempFolder(), "closed");
  const path = tempFile(
    "slow.mjs",
    `${tool} import { writeFileSync } from "node:fs";
    const slow = { ...add, invoke: () => { process.kill(process.pid, "SIGINT"); return new Promise(() => {}); } };
    export default {
      name: "slow",
      create: () => ({
        ...source("slow"),
        tools: () => [slow],
        close: async () => writeFileSync(${JSON.stringify(closed)}, "closed"),
      }),
      samples: { succeedingCalls: [{ tool: "add", arguments: {} }] },
      without: "it only hangs",
    };`,
  );
  const { code, stdout, stderr } = await awaitEnd(
    startBin(["conform", path, "--only", "TW-CALL-002"]),
  );
  expect({ code, stdout, stderr }).toEqual({
    code: 130,
    stdout: "",
    stderr: "toolweave: Interrupted.\n",
  });
  expect(existsSync(closed)).toBe(true);
});

test("an uncaught error does not end the run, is reported, and results in 1", async () => {
  const path = tempFile(
    "stray.mjs",
    `${tool} export default () => { Promise.reject(new Error("not awaited")); return [add]; };`,
  );
  const { code, stdout, stderr } = await runBin(["conform", path, ...rules]);
  expect(code).toBe(1);
  expect(stdout).toContain("no failure found");
  expect(stderr).toBe(
    "toolweave: An unhandled error escaped, which would end a process: not awaited\n",
  );
});
