import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { ToolRegistry } from "@toolweave/core";
import { tempFolder } from "@toolweave/test-support/temp-folder";
import { describe, expect, onTestFinished, test } from "vitest";
import { protectedPaths } from "@toolweave/workspace";
import { checkPaths } from "../../src/check/check-folder.ts";
import { markdownSource } from "../../src/index.ts";
import { artifactFolders, inlineFiles } from "../../src/artifact/artifact-folders.ts";
import { openProject, toolFile, writeIn } from "../support/project.ts";

const hello = toolFile(
  "def run(args):\n    return 'hello ' + args['name']",
  "parameters:\n  name: { type: string, required: true }",
);

describe("a folder of markdown files", () => {
  test("has the tools of its files, with their bodies as descriptions", async () => {
    const { executor, source } = await openProject({
      ".toolweave/tools/hello.md": hello,
      ".harness/tools/bye.md": toolFile("def run(args):\n    return 'bye'"),
    });
    expect(source.findings).toEqual([]);
    expect(executor.toolset.specs().map(({ name, description }) => [name, description])).toEqual([
      ["bye", "Does it."],
      ["hello", "Does it."],
    ]);
    const outcome = await executor.execute({ id: "1", name: "hello", arguments: { name: "Ada" } });
    expect(outcome.result?.content).toEqual([{ type: "text", text: "hello Ada" }]);
  });

  test("reports a bad file with its place, and loads the others", async () => {
    const { executor, source } = await openProject({
      ".toolweave/tools/hello.md": hello,
      ".toolweave/tools/bad.md": "---\nscript: [1\n---\n",
      ".toolweave/tools/worse.md": "no front matter",
    });
    expect([...executor.toolset.names()]).toEqual(["hello"]);
    expect(source.findings.map(({ file, severity }) => [file, severity])).toEqual([
      [".toolweave/tools/bad.md", "error"],
      [".toolweave/tools/worse.md", "error"],
    ]);
    expect(source.problems[1]).toMatchObject({
      subject: ".toolweave/tools/worse.md:1:1",
      message: expect.stringContaining(
        "markdown file must start with --- frontmatter delimiter",
      ) as string,
    });
  });

  test("reports two tools of one name with both places, and loads the first", async () => {
    const { source, executor } = await openProject({
      ".toolweave/tools/hello.md": hello,
      ".harness/tools/hello.md": toolFile("def run(args):\n    return 'other'"),
    });
    expect(source.findings).toMatchObject([
      {
        file: ".harness/tools/hello.md",
        code: "duplicate_name",
        hint: expect.stringContaining(".toolweave/tools/hello.md:") as string,
      },
    ]);
    const outcome = await executor.execute({ id: "1", name: "hello", arguments: { name: "Ada" } });
    expect(outcome.result?.content).toEqual([{ type: "text", text: "hello Ada" }]);
  });

  test("reads and writes its own files, under the policy", async () => {
    const { executor, folder } = await openProject({
      "notes.txt": "one\ntwo\n",
      ".toolweave/tools/count.md": toolFile(
        "def run(args):\n    return fs.line_count('notes.txt')",
      ),
      ".toolweave/tools/save.md": toolFile(
        "def run(args):\n    fs.write('out.txt', 'x')\n    return fs.read('out.txt')",
      ),
    });
    void folder;
    const read = await executor.execute({ id: "1", name: "count", arguments: {} });
    expect(read.result?.value).toBe(2);
    const written = await executor.execute({ id: "2", name: "save", arguments: {} });
    expect(written.interruption?.requests).toMatchObject([
      { permission: { kind: "fs.write" }, call: { name: "fs_write" } },
    ]);
    if (written.status !== "interrupted") return;
    const outcome = await executor.resume(written.interruption, [{ type: "approve" }]);
    expect(outcome.result?.value).toBe("x");
  });

  test("loads other files of Starlark, and detects that one has changed while a call waits", async () => {
    const { executor, folder } = await openProject({
      ".toolweave/tools/lib/names.star": "def name(): return 'a.txt'\n",
      ".toolweave/tools/save.md": toolFile(
        'load("lib/names.star", "name")\ndef run(args):\n    fs.write(name(), "x")\n    return name()',
      ),
    });
    const ask = async (id: string) => {
      const outcome = await executor.execute({ id, name: "save", arguments: {} });
      if (outcome.status !== "interrupted") throw new Error(JSON.stringify(outcome));
      return outcome.interruption;
    };
    const first = await ask("1");
    expect((await executor.resume(first, [{ type: "approve" }])).result?.value).toBe("a.txt");
    const second = await ask("2");
    writeIn(folder, ".toolweave/tools/lib/names.star", "def name(): return 'b.txt'\n");
    const outcome = await executor.resume(second, [{ type: "approve" }]);
    expect(outcome.error?.code).toBe("outcome_unknown");
  });
});

test("K6: what is read from a folder is protected in a workspace", () => {
  expect(protectedPaths).toEqual(expect.arrayContaining([...artifactFolders, ...inlineFiles]));
});

test("K12: a pipe in place of a script is a finding, and nothing waits for it", async () => {
  const folder = tempFolder();
  writeIn(folder, ".toolweave/tools/hello.md", hello);
  writeIn(folder, ".toolweave/tools/pipe.md", "---\nscript_file: pipe.star\n---\nWaits.");
  execFileSync("mkfifo", [join(folder, ".toolweave/tools/pipe.star")]);
  const source = markdownSource(folder);
  const registry = new ToolRegistry([source]);
  onTestFinished(() => registry.close());
  await registry.ready;
  expect(source.findings).toMatchObject([{ code: "script_file" }]);
  const checked = await checkPaths([folder]);
  expect(checked.findings.map(({ code }) => code)).toContain("script_file");
  execFileSync("mkfifo", [join(folder, "x.md")]);
  await expect(checkPaths(["x.md"], { cwd: folder })).rejects.toMatchObject({
    code: "not a regular file",
  });
});
