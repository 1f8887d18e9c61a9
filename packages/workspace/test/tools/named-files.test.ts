import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { ToolExecutor, ToolRegistry } from "@toolweave/core";
import { tempFolder } from "@toolweave/test-support/temp-folder";
import { describe, expect, onTestFinished, test } from "vitest";
import { openWorkspace } from "../support/open-workspace.ts";
import { workspacePolicy, workspaceTools, type WorkspaceOptions } from "../../src/index.ts";

const files = [
  "a",
  "src/b",
  "secrets/k",
  ".env",
  ".git/config",
  ".git/hooks/x",
  "marked/m",
  "vendor/c",
];

/** Explains commands under `maxRisk: "medium"`: the effect, and what is not allowed. */
function open(options: Omit<WorkspaceOptions, "root"> = {}): (command: string) => Promise<string> {
  const root = join(tempFolder(), "ws");
  for (const path of files) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), path);
  }
  const registry = new ToolRegistry([
    workspaceTools({ root, sandbox: "none", deny: ["secrets/**"], ask: ["marked"], ...options }),
  ]);
  onTestFinished(() => registry.close());
  const executor = new ToolExecutor({ registry, policy: workspacePolicy({ maxRisk: "medium" }) });
  return async (command) => {
    const { effect, requests, problem } = await executor.explain({
      name: "bash",
      arguments: { command },
    });
    const asking = requests
      .filter((one) => one.effect !== "allow")
      .map(({ permission: { kind, target } }) => `${kind} ${target.replace(root, "")}`);
    return [problem?.message ?? effect, ...asking].join("; ");
  };
}

describe("F1: the rules for files hold for what the options of a program name", () => {
  test.each([
    ["cp a src", "allow"],
    ["cp -t src a", "allow"],
    ["cp a src/b", "allow"],
    ["mv a src/b", "allow"],
    ["mv src/b a", "allow"],
    ["mv a new", "allow"],
    ["ln -f a src/b", "allow"],
    ["cp a .env", "ask; custom.secret_file /.env"],
    ["cp -r src copy", "allow"],
    ["sed -i s/a/b/ a", "allow"],
    ["sort -o src/b a", "allow"],
    ["npm test", "allow"],
    ["git commit -m 'The secrets'", "allow"],
    ["cp -t/outside a", "ask; fs.write /outside; fs.write /outside/a"],
    ["sed -i s/a/b/ /outside/x", "ask; fs.write /outside/x"],
    ["sort -o/outside/x a", "ask; fs.write /outside/x"],
    ["gcc -o/outside/x a.c", "ask; fs.write /outside/x"],
    ["tsc --outDir /outside", "ask; fs.write /outside"],
    ["find . -newer /outside/x", "ask; fs.read /outside/x"],
    ["sed -i s/a/b/ .env", "ask; custom.secret_file /.env"],
    ["eslint .env", "ask; custom.secret_file /.env"],
    ["git show HEAD:.env", "ask; custom.secret_file /.env"],
    [
      "cp a .en -t marked",
      "ask; custom.marked_file /marked; custom.marked_file /marked/a; custom.marked_file /marked/.en",
    ],
  ])("%s: %s", async (command, expected) => {
    expect(await open()(command)).toBe(expected);
  });

  test.each([
    "cp -tsecrets a",
    "cp --target=secrets a",
    "sed -i s/a/b/ secrets/k",
    "sed -n p secrets/k",
    "tar cf - secrets",
    "zip -r x.zip secrets",
    "ln -s secrets s",
    "split a secrets/x",
    "ln secrets/k k",
    "cp -t.git/hooks a",
    "sed -i s/a/b/ .git/config",
    "git config core.fsmonitor x",
    "sort -o .git/hooks/x a",
  ])("%s is refused", async (command) => {
    expect(await open()(command)).toMatch(
      /is protected|not permitted|denied|rules of the workspace/,
    );
  });
});

describe("K4: programs that enter folders meet the rules for what is in them", () => {
  test.each([
    ["grep -r KEY src", "allow"],
    ["grep -r KEY vendor marked", "ask; custom.marked_file /marked; custom.marked_file /marked/m"],
    ["cat a", "allow"],
    ["rg KEY vendor", "allow"],
  ])("%s: %s", async (command, expected) => {
    expect(await open()(command)).toBe(expected);
  });

  test.each([
    "grep -r KEY .",
    "grep -R KEY",
    "rg -uu KEY",
    "rg KEY .",
    "tar cf x.tar .",
    "cp -r . ../x",
    "diff -r . src",
  ])("%s is refused, since a file in it is denied", async (command) => {
    expect(await open()(command)).toMatch(/secrets/);
  });

  test("without a denied file, the secret ones are asked for; hidden ones that ripgrep skips are not", async () => {
    const explain = open({ deny: [] });
    expect(await explain("grep -r KEY .")).toBe(
      "ask; custom.secret_file /.env; custom.marked_file /marked",
    );
    expect(await explain("rg KEY")).toBe("ask; custom.marked_file /marked");
    expect(await explain("rg --hidden KEY")).toContain("custom.secret_file /.env");
  });

  test("K5: a folder around protected files is not given another name", async () => {
    expect(await open()("mv .git .g")).toContain("is protected");
    expect(await open({ protectedWrites: "ask" })("mv .git .g")).toContain(
      "custom.protected_file /.git/hooks",
    );
  });
});

test("K7: a file .git is protected as the folder is, since it names one", async () => {
  const { failure, text } = openWorkspace({ "sub/a": "1", ".git/index": "1" }, { sandbox: "none" });
  const content = "gitdir: ../x\n";
  for (const path of ["sub/.git", "sub/.GIT"])
    expect(await failure("write_file", { path, content })).toContain("is protected");
  expect(await failure("bash", { command: "cp sub/a sub/.git" })).toContain("is protected");
  expect(await failure("write_file", { path: ".git/commondir", content })).toContain(
    "is protected",
  );
  await text("write_file", { path: "sub/.gitignore", content: "x\n" });
});
