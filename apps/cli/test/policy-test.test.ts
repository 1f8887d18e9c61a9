import { afterAll, beforeAll, expect, test } from "vitest";
import { openPetShop, type PetShop } from "./support/pet-shop.ts";
import { runCommand, type Ended } from "./support/run-cli.ts";
import { tempFile } from "./support/temp-file.ts";

let shop: PetShop;
beforeAll(async () => {
  shop = await openPetShop();
});
afterAll(() => shop.close());

const rules = [
  { id: "guests", effect: "deny", tools: "delete_*", callers: { roles: "guest" } },
  { effect: "allow", tools: "add_pet", callers: { roles: "admin" } },
  { effect: "deny", permissions: { kind: "network", target: "DELETE */pets/1" } },
];

function tryCases(cases: readonly object[], ...more: string[]): Promise<Ended> {
  const policy = tempFile("rules.json", JSON.stringify({ name: "shop", rules }));
  const file = tempFile("policy.test.json", JSON.stringify({ cases }));
  return runCommand([
    "policy",
    "test",
    file,
    "--openapi",
    shop.documentUrl,
    "--policy",
    policy,
    ...more,
  ]);
}

const admin = { id: "ada", roles: ["admin"] };
const guest = { id: "eve", roles: ["guest"] };
const all = [
  { tool: "delete_pet", caller: guest, expect: "deny", rule: "guests" },
  {
    tool: "add_pet",
    caller: admin,
    expect: "allow",
    rule: "shop rules[1]",
  },
  {
    name: "the first pet stays",
    tool: "delete_pet",
    caller: admin,
    arguments: { id: 1 },
    expect: "deny",
    rule: "rules[2]",
  },
  { tool: "delete_pet", caller: admin, arguments: { id: 2 }, expect: "ask" },
  { tool: "get_pet", caller: guest, expect: "allow", rule: "preset:supervised" },
];

test("decisions that are as expected, by the rules that are expected", async () => {
  expect(await tryCases(all, "--require-coverage")).toEqual({
    code: 0,
    stdout: [
      "ok delete_pet for eve",
      "ok add_pet for ada",
      "ok the first pet stays",
      "ok delete_pet for ada",
      "ok get_pet for eve",
      "5 cases as expected, 0 not; 0 rules without a case",
      "",
    ].join("\n"),
    stderr: "",
  });
  expect(shop.requests.filter(({ method }) => method === "DELETE")).toEqual([]);
});

test.each<[object, string]>([
  [{ tool: "delete_pet", caller: guest, expect: "allow" }, "deny, not allow (shop guests:"],
  [
    { tool: "add_pet", expect: "ask", rule: "guests" },
    "decided by shop preset:supervised, not guests",
  ],
  [{ tool: "get_pet", arguments: { id: {} }, expect: "allow" }, "id"],
  [{ tool: "get_pets_by_name", expect: "allow" }, "There is no tool"],
])("a case that does not hold: %j", async (one, fault) => {
  const { code, stdout } = await tryCases([one]);
  expect(code).toBe(1);
  expect(stdout).toContain("FAILED");
  expect(stdout).toContain(fault);
});

test("a rule that decides no case is listed, and fails if that is required", async () => {
  const { code, stdout } = await tryCases(all.slice(1));
  expect([code, stdout]).toEqual([0, expect.stringContaining("no case shop guests\n")]);
  expect((await tryCases(all.slice(1), "--require-coverage")).code).toBe(1);
  const { stdout: json } = await tryCases(all.slice(1), "--json");
  expect(JSON.parse(json)).toMatchObject({
    uncovered: ["shop guests"],
    cases: [{ name: "add_pet for ada", effect: "allow", rule: "shop rules[1]" }, {}, {}, {}],
  });
});

test.each([
  ['{"cases": []}', 'has no list "cases"'],
  ['{"cases": [{"tool": "x"}]}', "cases[0]: expect is missing"],
  ['{"cases": [{"tool": "x", "expect": "ask", "roles": []}]}', '"roles"'],
  ["{", "this is not valid JSON"],
])("a file that is none is refused: %s", async (text, message) => {
  const file = tempFile("policy.test.json", text);
  const { code, stderr } = await runCommand([
    "policy",
    "test",
    file,
    "--openapi",
    shop.documentUrl,
  ]);
  expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
});
