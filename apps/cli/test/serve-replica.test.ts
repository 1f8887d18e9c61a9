import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import { expect, onTestFinished, test, vi } from "vitest";
import { startBin } from "./support/run-bin.ts";
import { runCommand } from "./support/run-cli.ts";
import { tempFile, tempStore } from "./support/temp-file.ts";

const key = "the same thirty-two bytes everywhere";

const tools = `
export default [{
  spec: {
    name: "where",
    description: "Returns the process.",
    inputSchema: { type: "object", properties: {} },
    annotations: { readOnlyHint: true },
    provenance: { adapter: "test" },
  },
  invoke: () => ({ content: [{ type: "text", text: String(process.pid) }] }),
}];
`;

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

interface Started {
  readonly url: string;
  readonly child: ReturnType<typeof startBin>;
  readonly said: () => string;
}

/** Starts a gateway; its configuration is the same for all. */
async function start(
  folder: { readonly config: string; readonly store: string },
  env: Readonly<Record<string, string>> = {},
): Promise<Started> {
  const port = await freePort();
  const child = startBin(["serve", "--http", `127.0.0.1:${port}`, "--config", folder.config], {
    env: { TOOLWEAVE_STORE: folder.store, TOOLWEAVE_KEY: key, GATEWAY_PORT: String(port), ...env },
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (said += text));
  await vi.waitFor(() => expect(said).toContain("Serving"), 60_000);
  return { url: `http://127.0.0.1:${port}/mcp`, child, said: () => said };
}

function sharedFolder(replica: object): { readonly config: string; readonly store: string } {
  const module = tempFile("tools.mjs", tools);
  const config = JSON.stringify({ tools: [module], serve: { replica } });
  return { config: tempFile("toolweave.json", config), store: tempStore() };
}

const ask = (url: string, body: object, session?: string): Promise<Response> =>
  fetch(url, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...(session === undefined ? {} : { "mcp-session-id": session }),
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, ...body }),
  });

async function startSession(url: string): Promise<string> {
  const params = {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "raw", version: "1" },
  };
  const response = await ask(url, { method: "initialize", params });
  await response.text();
  return response.headers.get("mcp-session-id") ?? "";
}

const call = { method: "tools/call", params: { name: "where", arguments: {} } };

test("two processes with the same configuration, key and store serve the sessions of each other, and one that is stopped drains first", async () => {
  const folder = sharedFolder({ url: "http://127.0.0.1:${GATEWAY_PORT}/mcp", drainDelayMs: 1_000 });
  const [one, other] = [await start(folder), await start(folder)];
  const session = await startSession(one.url);
  const answer = await (await ask(other.url, call, session)).text();
  expect(answer).toContain(`"text":"${String(one.child.pid)}"`);

  const ready = async (): Promise<number> => (await fetch(new URL("/readyz", one.url))).status;
  expect(await ready()).toBe(200);
  const exited = once(one.child, "exit");
  one.child.kill("SIGTERM");
  await vi.waitFor(async () => expect(await ready()).toBe(503), 60_000);
  expect((await ask(other.url, call, session)).status).toBe(200);
  expect(await startSession(one.url)).toBe("");
  expect(await exited).toEqual([0, null]);
  expect((await ask(other.url, call, session)).status).toBe(404);
});

test("metrics are at the standard place of Prometheus if the standard variables ask for that", async () => {
  const port = await freePort();
  const { url } = await start(sharedFolder({ url: "http://127.0.0.1:${GATEWAY_PORT}/mcp" }), {
    OTEL_METRICS_EXPORTER: "prometheus",
    OTEL_EXPORTER_PROMETHEUS_HOST: "127.0.0.1",
    OTEL_EXPORTER_PROMETHEUS_PORT: String(port),
  });
  const session = await startSession(url);
  await (await ask(url, call, session)).text();
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  const measured = (name: string, ...labels: readonly string[]): boolean =>
    text
      .split("\n")
      .some((line) => line.startsWith(name) && labels.every((label) => line.includes(label)));
  expect({
    calls: measured(
      "mcp_server_operation_duration_",
      'mcp_method_name="tools/call"',
      'gen_ai_tool_name="where"',
      "toolweave_tool_source=",
    ),
    tools: measured("gen_ai_execute_tool_duration_", 'gen_ai_tool_name="where"'),
    sessions: measured("toolweave_gateway_sessions", " 1"),
  }).toEqual({ calls: true, tools: true, sessions: true });
  // The arguments of the command may be secret.
  expect(text).not.toContain("process_command");
  await fetch(new URL("/readyz", url));
  const later = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  expect(later).toMatch(/toolweave_store_operation_duration_\w+\{[^}]*tasks[^}]*list/);
});

test("a replica whose URL refers to a variable that is not set is refused, and other commands read the configuration", async () => {
  const { config } = sharedFolder({ url: "http://${NO_SUCH_NAME}:8137/mcp" });
  const { code, stderr } = await runCommand(["serve", "--http", "127.0.0.1:0", "--config", config]);
  expect([code, stderr]).toEqual([2, expect.stringContaining("set the variable")]);
  expect((await runCommand(["inspect", "--config", config])).code).toBe(0);
});

test.each([
  [["--replica-url", "http://10.0.0.5:8137/mcp"], "--replica-url applies to --http only"],
  [["--http", "--replica-url", "10.0.0.5:8137"], "--replica-url must be the internal URL"],
])("%j is refused", async (args, message) => {
  const { code, stderr } = await runCommand(["serve", tempFile("tools.mjs", tools), ...args]);
  expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
});
