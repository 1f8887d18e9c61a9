import { describe, expect, test } from "vitest";
import type { Hook, JsonObject, Tool } from "@toolweave/core";
import { memoryGrants } from "@toolweave/core/stores";
import {
  call,
  executorFor,
  foreignTool,
  guarded,
  recorded,
  tool,
} from "../support/executor-for.ts";
import { completed, getInterruption } from "../support/outcomes.ts";
import { TestSource } from "../support/test-source.ts";

const trusted = (tool: Tool): TestSource => new TestSource("s", [tool], { trusted: true });
const writing = foreignTool("write", {
  spec: {
    inputSchema: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
  },
  preflight: ({ path }) => [
    { kind: "fs.read", target: "/", summary: "Look" },
    { kind: "fs.write", target: `${String(path)}`, summary: "Write" },
  ],
});

describe("explaining a call", () => {
  test("names the deciding rule of each permission, and the other rules that were evaluated", async () => {
    const executor = executorFor(trusted(writing), {
      policy: [
        {
          name: "org",
          preset: "supervised",
          rules: [
            {
              id: "no-etc",
              permissions: { kind: "fs.write", target: "/etc/**" },
              effect: "deny",
              reason: "not there",
            },
          ],
        },
      ],
    });
    expect(await executor.explain(call("write", { path: "/etc/passwd" }))).toEqual({
      tool: "write",
      advertised: true,
      effect: "deny",
      requests: [
        {
          permission: { kind: "fs.read", target: "/", summary: "Look" },
          effect: "allow",
          rule: "preset:supervised",
          layer: "org",
          reason: "supervised: reads run",
          considered: [expect.objectContaining({ effect: "allow" })],
        },
        {
          permission: { kind: "fs.write", target: "/etc/passwd", summary: "Write" },
          effect: "deny",
          rule: "no-etc",
          layer: "org",
          reason: "not there",
          remedy: expect.stringContaining("The rule no-etc"),
          considered: [expect.objectContaining({ rule: "no-etc" })],
        },
      ],
      arguments: { path: "/etc/passwd" },
    });
    expect(await executor.explain(call("write", { path: "/a" }))).toMatchObject({ effect: "ask" });
  });

  test("of an untrusted tool also names the call itself", async () => {
    const executor = executorFor(new TestSource("s", [writing]));
    expect((await executor.explain(call("write", { path: "/a" }))).requests).toMatchObject([
      { permission: { kind: "custom.call", target: "write" }, effect: "ask" },
      { permission: { kind: "fs.read" } },
      { permission: { kind: "fs.write" } },
    ]);
  });

  test("without arguments describes the tool, and does not run its preflight", async () => {
    let asked = 0;
    const executor = executorFor(
      trusted(foreignTool("t", { preflight: () => ((asked += 1), []) })),
    );
    expect(await executor.explain({ name: "t" })).toMatchObject({
      advertised: true,
      effect: "ask",
      requests: [{ permission: { kind: "custom.call", target: "t" } }],
    });
    expect(asked).toBe(0);
  });

  test("names its problems", async () => {
    const executor = executorFor(trusted(writing));
    expect(await executor.explain({ name: "wriet" })).toMatchObject({
      tool: "wriet",
      advertised: false,
      effect: "deny",
      requests: [],
      problem: { code: "not_found" },
    });
    expect(await executor.explain({ name: "write", arguments: "{" })).toMatchObject({
      advertised: true,
      effect: "deny",
      problem: { code: "invalid_arguments" },
    });
    expect(await executor.explain({ name: "write", arguments: {} })).toMatchObject({
      problem: { code: "invalid_arguments" },
    });
  });

  test("locates each problem of the arguments, and shows valid ones without their secrets", async () => {
    const pay = foreignTool("pay", {
      spec: {
        inputSchema: {
          type: "object",
          properties: {
            to: { type: "object", properties: { "a/b": { type: "integer" } } },
            pin: { type: "string", format: "password" },
          },
          required: ["pin"],
        },
      },
      validate: ({ to }) => (to === undefined ? [{ path: "/to", message: "is unknown" }] : []),
    });
    const executor = executorFor(trusted(pay));
    const explain = (args: JsonObject) => executor.explain({ name: "pay", arguments: args });
    expect((await explain({ to: { "a/b": "x" } })).invalidArguments).toEqual([
      { path: "/pin", message: expect.any(String) },
      { path: "/to/a~1b", message: expect.any(String) },
    ]);
    expect((await explain({ pin: "1234" })).invalidArguments).toEqual([
      { path: "/to", message: "is unknown" },
    ]);
    const valid = await explain({ pin: "1234", to: { "a/b": 1 } });
    expect(valid).not.toHaveProperty("invalidArguments");
    expect(valid.arguments).toEqual({ pin: "[redacted]", to: { "a/b": 1 } });
    expect(await executor.explain({ name: "pay" })).not.toHaveProperty("arguments");
  });

  test("of a tool alone is decided without it, unless the caller or the arguments count", async () => {
    const tools = trusted(foreignTool("read", { spec: { annotations: { readOnlyHint: true } } }));
    const inputs = [tools, new TestSource("u", [foreignTool("drop")]), tool("own")];
    for (const options of [
      {},
      { onAsk: "deny" as const },
      { policy: "readOnly" as const },
      {
        policy: {
          preset: "autonomous" as const,
          rules: [{ tools: "d*", effect: "deny" as const }],
        },
      },
    ]) {
      const executor = executorFor(inputs, options);
      for (const name of ["read", "drop", "own"]) {
        const decided = executor.decideByTool(name);
        expect([name, decided]).toEqual([name, (await executor.explain({ name })).effect]);
      }
      expect(executor.decideByTool("unknown")).toBeUndefined();
    }
    const byCaller = { rules: [{ callers: { id: "ada" }, effect: "allow" as const }] };
    for (const policy of [byCaller, () => ({ effect: "allow" as const })]) {
      expect(executorFor(inputs, { policy: policy as never }).decideByTool("own")).toBeUndefined();
    }
  });

  test("names the reason why the policy hides a tool", async () => {
    const executor = executorFor(tool("write"), { policy: "readOnly" });
    expect(await executor.explain({ name: "write" })).toMatchObject({
      advertised: false,
      effect: "deny",
      requests: [
        { rule: "preset:readOnly", reason: "readOnly: only tools that change nothing run" },
      ],
      problem: { code: "not_advertised" },
    });
  });

  test("depends on the caller, the toolset and the session", async () => {
    const executor = executorFor([tool("a"), tool("b")], {
      policy: {
        preset: "autonomous",
        rules: [{ tools: "a", callers: { id: "eve" }, effect: "deny" }],
      },
    });
    const effect = async (options: object) =>
      (await executor.explain({ name: "a" }, options)).effect;
    expect(await effect({ caller: { id: "ada" } })).toBe("allow");
    expect(await effect({ caller: { id: "eve" } })).toBe("deny");
    const toolset = executor.toolset.select({ include: ["b"] });
    expect(await executor.explain({ name: "a" }, { toolset, caller: { id: "ada" } })).toMatchObject(
      {
        advertised: false,
        problem: { code: "not_advertised" },
      },
    );
  });

  test("uses the values that the host supplies", async () => {
    const executor = executorFor(
      tool("t", undefined, { injected: [{ name: "account", required: true }] }),
    );
    const explained = { name: "t", arguments: {} };
    expect(await executor.explain(explained)).toMatchObject({
      problem: { code: "invalid_configuration" },
    });
    expect(await executor.explain(explained, { injected: { account: 7 } })).toMatchObject({
      effect: "allow",
    });
  });

  test("states that a call that needs approval is refused if there is no approver", async () => {
    const executor = executorFor(guarded(), { onAsk: "deny" });
    expect(await executor.explain({ name: "pay", arguments: {} })).toMatchObject({
      effect: "deny",
      requests: [{ effect: "ask" }],
    });
  });

  test("names the grant that would approve the call", async () => {
    const grants = memoryGrants();
    const executor = executorFor(guarded(), { grants });
    const interruption = getInterruption(
      await executor.execute(call("pay", { n: 1 }), { sessionId: "s" }),
    );
    completed(await executor.resume(interruption, [{ type: "approve", grant: "session" }]));
    const [granted] = await grants.list();
    expect(await executor.explain(call("pay", { n: 1 }), { sessionId: "s" })).toMatchObject({
      effect: "allow",
      requests: [{ effect: "ask", grant: granted }],
    });
    const other = await executor.explain(call("pay", { n: 1 }), { sessionId: "t" });
    expect([other.effect, other.requests[0]?.grant]).toEqual(["ask", undefined]);
  });

  test("runs nothing, calls no hook, emits nothing and counts nothing", async () => {
    const ran: JsonObject[] = [];
    const hooked: string[] = [];
    const hook: Hook = { beforeCall: ({ spec }) => void hooked.push(spec.name) };
    const executor = executorFor(guarded(ran), {
      hooks: [hook],
      audit: { write: () => void hooked.push("audit") },
      onAsk: () => (hooked.push("asked"), { approved: true }),
    });
    const events = recorded(executor);
    await executor.explain(call("pay", { n: 1 }));
    expect([ran, hooked, events]).toEqual([[], [], []]);
  });
});
