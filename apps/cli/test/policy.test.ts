import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { notes } from "./support/notes.ts";
import { openPetShop, type PetShop } from "./support/pet-shop.ts";
import { idIn, runCommand, runIn, type Ended } from "./support/run-cli.ts";
import { tempFile, tempStore } from "./support/temp-file.ts";

let shop: PetShop;
beforeAll(async () => {
  shop = await openPetShop();
});
afterAll(() => shop.close());

const explain = (...argv: string[]): Promise<Ended> =>
  runCommand(["policy", "explain", ...argv, "--openapi", shop.documentUrl]);

function rules(...list: readonly object[]): string {
  return tempFile("rules.json", JSON.stringify({ name: "shop", rules: list }));
}

describe("policy explain", () => {
  test.each([
    ["supervised", "get_pet", "runs without asking", "allow  supervised: reads run"],
    ["supervised", "add_pet", "asks first", "ask    supervised: the tool may change something"],
    ["readOnly", "get_pet", "runs without asking", "allow  readOnly: reads run"],
    ["readOnly", "add_pet", "is denied", "deny   readOnly: only tools that change nothing run"],
    ["autonomous", "delete_pet", "runs without asking", "allow  autonomous: everything runs"],
    ["strict", "get_pet", "runs without asking", "allow  strict: reads run"],
    ["strict", "add_pet", "asks first", "ask    strict: what is not a read asks first"],
    ["strict", "delete_pet", "is denied", "deny   strict: unclassified and destructive tools"],
  ])("under %s: %s %s", async (policy, tool, verdict, decision) => {
    const { code, stdout, stderr } = await explain(tool, "--policy", policy);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout.split("\n", 1)[0]).toBe(`${tool} ${verdict}.`);
    expect(stdout).toContain(`\nthe call itself\n  ${decision}`);
    expect(stdout).toContain(`(preset:${policy} of policy)\n`);
    expect(stdout.includes("It is not advertised")).toBe(verdict === "is denied");
  });

  test("of a tool uses supervised without --policy", async () => {
    expect((await explain("delete_pet")).stdout).toBe(
      [
        "delete_pet asks first.",
        "It is advertised: a model can see and call it.",
        "",
        "the call itself",
        "  ask    supervised: the tool is marked destructive (preset:supervised of policy)",
        '  to change this: Pass a file with { "rules": [{ "effect": "allow", "tools": "delete_pet" }] } as --policy.',
        "",
        "This is the decision about the tool. Rules may depend on the permissions of a call: add arguments to see them.",
        "",
      ].join("\n"),
    );
  });

  test("of a call names the deciding rule of each permission, and the other matches", async () => {
    const policy = rules(
      { effect: "allow", tools: "delete_*", reason: "deleting is fine" },
      { id: "keep-7", effect: "deny", permissions: { kind: "network", target: "* http*/pets/7" } },
      { effect: "ask", tools: "nothing_*" },
    );
    const denied = await explain("delete_pet", "id=7", "--policy", policy);
    expect(denied.code).toBe(0);
    expect(denied.stdout).toBe(
      [
        "delete_pet is denied.",
        "It is advertised: a model can see and call it.",
        "",
        `network DELETE ${shop.url}/pets/7`,
        "  deny   shop: keep-7 denies it",
        '  to change this: The rule keep-7 of the policy "shop" decides: a rule that allows does not outweigh it.',
        "  also matched:",
        "    allow  deleting is fine (rules[0] of shop)",
        "",
      ].join("\n"),
    );
    const allowed = await explain("delete_pet", "id=8", "--policy", policy);
    expect(allowed.stdout).toContain("delete_pet runs without asking.\n");
    expect(allowed.stdout).not.toContain("also matched");
  });

  test("can be for a caller and its roles", async () => {
    const policy = rules({ effect: "allow", tools: "add_*", callers: { roles: "admin" } });
    const argv = ["add_pet", "name=Rex", "--policy", policy];
    expect((await explain(...argv)).stdout).toContain("add_pet asks first.");
    expect((await explain(...argv, "--caller", "ada")).stdout).toContain("add_pet asks first.");
    const admin = [...argv, "--caller", "ada", "--role", "clerk", "--role", "admin"];
    expect((await explain(...admin)).stdout).toContain("add_pet runs without asking.");
    const withoutCaller = await explain(...argv, "--role", "admin");
    expect([withoutCaller.code, withoutCaller.stderr.includes("give --caller")]).toEqual([2, true]);
  });

  test("is data with --json", async () => {
    const { stdout } = await explain("delete_pet", "--args", '{"id": 7}', "--json");
    expect(JSON.parse(stdout)).toMatchObject({
      tool: "delete_pet",
      advertised: true,
      effect: "ask",
      requests: [
        {
          permission: { kind: "network", target: `DELETE ${shop.url}/pets/7` },
          effect: "ask",
          rule: "preset:supervised",
          layer: "policy",
          considered: [{ rule: "preset:supervised" }],
        },
      ],
    });
  });

  test("names the grant that approves", async () => {
    const run = runIn(tempStore());
    const call = ["delete_pet", "id=7", "--openapi", shop.documentUrl];
    await run(["approvals", "approve", idIn(await run(["call", ...call])), "--always"]);
    const { stdout } = await run(["policy", "explain", ...call]);
    expect(stdout).toContain("delete_pet runs without asking.");
    expect(stdout).toMatch(/\n {2}answered by the grant [\w-]{36}: no person is asked\n/);
  });

  test("of an unknown tool, or with invalid arguments, ends with 2", async () => {
    const unknown = await explain("delete_pets");
    expect(unknown).toMatchObject({ code: 2, stdout: "" });
    expect(unknown.stderr).toContain("Did you mean delete_pet?");
    const invalid = await explain("add_pet", "--args", "{}");
    expect(invalid.code).toBe(2);
    expect(invalid.stderr).toContain("- name is required");
    expect(invalid.stdout).not.toContain("asks first");
  });

  test("sends nothing", () => {
    expect(shop.requests.filter(({ method }) => method !== "DELETE")).toEqual([]);
  });
});

describe("--policy", () => {
  test("decides the approval column of `inspect`", async () => {
    const policy = rules(
      { effect: "deny", tools: "add_*" },
      { effect: "ask", tools: "get_pet" },
      { effect: "allow", tools: "delete_pet" },
    );
    const argv = ["inspect", "--openapi", shop.documentUrl, "--policy", policy];
    const { stdout } = await runCommand(argv);
    expect(stdout.split("\n").slice(0, 4)).toEqual([
      "add_pet       POST   /pets       denied                   Add a pet",
      "delete_pet    DELETE /pets/{id}  destructive, idempotent  Delete a pet",
      "get_pet       GET    /pets/{id}  asks first, read-only    Get a pet",
      "get_photo     GET    /photo      read-only                Get a photo",
    ]);
    const { decisions } = JSON.parse((await runCommand([...argv, "--json"])).stdout);
    expect(decisions).toMatchObject({ add_pet: "deny", delete_pet: "allow", get_pet: "ask" });
  });

  test("decides about a call, and a refusal names the rule", async () => {
    const policy = rules({ effect: "deny", tools: "get_*", reason: "closed for today" });
    const argv = ["call", "get_pet", "id=7", "--openapi", shop.documentUrl, "--policy", policy];
    const { code, stdout, stderr } = await runCommand(argv);
    expect({ code, stdout }).toEqual({ code: 3, stdout: "" });
    expect(stderr).toContain("toolweave: The policy denies the call: closed for today.\n");
    const free = ["call", "delete_pet", "id=7", "--openapi", shop.documentUrl];
    expect((await runCommand([...free, "--policy", "autonomous"])).code).toBe(0);
  });

  test("accepts a list of policies, each of which only narrows", async () => {
    const policy = tempFile(
      "layers.json",
      JSON.stringify(["autonomous", { name: "shop", rules: [{ effect: "ask", tools: "add_*" }] }]),
    );
    const { stdout } = await explain("add_pet", "--policy", policy);
    expect(stdout).toContain("  ask    shop: rules[0] asks first");
    expect(stdout).toContain(
      "    allow  autonomous: everything runs (preset:autonomous of policy)",
    );
  });

  test.each([
    [
      "no JSON",
      '{\n  "rules": [}\n',
      "is not valid JSON: Unexpected token '}' (line 2, column 13).",
    ],
    ["cut off", '{\n  "rules": [', "(line 2, column 13)."],
    ["no policy", "7", "policy is no policy"],
    ["an empty list", "[]", "policy is an empty list"],
    ["an unknown preset", '"strickt"', '"strickt" is no policy'],
    ["an unknown option", '{"rule": []}', 'unknown option "rule". Did you mean rules?'],
    [
      "a wrong effect",
      '[{"preset": "strict"}, {"rules": [{"effect": "allow", "tools": "a"}, {"effect": "forbid"}]}]',
      'policy[1].rules[1].effect cannot be "forbid"',
    ],
    [
      "a rule that its own example refutes",
      '{"rules": [{"effect": "deny", "tools": "add_*", "match": ["remove_pet"]}]}',
      "policy.rules[0].match[0]",
    ],
  ])("with a file that is %s is a usage error, with the place", async (_, content, message) => {
    const path = tempFile("rules.json", content);
    for (const argv of [
      ["policy", "explain", "get_pet"],
      ["inspect"],
      ["call", "get_pet", "id=7"],
    ]) {
      const ended = await runCommand([...argv, "--openapi", "no/such.yaml", "--policy", path]);
      expect(ended).toMatchObject({ code: 2, stdout: "" });
      expect(ended.stderr).toContain(`--policy ${path}`);
      expect(ended.stderr).toContain(message);
    }
  });

  test("that is neither a preset nor a file is refused with a suggestion", async () => {
    const { code, stderr } = await explain("get_pet", "--policy", "readonly");
    expect(code).toBe(2);
    expect(stderr).toContain(
      "--policy: there is no file readonly. Did you mean the preset readOnly?",
    );
    const other = await explain("get_pet", "--policy", "no/such.json");
    expect(other.stderr).toContain("--policy: the file no/such.json cannot be read (ENOENT).");
  });

  test("with tools that do not exist causes a warning, with suggestions", async () => {
    const policy = rules(
      { effect: "deny", tools: "dlete_*" },
      { id: "typo", effect: "ask", tools: ["get_*", "ad_pet", "*_xyz"] },
      { effect: "deny", permissions: { kind: "network", target: "none" } },
    );
    const warnings = [
      'policy.rules[0].tools (shop) "dlete_*" matches none of the 8 tools; did you mean delete_pet?',
      'policy.rules[1].tools[1] (typo of shop) "ad_pet" matches none of the 8 tools; did you mean add_pet?',
      'policy.rules[1].tools[2] (typo of shop) "*_xyz" matches none of the 8 tools.',
      'policy.rules[2].permissions.target (shop) "none" never matches: the target is METHOD URL, as "DELETE https://api.example.com/pets/*", or an origin, as "https://example.com".',
    ];
    const said = warnings.map((warning) => `toolweave: ${warning}\n`).join("");
    const argv = ["--policy", policy];
    expect(await explain("get_pet", ...argv)).toMatchObject({ code: 0, stderr: said });
    const inspect = ["inspect", "--openapi", shop.documentUrl, "--json"];
    const inspected = await runCommand([...inspect, "--filter", "get_pet", ...argv]);
    expect(inspected).toMatchObject({ code: 0, stderr: said });
    for (const { stdout } of [inspected, await explain("get_pet", "--json", ...argv)]) {
      expect(JSON.parse(stdout)).toMatchObject({ warnings });
    }
    const layers = tempFile(
      "layers.json",
      '["strict", {"rules": [{"effect": "deny", "tools": "x"}]}]',
    );
    expect((await runCommand([...inspect, "--policy", layers])).stderr).toContain(
      'policy[1].rules[0].tools "x"',
    );
  });
});

test("the advice about hints has the key and the file of the tool's source", async () => {
  const { config } = notes({ mcp: {} });
  const { stdout } = await runCommand([
    "policy",
    "explain",
    "notes__read_notes",
    "--config",
    config,
  ]);
  expect(stdout).toContain(`\`mcp.notes.trustAnnotations: true\` in ${config} makes`);
});

describe("policy check", () => {
  test.each([
    ["ls -la", 0, "It runs without asking."],
    [
      "git status && rm -rf build",
      10,
      "ask   Run rm -rf build (rm changes whole folders, or does not ask)",
    ],
    ["echo $(id)", 10, "not understood: a command substitution: $(id)"],
    ["echo x > .git/hooks/y", 20, "It is denied."],
  ])("of %s exits with %i", async (script, code, line) => {
    const ended = await runCommand(["policy", "check", script]);
    expect(ended.code).toBe(code);
    expect(ended.stdout).toContain(line);
  });

  test("uses further policies, which only restrict", async () => {
    const file = rules({ effect: "deny", permissions: { kind: "process", target: "rm *" } });
    const denied = await runCommand(["policy", "check", "ls; timeout 3 rm x", "--policy", file]);
    expect([denied.code, denied.stdout]).toEqual([
      20,
      expect.stringContaining("deny  Run timeout rm x"),
    ]);
    const raised = await runCommand([
      "policy",
      "check",
      "mkdir a",
      "--max-risk",
      "medium",
      "--json",
    ]);
    expect(JSON.parse(raised.stdout)).toMatchObject({ isKnown: true, risk: "medium" });
  });

  test("refuses a risk that there is none of", async () => {
    const empty = await runCommand(["policy", "check", " "]);
    expect([empty.code, empty.stderr.includes("The script is empty")]).toEqual([2, true]);
    const ended = await runCommand(["policy", "check", "ls", "--max-risk", "some"]);
    expect([ended.code, ended.stderr]).toEqual([
      2,
      expect.stringContaining("use none, low, medium or high"),
    ]);
  });
});
