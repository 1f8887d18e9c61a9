import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { argumentsSchemaOf } from "@toolweave/core/adapter";
import { openApiSource } from "@toolweave/openapi";
import { expect, test } from "vitest";
import { documentNames, specs } from "../packages/openapi/corpus/documents.ts";
import { defaultSeed, sampleCall } from "../packages/openapi/corpus/oracles/sample-calls.ts";
import { toCommand } from "../apps/studio/src/tools/to-command.ts";
import { readObjectOption } from "../apps/cli/src/input/json-option.ts";
import { splitCallWords } from "../apps/cli/src/input/source-words.ts";

/** The words that a shell makes of lines, each a call of `toolweave`. */
function readWords(lines: readonly string[]): readonly (readonly string[])[] {
  const script = `toolweave() { printf '%s\\0' "$@"; printf '\\1\\0'; }\n${lines.join("\n")}`;
  const printed = execFileSync("/bin/sh", { input: script, encoding: "utf8", maxBuffer: 1 << 30 });
  return printed
    .split("\u0001\0")
    .slice(0, -1)
    .map((words) => words.split("\0").slice(0, -1));
}

test.each(documentNames())("%s: the command takes what Studio copies of a call", async (name) => {
  await using source = openApiSource.fromString(readFileSync(specs + name, "utf8"), {
    baseUrl: "http://127.0.0.1:9",
  });
  await source.ready.catch(() => {});
  const calls: { readonly tool: string; readonly args: unknown }[] = [];
  for (const tool of source.tools()) {
    const sample = await sampleCall(argumentsSchemaOf(tool), "all", defaultSeed());
    if (sample !== undefined) calls.push({ tool: tool.spec.name, args: sample.args });
  }
  const lines = calls.map(({ tool, args }) => toCommand(tool, JSON.stringify(args)));
  const read = await Promise.all(
    readWords(lines).map(async ([command, ...words]) => {
      expect(command).toBe("call");
      const { tool, words: others } = splitCallWords(words.slice(0, 1), "call");
      expect([words[1], words.length, others]).toEqual(["--args", 3, []]);
      return { tool, args: await readObjectOption("--args", words[2] ?? "", {} as never) };
    }),
  );
  expect(read).toEqual(calls);
});
