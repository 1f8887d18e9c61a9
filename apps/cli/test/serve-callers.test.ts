import { once } from "node:events";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { ToolExecutor, ToolRegistry, type ToolOutcome } from "@toolweave/core";
import type { AuditRecord } from "@toolweave/core/stores";
import { mcpSource } from "@toolweave/mcp";
import { expect, onTestFinished, test } from "vitest";
import { notes } from "./support/notes.ts";
import { awaitEnd, runBin, startBin } from "./support/run-bin.ts";
import { runCommand } from "./support/run-cli.ts";
import { tempStore } from "./support/temp-file.ts";

interface Gateway {
  readonly url: string;
  readonly store: string;
  readonly printed: string;
}

async function startGateway(config: string, args: readonly string[] = []): Promise<Gateway> {
  const store = tempStore();
  const child = startBin(["serve", "--config", config, "--http", "127.0.0.1:0", ...args], {
    env: { TOOLWEAVE_STORE: store, GATEWAY_TOKEN: "0123456789abcdef" },
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let printed = "";
  child.stderr.setEncoding("utf8");
  while (!/ at \S+\/mcp\n/.test(printed)) printed += String((await once(child.stderr, "data"))[0]);
  const [, url = ""] = / at (\S+\/mcp)/.exec(printed) ?? [];
  return { url, store, printed };
}

/** The tools of a gateway for a caller, and the outcome of a call. */
async function asCaller(url: string, token: string) {
  const source = mcpSource({ name: "gateway", url, prefix: false, auth: { bearer: token } });
  onTestFinished(() => source.close());
  const registry = new ToolRegistry([source]);
  const executor = new ToolExecutor({ registry, policy: "autonomous" });
  await source.ready;
  return {
    tools: [...registry.toolset().names()].toSorted(),
    call: (name: string, args = {}): Promise<ToolOutcome> =>
      executor.execute({ id: "1", name, arguments: args }),
  };
}

const addCaller = async (config: string, name: string, ...more: string[]): Promise<string> => {
  const { stdout } = await runCommand(["token", "add", name, "--config", config, ...more]);
  return stdout.trim();
};

function records(store: string): readonly AuditRecord[] {
  const text = readFileSync(join(dirname(store), "audit.jsonl"), "utf8");
  return text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as AuditRecord);
}

const answered = ({ result }: ToolOutcome): string => JSON.stringify(result?.content);

test("callers of the configuration have their own rights, approvals and records", async () => {
  const { config, written } = notes({
    policy: {
      rules: [{ effect: "deny", tools: "*write_note", callers: { roles: "guest" } }],
    },
  });
  const [ada, bob, guest] = [
    await addCaller(config, "ada", "--role", "editor"),
    await addCaller(config, "bob", "--role", "editor"),
    await addCaller(config, "eve", "--role", "guest"),
  ];
  expect(readFileSync(config, "utf8")).not.toContain(ada);
  const { url, store, printed } = await startGateway(config, ["--approvals", "out-of-band"]);
  expect(printed).toContain("to 3 callers with tokens, at ");
  expect(printed).not.toContain("All clients are one caller");

  const asGuest = await asCaller(url, guest);
  expect(asGuest.tools).toEqual(["notes__read_notes"]);
  expect(answered(await asGuest.call("notes__read_notes"))).toContain("Milk.");
  const asAda = await asCaller(url, ada);
  expect(asAda.tools).toEqual(["notes__read_notes", "notes__write_note"]);
  const asked = answered(await asAda.call("notes__write_note", { text: "Tea." }));
  const [, id = ""] = /approvals approve ([0-9a-f-]{36})/.exec(asked) ?? [];
  const approved = await runBin(
    ["approvals", "approve", id, "--always", "--by", "grace", "--store", store],
    { env: { TOOLWEAVE_STORE: store } },
  );
  expect(approved).toMatchObject({ code: 0 });
  // Hers is remembered, and not for him.
  expect(answered(await asAda.call("notes__write_note", { text: "Tea." }))).toContain("Written.");
  const asBob = await asCaller(url, bob);
  expect(answered(await asBob.call("notes__write_note", { text: "Tea." }))).toContain(
    "approvals approve",
  );
  expect(written()).toBe("Tea.\nTea.\n");
  // A tool that is hidden from her, called all the same.
  const response = await fetch(url, {
    method: "POST",
    headers: {
      authorization: `Bearer ${guest}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": "tools/call",
      "mcp-name": "notes__write_note",
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: {
        name: "notes__write_note",
        arguments: { text: "No." },
        _meta: {
          "io.modelcontextprotocol/protocolVersion": "2026-07-28",
          "io.modelcontextprotocol/clientInfo": { name: "c", version: "1" },
          "io.modelcontextprotocol/clientCapabilities": {},
        },
      },
    }),
  });
  expect(await response.text()).toContain("may not be called here");
  expect((await fetch(url, { method: "POST" })).status).toBe(401);

  const caller = (name: string, role: string) => ({ id: `token:${name}`, roles: [role] });
  expect(records(store)).toMatchObject([
    {
      tool: "notes__read_notes",
      decision: "allowed",
      caller: caller("eve", "guest"),
      from: "serve",
    },
    { tool: "notes__write_note", decision: "asked", caller: caller("ada", "editor") },
    { decision: "approved", caller: caller("ada", "editor"), by: "grace", from: "approvals" },
    { decision: "granted", caller: caller("ada", "editor"), from: "serve" },
    { decision: "asked", caller: caller("bob", "editor"), from: "serve" },
    {
      decision: "denied",
      caller: caller("eve", "guest"),
      code: "not_advertised",
      rule: "policy rules[0]",
    },
  ]);
});

test("without callers a gateway says what that means, and remembers no approval", async () => {
  const { config, written } = notes();
  const { url, store, printed } = await startGateway(config, [
    "--approvals",
    "out-of-band",
    "--token-env",
    "GATEWAY_TOKEN",
  ]);
  expect(printed).toContain("All clients are one caller");
  const { call } = await asCaller(url, "0123456789abcdef");
  const asked = answered(await call("notes__write_note", { text: "Tea." }));
  const [, id = ""] = /approvals approve ([0-9a-f-]{36})/.exec(asked) ?? [];
  const env = { TOOLWEAVE_STORE: store };
  const always = await runBin(["approvals", "approve", id, "--always", "--store", store], { env });
  expect(always.code).not.toBe(0);
  expect(written()).toBe("");
  const once = await runBin(["approvals", "approve", id, "--store", store], { env });
  expect(once).toMatchObject({ code: 0 });
  expect(written()).toBe("Tea.\n");
  expect(answered(await call("notes__write_note", { text: "Tea." }))).toContain(
    "approvals approve",
  );
});

test.each<[string, object, readonly string[], string]>([
  [
    "a token for all beside them",
    { callers: {} },
    ["--token-env", "GATEWAY_TOKEN"],
    "use one of them",
  ],
  [
    "an issuer without an audience",
    { callers: { issuers: [{ issuer: "https://id.example.com" }] } },
    [],
    'needs an "audience"',
  ],
  [
    "a variable that is not set",
    { callers: { issuers: [{ issuer: "${ISSUER_NOT_SET}", audience: "a" }] } },
    [],
    "set the variable",
  ],
])("callers are refused: %s", async (_, serve, args, message) => {
  const { config } = notes({ serve });
  const { code, stderr } = await awaitEnd(
    startBin(["serve", "--config", config, "--http", "127.0.0.1:0", ...args], {
      env: { GATEWAY_TOKEN: "0123456789abcdef" },
    }),
  );
  expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
});
