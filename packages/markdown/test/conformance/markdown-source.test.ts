import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { hide, prefix, type ToolSource } from "@toolweave/core";
import { conformance } from "@toolweave/conformance/vitest";
import { afterAll } from "vitest";
import { markdownSource, type MarkdownSource } from "../../src/index.ts";
import { toolFile } from "../support/project.ts";

const root = mkdtempSync(join(tmpdir(), "toolweave-markdown-kit-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const tools = join(root, ".toolweave/tools");
mkdirSync(tools, { recursive: true });
writeFileSync(join(root, "notes.txt"), "one\n");

const text = "parameters:\n  text: { type: string, required: true }";
const files: Readonly<Record<string, string>> = {
  shout: toolFile('def run(args):\n    return {"text": args["text"].upper()}', text),
  fails: toolFile('def run(args):\n    fail("no " + args["text"])', text),
  spin: toolFile("def run(args):\n    for i in range(1 << 60):\n        pass"),
  add_note: toolFile(
    'def run(args):\n    fs.append("notes.txt", args["text"] + "\\n")\n    return fs.line_count("notes.txt")',
    text,
  ),
  long: toolFile('def run(args):\n    return "A line of text.\\n" * 8000'),
  ask: toolFile('def run(args):\n    return meta.call_tool("pay", {"amount": 5})["value"]'),
};

const countLines = (): number => readFileSync(join(root, "notes.txt"), "utf8").split("\n").length;
let version = 0;

for (const wrapped of [false, true]) {
  const name = (tool: string): string => (wrapped ? `kit__${tool}` : tool);
  conformance({
    name: `the tools of markdown files${wrapped ? ", wrapped" : ""}`,
    create: () => {
      // A change of one source is not there for the next one.
      for (const [tool, file] of Object.entries(files))
        writeFileSync(join(tools, `${tool}.md`), file);
      rmSync(join(tools, `new_${version}.md`), { force: true });
      const source = markdownSource(root, { env: {}, web: false });
      if (!wrapped) return source;
      return prefix(hide(source, "ask"), "kit");
    },
    samples: {
      succeedingCalls: [{ tool: name("shout"), arguments: { text: "hello" } }],
      failingCalls: [{ tool: name("fails"), arguments: { text: "x" } }],
      slowCalls: [{ tool: name("spin"), arguments: {} }],
      effectCalls: [{ tool: name("add_note"), arguments: { text: "two" }, count: countLines }],
      largeCalls: [{ tool: name("long"), arguments: {}, bytes: 100_000 }],
    },
    generatedCalls: [name("shout")],
    state: () => [
      readdirSync(root, { recursive: true }).map(String).toSorted(),
      readFileSync(join(root, "notes.txt"), "utf8"),
    ],
    ...(wrapped
      ? {}
      : {
          change: async (source: ToolSource) => {
            version += 1;
            const changed = (files["shout"] as string).replace("Does it.", `Version ${version}.`);
            writeFileSync(join(tools, "shout.md"), changed);
            writeFileSync(join(tools, `new_${version}.md`), files["fails"] as string);
            rmSync(join(tools, `new_${version - 1}.md`), { force: true });
            await (source as MarkdownSource).refresh();
          },
        }),
    without: {
      ...(wrapped ? { change: "the source inside cannot be reached from outside" } : {}),
      suspendingCalls: "a script waits only for the calls that it makes, which need other tools",
      updatingCalls: "a script gives its result when it has ended",
      outage: "files have no connection that can be lost",
      secrets: "the source of the test has no credentials",
    },
  });
}
