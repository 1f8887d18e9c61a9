import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { runCli } from "../src/program.ts";
import { captureIo } from "./support/captured-io.ts";
import { idIn, runCommand, runIn, type RunCommand } from "./support/run-cli.ts";
import { tempFolder, tempStore } from "./support/temp-file.ts";

/** Records its start in a file, and answers like a server with two tools. */
const program = `
import { appendFileSync } from "node:fs";
appendFileSync(process.env.STARTED, "started ");
await import(process.env.SERVER);
`;

const server = new URL("support/notes-server.mjs", import.meta.url).href;

interface Found {
  readonly folder: string;
  readonly config: string;
  readonly run: RunCommand;
  readonly env: Readonly<Record<string, string>>;
  /** The number of starts of its program. */
  readonly started: () => number;
  readonly write: (more?: object) => void;
}

/** The current folder, with a `toolweave.json` that names its own program. */
function found(more: object = {}): Found {
  const folder = tempFolder();
  vi.spyOn(process, "cwd").mockReturnValue(folder);
  onTestFinished(() => void vi.restoreAllMocks());
  const [config, marks] = [join(folder, "toolweave.json"), join(folder, "started.txt")];
  const write = (changes: object = {}): void =>
    writeFileSync(
      config,
      JSON.stringify({
        mcpServers: {
          notes: {
            command: process.execPath,
            args: ["./program.mjs"],
            env: { STARTED: marks, SERVER: server, NOTE: "${SECRET_NOTE}" },
          },
        },
        ...more,
        ...changes,
      }),
    );
  writeFileSync(join(folder, "program.mjs"), program);
  write();
  const store = tempStore();
  const env = {
    TOOLWEAVE_STORE: store,
    XDG_CONFIG_HOME: dirname(store),
    SECRET_NOTE: "from the environment",
  };
  return {
    folder,
    config,
    env,
    write,
    run: runIn(store, env),
    started: () => (existsSync(marks) ? readFileSync(marks, "utf8").split(" ").length - 1 : 0),
  };
}

test.each([
  [["inspect"]],
  [["inspect", "--json"]],
  [["inspect", "--check"]],
  [["search", "notes"]],
  [["lock"]],
  [["policy", "explain", "notes__read_notes"]],
  [["call", "notes__read_notes", "--yes"]],
  [["serve"]],
  [["login", "notes"]],
])("%j starts nothing of an untrusted configuration in the current folder", async (argv) => {
  const { folder, config, env, started } = found();
  // The variable is not set: the command would fail with that if it expanded the file.
  const { SECRET_NOTE: _, ...others } = env;
  const { code, stdout, stderr } = await runCommand(argv, { env: others });
  expect({ code, started: started() }).toEqual({ code: 3, started: 0 });
  expect(stderr).toContain(`${config} is not trusted. Nothing was started or read.`);
  expect(stderr).toContain(`toolweave trust ${folder}`);
  const json: unknown = argv.includes("--json") ? JSON.parse(stdout) : { error: { exitCode: 3 } };
  expect(json).toMatchObject({ error: { exitCode: 3 } });
});

test("a configuration that --config names is trusted", async () => {
  const { config, run, started } = found();
  expect((await run(["inspect", "--config", config])).code).toBe(0);
  expect(started()).toBe(1);
});

test("a person sees the effects of a configuration, and is asked once", async () => {
  const { config, env, folder, run, started } = found({
    openapi: { shop: { file: "shop.json", disabled: true } },
    agents: {
      helper: {
        description: "Helps.",
        system: { file: "helper.md" },
        model: { baseURL: "http://127.0.0.1:9/v1", model: "m", apiKey: "${MODEL_KEY:-none}" },
        tools: ["notes__*"],
      },
    },
    policy: "autonomous",
    store: "./state",
  });
  writeFileSync(join(folder, "helper.md"), "You help.");
  const { io, stdin, stderr, said } = captureIo({ terminal: true, env });
  const ended = runCli(["inspect"], io);
  await said("Trust it?");
  expect(started()).toBe(0);
  expect(
    Math.max(
      ...stderr()
        .split("\n")
        .map(({ length }) => length),
    ),
  ).toBeLessThanOrEqual(80);
  const question = stderr().replaceAll(/\n {23}/g, "");
  for (const line of [
    "  runs the file        program.mjs\n",
    "  reads the variable   SECRET_NOTE (notes)\n",
    "  reads the variable   MODEL_KEY (helper)\n",
    "  runs the package     @ai-sdk/openai-compatible\n",
    "  connects to          http://127.0.0.1:9/v1 [helper]\n",
    "  prompts agents with  helper.md\n",
    '  decides              "autonomous"\n',
    "  stores calls in      ./state\n",
  ]) {
    expect(question).toContain(line);
  }
  // Where a long line breaks depends on the path of Node.js.
  const withoutSpaces = (text: string): string => text.replaceAll(/\s/g, "");
  expect(withoutSpaces(question)).toContain(
    withoutSpaces(`${process.execPath} ./program.mjs (sets STARTED, SERVER, NOTE) [notes]`),
  );
  expect(question).not.toContain("from the environment");
  stdin.write("y\n");
  expect([await ended, started()]).toEqual([0, 1]);
  expect(await run(["inspect"])).toMatchObject({ code: 0, stderr: "" });
  expect((await run(["trust", "--list"])).stdout).toContain(`${config}  since `);
});

test("the question has every part in full, with hostile characters written out", async () => {
  const servers = Object.fromEntries(
    Array.from({ length: 300 }, (_, index) => [
      `s${index}`,
      { command: "run", args: ["x".repeat(400), `last-${index}\u001b[2K\r\u202e`] },
    ]),
  );
  const { env, run, write } = found({
    mcpServers: servers,
    serve: { approvals: { api: { approvers: { mallory: "PWD" } } } },
  });
  const { io, stdin, stderr, said } = captureIo({ terminal: true, env });
  const ended = runCli(["trust"], io);
  await said("Trust it?");
  for (let index = 0; index < 300; index++) expect(stderr()).toContain(`last-${index}`);
  expect(stderr()).not.toContain("\u001b");
  expect(stderr()).not.toContain("\u202e");
  expect(stderr()).toContain("reads the variable   PWD (the token of the approver mallory)");
  expect(stderr()).toContain("sets                 serve.approvals to\n                       {");
  stdin.write("y\n");
  await ended;
  write({ mcpServers: {}, serve: {} });
  const changed = await run(["inspect"]);
  expect(changed.stderr).toMatch(/has changed since it was trusted \(.*; and \d+ more\)/);
  const { stderr: listed } = await run(["trust", "--yes"]);
  expect(listed).toContain("- no longer            program s299");
});

test("anything but a yes is a no, and is asked again", async () => {
  const { env, run, started } = found();
  for (const typed of ["\n", "n\n", "always\n"]) {
    const { io, stdin, said } = captureIo({ terminal: true, env });
    const ended = runCli(["inspect"], io);
    await said("Trust it?");
    stdin.write(typed);
    expect([await ended, started()]).toEqual([3, 0]);
  }
  expect((await run(["trust", "--list"])).stdout).toBe("0 trusted\n");
});

test.each([[["--json"], {}] as const, [[], { CI: "true" }] as const])(
  "a terminal is not asked with %j and %j",
  async (more, ci) => {
    const { env, started } = found();
    const { io, stderr } = captureIo({ terminal: true, env: { ...env, ...ci } });
    expect(await runCli(["inspect", ...more], io)).toBe(3);
    expect([started(), stderr()]).toEqual([0, expect.not.stringContaining("Trust it?")]);
  },
);

test.each<[what: string, change: (one: Found) => void, named: string]>([
  ["the file", ({ write }) => write({ policy: "autonomous" }), "new: policy"],
  [
    "a program's arguments",
    ({ config }) =>
      writeFileSync(
        config,
        readFileSync(config, "utf8").replace('"./program.mjs"', '"./program.mjs", "--all"'),
      ),
    "changed: program notes",
  ],
  [
    "the file that a program is started with",
    ({ folder }) => writeFileSync(join(folder, "program.mjs"), `${program}\n// more`),
    "changed: file program.mjs",
  ],
  [
    "a prompt",
    ({ folder }) => writeFileSync(join(folder, "helper.md"), "You help others."),
    "changed: prompt helper.md",
  ],
  [
    "a document",
    ({ folder }) => writeFileSync(join(folder, "shop.json"), "{}"),
    "changed: document shop.json",
  ],
  [
    "a package of the folder",
    ({ folder }) => {
      const at = join(folder, "node_modules/@ai-sdk/openai-compatible");
      mkdirSync(at, { recursive: true });
      writeFileSync(join(at, "index.js"), "");
    },
    "changed: package @ai-sdk/openai-compatible",
  ],
])("if %s changes, the question is asked again with the change", async (_what, change, named) => {
  const one = found({
    openapi: { shop: { file: "shop.json" } },
    agents: {
      helper: {
        description: "Helps.",
        system: { file: "helper.md" },
        model: { baseURL: "http://127.0.0.1:9/v1", model: "m" },
      },
    },
  });
  writeFileSync(join(one.folder, "helper.md"), "You help.");
  writeFileSync(join(one.folder, "shop.json"), '{"openapi":"3.1.0"}');
  expect((await one.run(["trust", "--yes"])).code).toBe(0);
  change(one);
  const { code, stderr } = await one.run(["inspect"]);
  expect([code, one.started()]).toEqual([3, 0]);
  expect(stderr).toContain("has changed since it was trusted");
  expect(stderr).toContain(named);
  expect((await one.run(["trust", one.folder, "--yes"])).stderr).toContain(named);
});

test("a configuration that changes while the question is open is not trusted", async () => {
  const { env, folder, run, started } = found();
  const { io, stdin, stderr, said } = captureIo({ terminal: true, env });
  const ended = runCli(["inspect"], io);
  await said("Trust it?");
  writeFileSync(join(folder, "program.mjs"), `${program}\n// more`);
  stdin.write("y\n");
  expect([await ended, started()]).toEqual([3, 0]);
  expect(stderr()).toContain("changed before you answered");
  expect((await run(["inspect"])).code).toBe(3);
});

test("trust is for one path, and is revoked", async () => {
  const one = found();
  expect((await one.run(["trust", "--yes"])).stdout).toBe(`${one.config} is trusted.\n`);
  expect((await one.run(["inspect"])).code).toBe(0);
  const other = tempFolder();
  for (const name of ["toolweave.json", "program.mjs"]) {
    writeFileSync(join(other, name), readFileSync(join(one.folder, name)));
  }
  vi.mocked(process.cwd).mockReturnValue(other);
  expect((await one.run(["inspect"])).code).toBe(3);
  const revoked = await one.run(["trust", "--revoke", one.folder]);
  expect(revoked.stdout).toBe(`${one.config} is no longer trusted.\n`);
  vi.mocked(process.cwd).mockReturnValue(one.folder);
  expect((await one.run(["inspect"])).code).toBe(3);
});

test("a call that was made with a trusted configuration is approved only while it is trusted and unchanged", async () => {
  const { run, write, started } = found();
  await run(["trust", "--yes"]);
  const waiting = await run(["call", "notes__write_note", "text=Eggs"]);
  const before = started();
  write({ policy: "supervised" });
  const refused = await run(["approvals", "approve", idIn(waiting)]);
  expect([refused.code, started()]).toEqual([3, before]);
  expect(refused.stderr).toContain("has changed since it was trusted");
});

test("the trusted list is stored for this user alone, and ignored otherwise", async () => {
  const { run, env } = found();
  await run(["trust", "--yes"]);
  const folder = join(env["XDG_CONFIG_HOME"] as string, "toolweave", "trusted");
  const [name = ""] = readdirSync(folder);
  const file = join(folder, name);
  expect([statSync(folder).mode & 0o777, statSync(file).mode & 0o777]).toEqual([0o700, 0o600]);
  expect(readFileSync(file, "utf8")).not.toContain("SERVER");
  chmodSync(file, 0o644);
  const refused = await run(["inspect"]);
  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain("is accessible to other users: run `chmod 600` on it");
  chmodSync(file, 0o600);
  chmodSync(folder, 0o755);
  expect((await run(["inspect"])).stderr).toContain("run `chmod 700` on it");
});

test("a damaged list counts as empty, and a link in its place is refused", async () => {
  const { run, env, started } = found();
  await run(["trust", "--yes"]);
  const folder = join(env["XDG_CONFIG_HOME"] as string, "toolweave", "trusted");
  const file = join(folder, readdirSync(folder)[0] as string);
  const agreed = readFileSync(file);
  writeFileSync(file, agreed.subarray(0, 40));
  expect((await run(["inspect"])).code).toBe(3);
  await run(["trust", "--yes"]);
  writeFileSync(join(folder, "elsewhere"), readFileSync(file), { mode: 0o600 });
  await run(["trust", "--revoke"]);
  symlinkSync(join(folder, "elsewhere"), file);
  expect((await run(["inspect"])).code).toBe(1);
  expect(started()).toBe(0);
});
