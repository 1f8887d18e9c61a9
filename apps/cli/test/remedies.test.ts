import { join } from "node:path";
import { expect, test } from "vitest";
import { petDocument } from "./support/pet-document.ts";
import { project, type Project } from "./support/project.ts";

const addPet = ["add_pet", "name=Rex"];
const touch = ["bash", "command=touch b.txt"];

/** A project with an API and, if it is given, a workspace and a policy. */
function shop(more: object = {}): Project {
  const made = project();
  made.write(
    "api.json",
    JSON.stringify({ ...petDocument, servers: [{ url: "http://127.0.0.1:1" }] }),
  );
  const config = { openapi: { shop: { file: "api.json" } }, ...more };
  made.write("toolweave.json", JSON.stringify(config));
  return made;
}

const explain = async (made: Project, ...argv: readonly string[]): Promise<string> => {
  const { stdout } = await made.run(["policy", "explain", ...argv, "--config", "toolweave.json"]);
  return stdout;
};

const rule = (tools: string): string => `{ "effect": "allow", "tools": "${tools}" }`;

test.each<[string, object, string]>([
  ["no policy", {}, `Add ${rule("add_pet")} to policy.rules in toolweave.json.`],
  ["rules", { policy: { rules: [] } }, `Add ${rule("add_pet")} to policy.rules in toolweave.json.`],
  [
    "a workspace",
    { workspace: {}, policy: { rules: [] } },
    `Add ${rule("add_pet")} to policy.rules in toolweave.json.`,
  ],
  [
    "a name",
    { policy: { name: "team", rules: [] } },
    `Add ${rule("add_pet")} to policy.rules in toolweave.json.`,
  ],
  [
    "a preset",
    { policy: "strict" },
    `Write { "preset": "strict", "rules": [${rule("add_pet")}] } in place of "strict" in policy of toolweave.json.`,
  ],
  [
    "a list",
    { workspace: {}, policy: ["autonomous", { default: "ask" }] },
    `Add ${rule("add_pet")} to policy[1].rules in toolweave.json.`,
  ],
])("policy explain names the rule and its place in a file with %s", async (_, more, advice) => {
  expect(await explain(shop(more), ...addPet)).toContain(`  to change this: ${advice}\n`);
});

test("a rule that the advice names lets the call run", async () => {
  const made = shop({ workspace: {}, policy: { rules: [JSON.parse(rule("add_pet"))] } });
  expect(await explain(made, ...addPet)).toContain("add_pet runs without asking.");
  expect(await explain(made, ...touch)).toContain("bash asks first.");
  expect(await explain(made, "bash", "command=ls")).toContain("bash runs without asking.");
});

test("--policy has the rule if it is what asks", async () => {
  const made = shop({ policy: "autonomous" });
  made.write("rules.json", JSON.stringify([{ default: "ask" }]));
  const file = join(made.folder, "rules.json");
  expect(await explain(made, ...addPet, "--policy", file)).toContain(
    `Add ${rule("add_pet")} to [0].rules in ${file}.`,
  );
  expect(await explain(made, ...addPet, "--policy", "supervised")).toContain(
    `Pass a file with { "preset": "supervised", "rules": [${rule("add_pet")}] } as --policy.`,
  );
});

test("a command is allowed by a rule of the workspace, or of the policy where that decides", async () => {
  const command = '{ "command": ["touch", "b.txt"], "effect": "allow" }';
  const advice = `Add ${command} to workspace.commands.rules in toolweave.json.`;
  expect(await explain(shop({ workspace: {} }), ...touch)).toContain(advice);
  const allowed = shop({ workspace: { commands: { rules: [JSON.parse(command)] } } });
  const explained = await explain(allowed, ...touch);
  expect(explained).toContain("process touch b.txt\n  allow  a rule for commands allows it");
  // The file that it writes is another question.
  const write = `{ "effect": "allow", "permissions": { "kind": "fs.write", "target": "${join(allowed.folder, "b.txt")}" } }`;
  expect(explained).toContain(`to change this: Add ${write} to policy.rules in toolweave.json.`);
  const preset = shop({ workspace: {}, policy: { preset: "supervised" } });
  expect(await explain(preset, ...touch)).toContain(
    '{ "effect": "allow", "permissions": { "kind": "process", "target": "touch b.txt" } } to policy.rules',
  );
});

test("a call that waits, a question and a denial have the same advice", async () => {
  const made = shop({ workspace: {} });
  const call = async (...argv: readonly string[]): Promise<string> =>
    (await made.run(["call", ...argv, "--config", "toolweave.json"])).stderr;
  const advice = `to change this: Add ${rule("add_pet")} to policy.rules in toolweave.json.`;
  expect(await call(...addPet)).toContain(advice);
  expect(await call(...touch)).toContain("to workspace.commands.rules in toolweave.json.");
  made.write(
    "toolweave.json",
    JSON.stringify({
      openapi: { shop: { file: "api.json" } },
      policy: { default: "deny" },
    }),
  );
  expect(await call(...addPet)).toContain(advice);
});

test("a tool that needs approval is allowed by a rule that says so", async () => {
  const made = shop({
    openapi: {
      shop: {
        file: "api.json",
        overrides: { addPet: { annotations: { needsApprovalHint: true } } },
      },
    },
    policy: "autonomous",
  });
  expect(await explain(made, ...addPet)).toContain(
    "ask    this tool always needs approval (needsApproval)",
  );
  expect(await explain(made, ...addPet)).toContain(
    '[{ "effect": "allow", "tools": "add_pet", "annotations": { "needsApprovalHint": true } }]',
  );
});
