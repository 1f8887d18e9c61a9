import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { differingCharacters, recordWrites } from "@toolweave/test-support";
import { expect, onTestFinished, test } from "vitest";
import { saveFile } from "../src/commands/shared/save-result.ts";
import { StoreKey } from "../src/store/store-key.ts";
import { project, type Project } from "./support/project.ts";

interface Writer {
  /** Writes the same files each time. */
  readonly write: (made: Project, time: number) => Promise<unknown>;
  readonly folder: (made: Project) => string;
  /** The number of files that it writes in the folder. */
  readonly files: number;
}

const inProject = (made: Project): string => made.folder;
const trusted = (made: Project): string =>
  join(made.env["XDG_CONFIG_HOME"] ?? "", "toolweave/trusted");

/** Runs a command that has to succeed. */
async function run(made: Project, ...argv: readonly string[]): Promise<void> {
  const { code, stderr } = await made.run(argv);
  expect([code, stderr]).toEqual([0, expect.any(String)]);
}

const writers: readonly (readonly [what: string, writer: Writer])[] = [
  [
    "the trust in a configuration",
    {
      folder: trusted,
      files: 1,
      write: async (made) => {
        await run(made, "trust", "--revoke");
        await run(made, "trust", "--yes");
      },
    },
  ],
  [
    "a new configuration",
    {
      folder: inProject,
      files: 3,
      write: async (made) => {
        for (const name of ["tools.ts", "toolweave.json", "package.json"])
          rmSync(join(made.folder, name), { force: true });
        await run(made, "init", "--tools");
      },
    },
  ],
  [
    "a changed configuration",
    {
      folder: inProject,
      files: 1,
      write: (made, time) =>
        run(made, "add", "--no-check", "--name", `other${time}`, "node other.mjs"),
    },
  ],
  [
    "a lock",
    {
      folder: inProject,
      files: 1,
      write: (made) => run(made, "lock"),
    },
  ],
  [
    "a declaration of types",
    {
      folder: inProject,
      files: 1,
      write: async (made) => {
        rmSync(join(made.folder, "toolweave.d.ts"), { force: true });
        await run(made, "types");
      },
    },
  ],
  [
    "the configuration of a host",
    {
      folder: ({ home }) => join(home, ".cursor"),
      files: 1,
      write: async (made) => {
        rmSync(join(made.home, ".cursor/mcp.json"), { force: true });
        await run(made, "install", "cursor", "--yes");
      },
    },
  ],
  [
    "a result",
    {
      folder: inProject,
      files: 1,
      write: ({ folder }) => saveFile(join(folder, "result.txt"), new Uint8Array(3)),
    },
  ],
  [
    "the key of a store",
    {
      folder: ({ home }) => join(home, "state"),
      files: 1,
      write: async ({ home }) => {
        rmSync(join(home, "state/store.sqlite.key"), { force: true });
        new StoreKey(join(home, "state/store.sqlite"), {}).save();
      },
    },
  ],
];

test.each(writers)(
  "%s is written under an unpredictable temporary name that is created exclusively",
  async (_what, { write, folder, files }) => {
    const made = project();
    await run(made, "init", "--yes");
    mkdirSync(folder(made), { recursive: true, mode: 0o700 });
    const writes = recordWrites(folder(made));
    onTestFinished(() => writes.stop());
    await write(made, 1);
    const first = writes.take();
    await write(made, 2);
    const second = writes.take();
    expect([first.length, second.length]).toEqual([files, files]);
    expect([...first, ...second].filter(({ isExclusive }) => !isExclusive)).toEqual([]);
    for (const [index, { path }] of first.entries()) {
      const other = second[index]?.path ?? "";
      expect(differingCharacters(basename(path), basename(other))).toBeGreaterThan(6);
    }
    const left = new Set(readdirSync(folder(made)));
    expect([...first, ...second].filter(({ path }) => left.has(basename(path)))).toEqual([]);
  },
);
