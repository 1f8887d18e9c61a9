import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { inFullRun } from "@toolweave/test-support";
import { runProgram } from "@toolweave/test-support/run-program";
import { tempFolder } from "@toolweave/test-support/temp-folder";
import { openProject, toolFile, writeIn } from "../support/project.ts";

const answer = (value: number | string): string => toolFile(`def run(args):\n    return ${value}`);

describe("a folder that is watched", () => {
  test("survives rapid saves with broken ones between, keeps the last good version, and reports one change for each", async () => {
    const { folder, source, executor } = await openProject(
      { ".toolweave/tools/n.md": answer(0), ".toolweave/tools/m.md": answer(0) },
      { source: { watch: true } },
    );
    const read = async (): Promise<unknown> =>
      (await executor.execute({ id: crypto.randomUUID(), name: "n", arguments: {} })).result?.value;
    const changes: number[] = [];
    executor.registry.onChange(({ changed }) => changes.push(changed.length));
    const count = inFullRun(100, 20);
    for (let save = 1; save <= count; save++) {
      const isBroken = save % 3 === 0 && save !== count;
      writeIn(folder, ".toolweave/tools/n.md", isBroken ? "---\nscript: [\n---\n" : answer(save));
      await source.refresh();
      const expected = isBroken ? save - 1 : save;
      expect(await read()).toBe(expected);
      expect(source.findings.length > 0).toBe(isBroken);
      // The same text again changes nothing.
      await source.refresh();
    }
    await new Promise((resolve) => setImmediate(resolve));
    const effective = Array.from({ length: count }, (_, index) => index + 1).filter(
      (save) => save % 3 !== 0 || save === count,
    );
    expect(changes).toEqual(effective.map(() => 1));
  });

  test("notices new, changed and removed files by itself, also in folders that did not exist", async () => {
    const { folder, executor } = await openProject(
      { "readme.txt": "" },
      { source: { watch: true } },
    );
    const nextChange = (): Promise<unknown> =>
      new Promise((resolve) => {
        const stop = executor.registry.onChange((diff) => {
          stop();
          resolve(diff);
        });
      });
    let change = nextChange();
    writeIn(folder, ".toolweave/tools/n.md", answer(1));
    expect(await change).toMatchObject({ added: ["n"] });
    change = nextChange();
    writeIn(folder, ".toolweave/tools/n.md", answer(2));
    expect(await change).toMatchObject({ changed: ["n"] });
    change = nextChange();
    rmSync(join(folder, ".toolweave/tools/n.md"));
    expect(await change).toMatchObject({ removed: ["n"] });
  });

  test("a call that runs finishes with the code that it has begun with", async () => {
    const { folder, source, executor } = await openProject({
      ".toolweave/tools/n.md": toolFile('def run(args):\n    meta.call_tool("n2")\n    return 1'),
      ".toolweave/tools/n2.md": answer(2),
    });
    const running = executor.execute({ id: "1", name: "n", arguments: {} });
    writeIn(folder, ".toolweave/tools/n.md", answer(7));
    await source.refresh();
    expect((await running).result?.value).toBe(1);
    expect((await executor.execute({ id: "2", name: "n", arguments: {} })).result?.value).toBe(7);
  });
});

describe("bundles", () => {
  const bundle = (name: string, head = ""): string =>
    `---\ntype: plugin\nname: ${name}\ndescription: Tools for ${name}.\n${head}tools:\n  - name: ${name}_tool\n    script: |\n      def run(args):\n          return "${name}"\n---\nUse it for ${name}.\n`;

  test("give their tools, and load in both forms", async () => {
    const { source, executor } = await openProject({
      ".toolweave/plugins/git.md": bundle("git"),
      ".harness/plugins/notes/PLUGIN.md": bundle("notes"),
      ".harness/plugins/notes/tools/extra.md": answer(5),
    });
    expect(source.findings).toEqual([]);
    expect([...executor.toolset.names()]).toEqual(["extra", "git_tool", "notes_tool"]);
    expect(source.bundles.map(({ name, body }) => [name, body])).toEqual([
      ["git", "Use it for git."],
      ["notes", "Use it for notes."],
    ]);
  });

  test("are loaded if their condition holds and what they depend on is loaded", async () => {
    const { source, executor } = await openProject(
      {
        ".toolweave/plugins/a.md": bundle("a", "depends_on: [b]\n"),
        ".toolweave/plugins/b.md": bundle("b", "condition: \"env.get('MODE') == 'full'\"\n"),
        ".toolweave/plugins/c.md": bundle("c", "depends_on: [nothing]\n"),
        ".toolweave/plugins/d.md": bundle("d", "condition: \"platform != 'none'\"\n"),
      },
      { source: { env: { MODE: "less" } } },
    );
    expect([...executor.toolset.names()]).toEqual(["d_tool"]);
    expect(source.findings.map(({ message }) => message)).toEqual([
      'bundle "a" needs the bundle "b", which is not loaded',
      'bundle "c" needs the bundle "nothing", which does not exist',
    ]);
  });

  test("below overrides replace tools of the same name", async () => {
    const { source, executor } = await openProject({
      ".harness/tools/x_tool.md": answer(1),
      ".harness/overrides/x.md": bundle("x"),
    });
    expect(source.findings).toEqual([]);
    const outcome = await executor.execute({ id: "1", name: "x_tool", arguments: {} });
    expect(outcome.result?.value).toBe("x");
  });
});

test("a process that only watches a folder ends by itself", async () => {
  const program = `
    import { markdownSource } from "@toolweave/markdown";
    const source = markdownSource(${JSON.stringify(tempFolder())}, { watch: true });
    await source.ready;
  `;
  expect(await runProgram(program, import.meta.dirname)).toMatchObject({ code: 0, errors: "" });
});
