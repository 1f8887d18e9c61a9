import { chmodSync, mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { notesServer } from "./support/notes.ts";
import { project } from "./support/project.ts";

interface Report {
  readonly ok: boolean;
  readonly checks: readonly {
    readonly name: string;
    readonly status: string;
    readonly detail: string;
    readonly remedy?: string;
  }[];
}

/** Which sandboxes hold depends on the machine. */
const isOfMachine = ({ name }: { readonly name: string }): boolean => name.startsWith("sandbox ");

const statuses = ({ checks }: Report): readonly string[] =>
  checks.filter((check) => !isOfMachine(check)).map(({ name, status }) => `${name}: ${status}`);

test("doctor loads every source, and names variables without their values", async () => {
  const { run, write } = project();
  write(
    "toolweave.json",
    JSON.stringify({
      mcpServers: {
        notes: notesServer({ NOTES: "${NOTES_FILE}", READS: "${READS:-Reads.}" }),
        missing: { command: "no-such-program-here" },
      },
    }),
  );
  await run(["trust", "--yes"]);
  const env = { NOTES_FILE: "value-of-the-variable" };
  const { code, stdout } = await run(["doctor", "--json"], { env });
  const report = JSON.parse(stdout) as Report;
  expect([code, report.ok]).toEqual([1, false]);
  expect(statuses(report)).toEqual([
    "Node.js: ok",
    "store: ok",
    "trust store: ok",
    "clock: ok",
    "trust: ok",
    "variable: ok",
    "variable: ok",
    "configuration: ok",
    "program of notes: ok",
    "program of missing: fail",
    "source notes: ok",
    "source missing: fail",
  ]);
  expect(report.checks.at(-2)?.detail).toBe("mcp, 2 tools");
  expect(report.checks.at(-1)?.detail).toMatch(/^mcp: /);
  expect(stdout).not.toContain("value-of-the-variable");
  const lines = await run(["doctor"], { env });
  expect(lines.stdout).toMatch(/^ok {4}Node\.js: v/);
  expect(lines.stdout).toMatch(/\n14 checks: 2 failed, \d with a warning\n$/);
});

test("a variable that is missing is named once, with a remedy", async () => {
  const { run, write } = project();
  write(
    "toolweave.json",
    JSON.stringify({ mcpServers: { notes: notesServer({ NOTES: "${NOTES_FILE}" }) } }),
  );
  await run(["trust", "--yes"]);
  const { code, stdout } = await run(["doctor", "--json"]);
  const { checks } = JSON.parse(stdout) as Report;
  expect(code).toBe(1);
  expect(checks.filter(({ status }) => status === "fail")).toEqual([
    {
      name: "variable",
      status: "fail",
      detail: "NOTES_FILE (notes) is not set",
      remedy: "Set NOTES_FILE, or write ${NOTES_FILE:-text} with a text for when it is not set.",
    },
  ]);
});

test("nothing of a configuration that is not trusted is started", async () => {
  const { run, write } = project();
  write("toolweave.json", JSON.stringify({ mcpServers: { notes: notesServer({}) } }));
  const { code, stdout } = await run(["doctor", "--json"]);
  expect(code).toBe(1);
  expect(statuses(JSON.parse(stdout) as Report).slice(-2)).toEqual([
    "trust: fail",
    "sources: warn",
  ]);
});

test("a folder without a configuration is a warning with the next command", async () => {
  const { run } = project();
  const { code, stdout } = await run(["doctor"]);
  expect(code).toBe(0);
  expect(stdout).toContain("`toolweave init` writes a toolweave.json");
  expect((await run(["doctor", "--config", "other.json"])).code).toBe(1);
});

test("a store that others can read, and a file from the future are failures", async () => {
  const { run, env, folder, write } = project();
  const store = env["TOOLWEAVE_STORE"] ?? "";
  mkdirSync(dirname(store), { recursive: true });
  writeFileSync(`${store}.key`, "key");
  chmodSync(`${store}.key`, 0o644);
  write("toolweave.json", "{}");
  const future = new Date(Date.now() + 86_400_000);
  utimesSync(join(folder, "toolweave.json"), future, future);
  await run(["trust", "--yes"]);
  const { checks } = JSON.parse((await run(["doctor", "--json"])).stdout) as Report;
  const failed = checks.filter(({ status }) => status === "fail");
  expect(failed.map(({ name }) => name)).toEqual(["store", "clock"]);
  expect(failed[0]?.remedy).toContain(`chmod go-rwx ${store}.key`);
});

test("sources with one name are checked one by one, each with its kind", async () => {
  const { run, write } = project();
  write(
    "toolweave.json",
    JSON.stringify({ mcpServers: { workspace: notesServer({}) }, workspace: { bash: false } }),
  );
  await run(["trust", "--yes"]);
  const { checks } = JSON.parse((await run(["doctor", "--json"])).stdout) as Report;
  const sources = checks.filter(({ name }) => name === "source workspace");
  expect(sources.map(({ detail }) => detail)).toEqual(["mcp, 2 tools", "workspace, 5 tools"]);
});

test("the store of the configuration is checked, too", async () => {
  const { run, folder, write } = project();
  write("toolweave.json", '{ "store": "data" }');
  write("data/approvals.sqlite.key", "key");
  chmodSync(join(folder, "data/approvals.sqlite.key"), 0o644);
  await run(["trust", "--yes"]);
  const { checks } = JSON.parse((await run(["doctor", "--json"])).stdout) as Report;
  expect(checks.filter(({ name }) => name === "store").map(({ status }) => status)).toEqual([
    "ok",
    "fail",
  ]);
});

test("doctor tries to escape from each sandbox, and names what it prevents", async () => {
  const { run } = project();
  const { checks } = JSON.parse((await run(["doctor", "--json"])).stdout) as Report;
  const found = checks.filter(isOfMachine);
  expect(found.map(({ name }) => name)).toEqual(["sandbox bwrap", "sandbox landlock"]);
  const texts = found.map(({ status, detail, remedy }) => (status === "ok" ? detail : remedy));
  expect(texts).toEqual([
    expect.stringMatching(/prevents write outside, read outside|next level/),
    expect.stringMatching(/prevents write outside, read outside|next level/),
  ]);
});
