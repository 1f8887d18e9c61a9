import { cpuMilliseconds } from "@toolweave/test-support";
import { expect, test } from "vitest";
import { toolText, workspace } from "./support.ts";

/** A script of 500 lines. */
const script = [
  "def run(args):",
  '    path = args["path"]',
  "    items = []",
  ...Array.from({ length: 120 }, (_, index) => [
    `    if path.startswith("p${index}"):`,
    `        value_${index} = fs.read(path + "/${index}").split("\\n")`,
    `        for line in value_${index}:`,
    `            items.append({"line": line, "index": ${index}})`,
  ]).flat(),
  '    return {"items": items}',
].join("\n");
const front = "parameters:\n  path: { type: string, required: true }\n";

// Generous: a request takes 1 to 15 ms of CPU time once the code is compiled.
const maxMs = 150;

test.each(["tools/long.md", "long.star"])(
  "each answer for 500 lines in %s takes little time, also after a change",
  async (name) => {
    const { open, service } = workspace();
    const text = name.endsWith(".md") ? toolText(script, front) : script;
    const { position, uri } = open(name, text);
    const at = position("items.append", 6);
    const answers: Record<string, () => unknown> = {
      diagnostics: () => service.diagnostics(uri),
      hover: () => service.hover(uri, at),
      completions: () => service.completions(uri, at),
      names: () => service.completions(uri, position("items.append")),
      signature: () => service.signature(uri, position('fs.read(path + "/60"', 9)),
      definition: () => service.definition(uri, position("items.append", 1)),
      symbols: () => service.symbols(uri),
      foldings: () => service.foldings(uri),
      prepareRename: () => service.prepareRename(uri, position("items.append", 1)),
      format: () => service.format(uri),
    };
    for (const answer of Object.values(answers)) answer();
    const times: Record<string, number> = {};
    let version = 1;
    for (const [kind, answer] of Object.entries(answers)) {
      // A change, so that nothing is cached.
      const start = position("items = []");
      service.change(uri, ++version, [{ range: { start, end: start }, text: "" }]);
      times[kind] = await cpuMilliseconds(answer);
    }
    expect(Object.entries(times).filter(([, time]) => time >= maxMs)).toEqual([]);
    expect(service.diagnostics(uri)).toEqual([]);
  },
);
