import { globSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { startServer } from "@toolweave/test-support/start-server";
import { expect, onTestFinished, test } from "vitest";
import { exitCode } from "../../src/process/exit-code.ts";
import { project, type Project } from "../support/project.ts";
import { toolweaveWords } from "./command-faults.ts";
import { guidePage } from "../../../../scripts/steps/guide.ts";
import { checkedSnippets, root, snippets } from "./pages.ts";
import { shellCommands } from "./shell-words.ts";

/** Commands that change nothing but files of the folder, and end by themselves. */
const harmless: ReadonlySet<string> = new Set([
  "approvals grants",
  "approvals list",
  "call",
  "completion",
  "conform",
  "doctor",
  "export",
  "fmt",
  "inspect",
  "lock",
  "lsp --help",
  "policy check",
  "policy explain",
  "search",
  "starlark check",
  "starlark fmt",
  "starlark run",
  "stubs",
  "test",
  "types",
  "validate",
]);

/** Every command that is run, once, with the first place where it is written. */
const commands = new Map<string, readonly string[]>();
for (const { code, file, line } of checkedSnippets("sh")) {
  // Its commands need its files: `check guide` runs them.
  if (file === guidePage) continue;
  for (const command of shellCommands(code, line + 1)) {
    const words = toolweaveWords(command) ?? [];
    const [first = "", second = ""] = words;
    const isHarmless = harmless.has(first) || harmless.has(`${first} ${second}`);
    // A stand-in of another host, or of a package, would be another command.
    const isLocal = !words.some((word) => /:\/\/|^npx /.test(word));
    const text = words.join(" ");
    if (command.isForm || !isHarmless || !isLocal || commands.has(text)) continue;
    commands.set(text, [`${file}:${command.line}`, ...words]);
  }
}

const guide = checkedSnippets("markdown", "json").filter(({ file }) =>
  file.endsWith("/markdown-tools.md"),
);
const runTool = guide.find(({ code }) => code.includes("exec.run("))?.code ?? "";

const operation = (operationId: string, summary: string): object => ({
  operationId,
  summary,
  responses: { 200: { description: "Done." } },
});

/** The document of the README of the command line. */
const document = {
  openapi: "3.1.0",
  info: { title: "Pets", version: "1" },
  servers: [{ url: "https://api.example.com" }],
  paths: {
    "/pets": { post: operation("add_pet", "Add a pet") },
    "/pets/{id}": {
      parameters: [{ name: "id", in: "path", required: true, schema: { type: "integer" } }],
      get: operation("get_pet", "Get a pet"),
      delete: operation("delete_pet", "Delete a pet"),
    },
  },
};

/** The files that the pages name. */
const files: Readonly<Record<string, string>> = {
  ".toolweave/tools/run_command.md": runTool,
  ".toolweave/tools/run_command.test.star": `def test_runs(t):
    t.mock("exec.run", returns = {"stdout": "a"})
    t.eq(t.call("run_command", {"command": "a"})["stdout"], "a")
`,
  "hello.star": 'print("hello")\n',
  "tool.star": 'def run(args):\n    return "hello " + args["name"]\n',
  "tools/tool.star": "def run(args):\n    return 1\n",
  "rules.json":
    checkedSnippets("json").find(({ code }) => code.includes("keep-the-first"))?.code ?? "",
  "toolweave.json": JSON.stringify({ markdown: true }),
};

/** A folder with the files, and with the document of the pages for a server that answers. */
async function openFolder(more: Readonly<Record<string, string>> = {}): Promise<Project> {
  const origin = await startServer(
    createServer((_, response) => {
      response.setHeader("content-type", "application/json").end('{"id":7}');
    }),
  );
  const read = (name: string): string =>
    readFileSync(join(root, "scripts/rehearsal/fixtures", name), "utf8");
  const fixtures = {
    "openapi.yaml": JSON.stringify(document).replace("https://api.example.com", origin),
    "tools.ts": read("tools.ts"),
    "my-tools.ts": read("my-tools.ts"),
    "conformance.json": read("conformance.json"),
  };
  const opened = project();
  for (const [name, text] of Object.entries({ ...files, ...fixtures, ...more })) {
    opened.write(name, text);
  }
  // Some files are read with the folder of the process, and not by `process.cwd`.
  process.chdir(opened.folder);
  onTestFinished(() => process.chdir(root));
  await opened.run(["trust", "--yes"]);
  await opened.run(["lock"]);
  return opened;
}

/** The codes that the text around a command explains: a call waits, a script is asked about, and advice counts. */
function expectedCodes(words: readonly string[]): readonly number[] {
  const { completed, refused, asks, checkFailed } = exitCode;
  return [completed, refused, asks, ...(words.includes("--strict") ? [checkFailed] : [])];
}

test.each([...commands])("toolweave %s runs", async (_text, [place, ...words]) => {
  const isNamed = words.includes("run_command.md");
  const { run, folder } = await openFolder(isNamed ? { "run_command.md": runTool } : {});
  const argv = words.flatMap((word) =>
    word.includes("*") ? globSync(word, { cwd: folder }) : [word],
  );
  const { code, stdout, stderr } = await run(argv);
  expect(expectedCodes(words), `${place}: ${code}\n${stdout}${stderr}`).toContain(code);
});

test.each<[what: string, command: readonly string[]]>([
  ["3 tools, no problems", ["inspect", "openapi.yaml"]],
  ["1 of 3 tools", ["search", "openapi.yaml", "delete a pet", "--limit", "1"]],
  ["delete_pet waits for approval", ["call", "openapi.yaml", "delete_pet", "id=7"]],
  [
    "delete_pet is denied",
    ["policy", "explain", "openapi.yaml", "delete_pet", "id=7", "--policy", "rules.json"],
  ],
  ["It asks first.", ["policy", "check", "git status && rm -rf build"]],
])("the output with %j is what the README of the command line displays", async (what, words) => {
  const sample = snippets.find(
    ({ file, language, code }) =>
      file === "apps/cli/README.md" && language === "text" && code.includes(what),
  );
  const { run, folder, env } = await openFolder({ "openapi.yaml": JSON.stringify(document) });
  const { stdout, stderr } = await run(words);
  const output = `${stdout}${stderr}`
    .replaceAll(folder, "/home/ada/shop")
    .replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, id)
    .replaceAll(` --store ${env["TOOLWEAVE_STORE"]}`, "");
  expect(output.trimEnd()).toBe(sample?.code.replace(/^\$ .*\n/, ""));
});

/** The id of a call in the README. */
const id = "3f2a91c0-6c5e-4f0e-9d0e-2f4f3e1a7b55";

test("the policy of the guide to markdown tools allows git status, and asks for git log", async () => {
  const policy = guide.find(({ code }) => code.includes('"policy"'))?.code ?? "";
  const { run } = await openFolder({ "toolweave.json": policy });
  const call = (command: string) => run(["call", "run_command", `command=${command}`]);
  expect(await call("git status")).toMatchObject({ code: exitCode.completed, stderr: "" });
  expect(await call("git log")).toMatchObject({ code: exitCode.refused });
});
