import { defineTool, type PolicyInput, type Tool } from "@toolweave/core";
import { expect, test } from "vitest";
import type { ExplanationView, PolicyView, TryResult } from "../../src/index.ts";
import { CheckedConsole, secret } from "../support/checked-console.ts";

const tool = (name: string, more: object = {}): Tool =>
  defineTool({
    name,
    description: name,
    input: { type: "object", properties: { id: { type: "integer" } } },
    execute: () => "ok",
    ...more,
  });

const tools = [
  tool("read_mail", { annotations: { readOnlyHint: true } }),
  tool("delete_mail", { annotations: { destructiveHint: true } }),
  tool("fetch_page", {
    preflight: () => [{ kind: "network", target: "GET https://example.com/", summary: "Reads." }],
  }),
];

const policy: PolicyInput = [
  {
    name: "team",
    preset: "supervised",
    rules: [
      { id: "mail", effect: "allow", tools: ["delete_mail", "send_mail"], reason: `Not ${secret}` },
      {
        effect: "ask",
        ask: "always",
        permissions: { kind: "network", target: "DELETE *" },
        annotations: { readOnlyHint: false, access: { network: true } },
        callers: { roles: "admin" },
      },
    ],
  },
  () => "ask",
  { default: "allow" },
];

const open = (given: PolicyInput = policy): CheckedConsole =>
  new CheckedConsole(tools, { policy: given });

test("the policies are displayed with their rules, and rules without effect are named", async () => {
  const { body } = await open().send<PolicyView>("/api/policy");
  expect(body.layers).toEqual([
    {
      name: "team",
      preset: "supervised",
      rules: [
        {
          id: "mail",
          text: "tools delete_mail or send_mail",
          effect: "allow",
          remark: "Not [redacted]",
        },
        {
          id: "rules[1]",
          text: "permissions kind network, target DELETE *; annotations readOnlyHint false, access.network true; callers roles admin",
          effect: "ask always",
        },
      ],
    },
    { name: "policy[1]", rules: [], isFunction: true },
    { name: "policy[2]", default: "allow", rules: [] },
  ]);
  expect(body.warnings).toContainEqual(
    expect.stringMatching(/^policy\[0\]\.rules\[0\].*send_mail/),
  );
  const forSources = await open([{ sources: ["files", "net*"], decide: () => "ask" }, "strict"]);
  expect((await forSources.send<PolicyView>("/api/policy")).body.layers).toEqual([
    { name: "policy[0]", rules: [], isFunction: true, sources: ["files", "net*"] },
    { name: "policy", preset: "strict", rules: [] },
  ]);
  const preset = await open("readOnly").send<PolicyView>("/api/policy");
  expect(preset.body).toEqual({
    layers: [{ name: "policy", preset: "readOnly", rules: [] }],
    warnings: [],
  });
});

test("the decision about a call is explained, for the sender or another caller", async () => {
  const console = open({
    rules: [{ id: "bobs", effect: "deny", tools: "read_mail", callers: { id: "bob" } }],
  });
  const explain = async (json: object): Promise<ExplanationView> =>
    (await console.send<ExplanationView>("/api/policy/explain", { json })).body;
  expect(await explain({ name: "read_mail", arguments: {} })).toMatchObject({
    tool: "read_mail",
    effect: "allow",
    requests: [{ effect: "allow", rule: "preset:supervised" }],
  });
  expect(await explain({ name: "read_mail", caller: { id: "bob" } })).toMatchObject({
    effect: "deny",
    requests: [{ rule: "bobs" }],
  });
  expect(await explain({ name: "read_mail", arguments: { id: secret } })).toMatchObject({
    effect: "deny",
    problem: { code: "invalid_arguments" },
  });
  expect(await explain({ name: "none" })).toMatchObject({ problem: { code: "not_found" } });
});

test("a rule is tried over all tools, and the policy stays as it is", async () => {
  const console = open("supervised");
  const attempt = async (json: object): Promise<TryResult> =>
    (await console.send<TryResult>("/api/policy/try", { json })).body;
  expect(await attempt({ rule: { effect: "deny", tools: "*_mail" } })).toEqual({
    layer: "policy",
    changes: [
      { tool: "delete_mail", before: "ask", after: "deny" },
      { tool: "read_mail", before: "allow", after: "deny" },
    ],
    unchanged: 1,
    problems: [],
  });
  const permissions = { kind: "network", target: "GET *" };
  expect((await attempt({ rule: { effect: "allow", permissions } })).changes).toEqual([
    { tool: "fetch_page", permission: "network GET *", before: "ask", after: "allow" },
  ]);
  const callers = { id: "bob" };
  const forBob = { rule: { effect: "deny", tools: "read_mail", callers } };
  expect((await attempt({ ...forBob, caller: { id: "bob" } })).changes).toHaveLength(1);
  expect((await attempt({ ...forBob, caller: { id: "eve" } })).changes).toHaveLength(0);
  expect((await console.send<PolicyView>("/api/policy")).body.layers[0]?.rules).toEqual([]);
});

test("a rule that is not valid, or has no effect, is a problem of the result", async () => {
  const console = open("supervised");
  const problems = async (json: object): Promise<readonly string[]> => {
    const { body } = await console.send<TryResult>("/api/policy/try", { json });
    expect([body.changes, body.unchanged]).toEqual([[], 3]);
    return body.problems;
  };
  expect(await problems({ rule: { effect: "maybe" } })).toEqual([
    expect.stringContaining("policy.rules[0].effect"),
  ]);
  expect(await problems({ rule: { effect: "deny", tools: "read_mial" } })).toEqual([
    expect.stringContaining("read_mail"),
  ]);
  expect(await problems({ rule: { effect: "deny" }, layer: "other" })).toEqual([
    expect.stringContaining('layer is "other"'),
  ]);
});

test.each([
  ["explain", {}],
  ["explain", { name: 1 }],
  ["explain", { name: "read_mail", arguments: [] }],
  ["explain", { name: "read_mail", caller: { name: "bob" } }],
  ["explain", { name: "read_mail", caller: { id: "bob", roles: "admin" } }],
  ["try", {}],
  ["try", { rule: [] }],
  ["try", { rule: { effect: "deny" }, layer: 1 }],
  ["try", { rule: { effect: "deny" }, more: 1 }],
])("%s with the body %o is 422", async (operation, json) => {
  const { status, body } = await open().send(`/api/policy/${operation}`, { json });
  expect([status, body["code"]]).toEqual([422, "invalid_body"]);
});
