import { ToolExecutor, ToolRegistry, type PolicyRule, type Tool } from "@toolweave/core";
import { afterEach, describe, expect, test, vi } from "vitest";
import { foreignTool } from "../support/executor-for.ts";
import { TestSource } from "../support/test-source.ts";

afterEach(() => void vi.restoreAllMocks());

const nothing = { registry: new ToolRegistry() };

const warnings = (rule: PolicyRule, registry: ToolRegistry = nothing.registry): string[] =>
  new ToolExecutor({ registry, policy: { rules: [rule] } })
    .configurationWarnings()
    .map(({ where, message }) => `${where} ${message}`);

const network = (target: string): PolicyRule => ({
  effect: "deny",
  permissions: { kind: "network", target },
});

describe("a rule that can never match, for any tools, causes a warning:", () => {
  test.each<[what: string, rule: PolicyRule, where: string, fix: string]>([
    ["a path for a URL", network("/pets/*"), ".permissions.target", "METHOD URL"],
    ["a host without a scheme", network("api.example.com/*"), ".permissions.target", "METHOD URL"],
    [
      "a method in lower case",
      network("delete https://a.example/*"),
      ".permissions.target",
      "METHOD URL",
    ],
    ["a method without a URL", network("DELETE"), ".permissions.target", "METHOD URL"],
    ["a method and a path", network("DELETE /pets/*"), ".permissions.target", "METHOD URL"],
    [
      "a host in capitals after a method",
      network("GET https://A.example/*"),
      ".permissions.target",
      "write a.example",
    ],
    [
      "the default port",
      network("POST https://a.example:443/*"),
      ".permissions.target",
      "write a.example",
    ],
    [
      "the second of two targets",
      { effect: "ask", permissions: { kind: "network", target: ["* https://a.example/*", "x"] } },
      ".permissions.target[1]",
      "METHOD URL",
    ],
    [
      "an agent by an invalid name",
      { effect: "deny", permissions: { kind: "delegate", target: "research agent" } },
      ".permissions.target",
      "name of the agent's tool",
    ],
    [
      "an allow of a path with dot segments",
      { effect: "allow", permissions: { kind: "fs.*", target: "drafts/../*" } },
      ".permissions.target",
      "plain form",
    ],
    [
      "the call itself as a permission",
      { effect: "deny", permissions: { kind: "custom.call", target: "rm" } },
      ".permissions.kind",
      "write tools",
    ],
    [
      "access that excludes the kind",
      {
        effect: "deny",
        permissions: { kind: "fs.write" },
        annotations: { access: { filesystem: "none" } },
      },
      ".annotations.access",
      "proposes no fs.write",
    ],
    [
      "no access to the network, for a request",
      {
        effect: "deny",
        permissions: { kind: "network" },
        annotations: { access: { network: false } },
      },
      ".annotations.access",
      "proposes no network",
    ],
  ])("%s", (_, rule, where, fix) => {
    const found = warnings(rule);
    expect(found).toHaveLength(1);
    expect(found[0]?.startsWith(`policy.rules[0]${where} `)).toBe(true);
    expect(found[0]).toContain(fix);
  });
});

test.each<[what: string, rule: PolicyRule]>([
  ["an address of any method", network("* https://a.example/*")],
  ["an address with a query", network("POST https://a.example/x?notify=true")],
  ["a suffix after a wildcard", network("* https://A.example/*")],
  ["an origin", network("https://a.example")],
  ["an address of any host", network("DELETE https://*/pets/*")],
  ["a prefix of a method", network("P*")],
  ["a port", network("POST http://localhost:8080/*")],
  [
    "a deny of a path with dot segments",
    { effect: "deny", permissions: { kind: "fs.*", target: "*/../*" } },
  ],
  [
    "kinds of which one is a custom kind",
    { effect: "deny", permissions: { kind: ["network", "custom.*"], target: "x" } },
  ],
  ["a target of any kind", { effect: "deny", permissions: { target: "*secret*" } }],
])("%s causes no warning", (_, rule) => {
  expect(warnings(rule)).toEqual([]);
});

test("a rule can be for the local tools of a tool, which may be made later", () => {
  const registry = new ToolRegistry([{ ...foreignTool("run_script"), localTools: [] }]);
  expect(warnings({ effect: "deny", tools: "http_send" }, registry)).toEqual([]);
  expect(warnings({ effect: "deny", tools: "run_scrip" }, registry)).toEqual([
    'policy.rules[0].tools "run_scrip" does not match the only tool; did you mean run_script?',
  ]);
});

describe("with the existing tools,", () => {
  const operation = (name: string, method: string): Tool => {
    const made = foreignTool(name, method === "GET" ? {} : { preflight: () => [] });
    const provenance = { adapter: "openapi", origin: { method, path: "/x" } };
    return { ...made, spec: { ...made.spec, provenance } };
  };
  const registry = new ToolRegistry([
    new TestSource("shop", [operation("list_pets", "GET"), operation("delete_pet", "DELETE")], {
      trusted: true,
    }),
  ]);
  test.each<[what: string, rule: PolicyRule, warning: string]>([
    [
      "a misspelled tool",
      { id: "typo", effect: "deny", tools: ["list_*", "dlete_*"] },
      'policy.rules[0].tools[1] (typo) "dlete_*" matches none of the 2 tools; did you mean delete_pet?',
    ],
    [
      "a misspelled source",
      { effect: "deny", provenance: { source: "shopp" } },
      'policy.rules[0].provenance.source "shopp" does not match the only source; did you mean shop?',
    ],
    [
      "a method in another case",
      { effect: "deny", provenance: { origin: { method: "delete" } } },
      'policy.rules[0].provenance.origin.method "delete" matches none of the 2 methods; did you mean DELETE?',
    ],
    [
      "conditions that no tool satisfies together",
      { effect: "deny", tools: "list_*", provenance: { origin: { method: "DELETE" } } },
      "policy.rules[0] fits none of the 2 tools: its conditions hold for no tool together",
    ],
    [
      "permissions of tools that propose none",
      { effect: "deny", tools: "list_*", permissions: { kind: "network" } },
      "policy.rules[0].permissions never matches: none of the 1 tool that the rule is for proposes permissions",
    ],
    [
      "an address of requests without its method",
      network("https://a.example/*"),
      'policy.rules[0].permissions.target "https://a.example/*" never matches: the target of a request begins with its method; write "* https://a.example/*"',
    ],
    [
      "a method that no proposing tool has",
      network("GET https://a.example/*"),
      'policy.rules[0].permissions.target "GET https://a.example/*" never matches: no GET request proposes permissions',
    ],
  ])("%s causes a warning, with its place", (_, rule, warning) => {
    const found = warnings(rule, registry);
    expect(found).toHaveLength(1);
    expect(found[0]?.slice(0, warning.length)).toBe(warning);
  });

  test("globs of limits that match no tool and no source cause a warning", () => {
    const executor = new ToolExecutor({
      registry,
      limits: {
        rates: [{ calls: 1, windowMs: 1000, tools: ["list_*", "lst_*"], sources: ["shopp"] }],
        concurrency: { exclusive: "deploy_*" },
      },
    });
    expect(executor.configurationWarnings().map(({ where }) => where)).toEqual([
      "limits.rates[0].tools[1]",
      "limits.rates[0].sources[0]",
      "limits.concurrency.exclusive",
    ]);
  });

  test("a tool that the executor adds by itself is not reported as missing", () => {
    expect(warnings({ effect: "deny", tools: "task_*" }, registry)).toEqual([]);
    expect(warnings({ effect: "deny", tools: "files__get_prompt" }, registry)).toEqual([]);
  });

  test("a layer of several has its index", () => {
    const policy = ["strict" as const, { rules: [{ effect: "deny" as const, tools: "x" }] }];
    const [warning] = new ToolExecutor({ registry, policy }).configurationWarnings();
    expect(warning?.where).toBe("policy[1].rules[0].tools");
  });
});

test("while a source is missing, only warnings that hold for any tools are emitted", async () => {
  const later = new TestSource("later", [foreignTool("b")], { loading: true });
  const registry = new ToolRegistry([later, new TestSource("shop", [foreignTool("a")])]);
  expect(warnings({ effect: "deny", tools: "c" }, registry)).toEqual([]);
  expect(warnings(network("/x"), registry)).toHaveLength(1);
  later.load();
  await registry.ready;
  expect(warnings({ effect: "deny", tools: "c" }, registry)).toHaveLength(1);
});

describe("a rule that denies or asks, and names a tool that does not exist", () => {
  const emitted = () => vi.spyOn(process, "emitWarning").mockImplementation(() => {});
  const rules: readonly PolicyRule[] = [
    { effect: "deny", tools: ["pay", "dele_user"] },
    { effect: "ask", tools: "send_male" },
    { effect: "deny", tools: ["unrelated_name", "pay*x"] },
    { effect: "allow", tools: "payy" },
  ];
  const call = { id: "1", name: "pay", arguments: {} };

  test("is one process warning that names the rule and the similar tools, with the first call", async () => {
    const warning = emitted();
    const registry = new ToolRegistry(
      ["pay", "del_user", "send_mail"].map((name) => foreignTool(name)),
    );
    const executor = new ToolExecutor({ registry, policy: { rules } });
    expect(warning).not.toHaveBeenCalled();
    await executor.execute(call);
    await executor.execute({ ...call, id: "2" });
    registry.add(foreignTool("another"));
    await executor.execute({ ...call, id: "3" });
    expect(warning.mock.calls).toEqual([
      [
        "A rule of the policy restricts no tool:\n" +
          '- policy.rules[0].tools[1] names "dele_user", and there is no such tool: did you mean del_user?\n' +
          '- policy.rules[1].tools names "send_male", and there is no such tool: did you mean send_mail?',
        expect.objectContaining({ code: "TOOLWEAVE_POLICY_UNMATCHED" }),
      ],
    ]);
  });

  test("is none for a host that looks for such rules itself", async () => {
    const warning = emitted();
    const registry = new ToolRegistry([foreignTool("del_user")]);
    const executor = new ToolExecutor({ registry, policy: { rules } });
    expect(executor.configurationWarnings()).not.toEqual([]);
    await executor.execute(call);
    expect(warning).not.toHaveBeenCalled();
  });

  test("is none while a source that may have the tool is loading", async () => {
    const warning = emitted();
    const source = new TestSource("late", [foreignTool("dele_user")], { loading: true });
    const registry = new ToolRegistry([foreignTool("del_user"), source]);
    const executor = new ToolExecutor({ registry, policy: { rules } });
    expect(executor.toolset.size).toBe(1);
    source.load();
    await registry.ready;
    await executor.execute(call);
    expect(warning).not.toHaveBeenCalled();
  });
});
