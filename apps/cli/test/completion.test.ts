import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { project } from "./support/project.ts";
import { petDocument } from "./support/pet-document.ts";
import { notesServer } from "./support/notes.ts";

/** The candidates for a line whose last word is at the cursor. */
async function complete(
  run: ReturnType<typeof project>["run"],
  line: string,
): Promise<readonly string[]> {
  const words = line.split(" ");
  const current = words.pop() ?? "";
  const { code, stdout, stderr } = await run([
    "completion",
    `--candidates=${current}`,
    "--",
    ...words,
  ]);
  expect([code, stderr]).toEqual([0, ""]);
  return stdout
    .split("\n")
    .slice(0, -1)
    .map((text) => text.split("\t")[0] ?? "");
}

test.each<[line: string, candidates: readonly string[]]>([
  ["ins", ["inspect", "install"]],
  ["policy ", ["explain", "test", "check", "help"]],
  ["inspect --ch", ["--check"]],
  ["inspect --check --fil", ["--filter"]],
  ["install c", ["claude-desktop", "claude-code", "cursor", "codex"]],
  ["install cursor ", []],
  ["import --from win", ["windsurf"]],
  ["add x --kind ", ["openapi", "mcp"]],
  ["inspect --config ", []],
  ["inspect --openapi tool", []],
  ["call -- --x", []],
  ["nothing-like-that ", []],
])("the candidates for %j are %j", async (line, candidates) => {
  expect(await complete(project().run, line)).toEqual(candidates);
});

test("tools of a trusted configuration and of documents are completed, and no program is started", async () => {
  const { run, write } = project();
  write("pets.json", JSON.stringify(petDocument));
  const marker = { command: "sh", args: ["-c", "touch started"] };
  write(
    "toolweave.json",
    JSON.stringify({
      openapi: { pets: { file: "pets.json", auth: { bearer: "${UNSET}" } } },
      mcpServers: { marker },
    }),
  );
  expect(await complete(run, "call get_p")).toEqual([]);
  await run(["trust", "--yes"]);
  expect(await complete(run, "call get_p")).toEqual(["get_pet", "get_photo"]);
  expect(await complete(run, "policy explain delete")).toEqual(["delete_pet"]);
  expect(await complete(run, "call --openapi pets.json get_pe")).toEqual(["get_pet"]);
  expect(await complete(run, "call --config toolweave.json get_pe")).toEqual(["get_pet"]);
  expect(await complete(run, "call get_pet get_p")).toEqual([]);
  expect(await complete(run, "call pets.json get_pe")).toEqual(["get_pet"]);
  expect(await complete(run, "policy explain ./pets.json delete")).toEqual(["delete_pet"]);
  expect(await complete(run, "call toolweave.json get_pe")).toEqual(["get_pet"]);
  expect(await complete(run, "call pets.json get_pet get_p")).toEqual([]);
  expect(await complete(run, "call ./tools.ts get_p")).toEqual([]);
});

test("tools of the lock are completed", async () => {
  const { run, write, folder } = project();
  write("toolweave.json", JSON.stringify({ mcpServers: { notes: notesServer({}) } }));
  await run(["lock", "--config", join(folder, "toolweave.json")]);
  expect(await complete(run, "call notes__r")).toEqual(["notes__read_notes"]);
  write("toolweave.lock.json", JSON.stringify({ version: 1, tools: { notes__remove: {} } }));
  expect(await complete(run, "call notes__r")).toEqual(["notes__remove"]);
  copyFileSync(join(folder, "toolweave.json"), join(folder, "toolweave.lock.json"));
  expect(await complete(run, "call notes__r")).toEqual([]);
});

test.each(["bash", "zsh", "fish", "powershell"])("the script of %s is printed", async (shell) => {
  const { code, stdout } = await project().run(["completion", shell]);
  expect([code, stdout]).toEqual([0, expect.stringContaining("toolweave completion")]);
});

test("an unknown shell is a usage error with the known ones", async () => {
  const { code, stderr } = await project().run(["completion", "tcsh"]);
  expect([code, stderr]).toEqual([2, expect.stringContaining("bash, zsh, fish, powershell")]);
});
