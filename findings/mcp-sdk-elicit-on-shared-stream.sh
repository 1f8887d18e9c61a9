#!/usr/bin/env bash
# @modelcontextprotocol/server 2.4.0: over Streamable HTTP (2025-11-25), `ctx.mcpReq.elicitInput` and `requestSampling`
# of a tool call send their request on the shared stream (GET), not on the stream of the call: with several calls in
# progress, no client can find out which one asks. `ctx.mcpReq.send` and `log` use the stream of the call (Transports,
# "Sending Messages to the Server", 6: messages on it relate to the request).
# Seen: for each method the stream on which its message arrives.
set -euo pipefail
cd "$(mktemp -d)"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund @modelcontextprotocol/server@2.4.0 node@24.21.0 >/dev/null
cat >find.mjs <<'JS'
import { McpServer, WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/server";

const form = { message: "Name?", requestedSchema: { type: "object", properties: {} } };
const sampling = {
  messages: [{ role: "user", content: { type: "text", text: "?" } }],
  maxTokens: 1,
};
const any = { "~standard": { version: 1, vendor: "find", validate: (value) => ({ value }) } };
const methods = {
  elicitInput: ({ mcpReq }) => mcpReq.elicitInput(form),
  requestSampling: ({ mcpReq }) => mcpReq.requestSampling(sampling),
  send: ({ mcpReq }) => mcpReq.send({ method: "elicitation/create", params: form }, any),
  log: ({ mcpReq }) => mcpReq.log("info", "working"),
};

const server = new McpServer({ name: "s", version: "1" }, { capabilities: { logging: {} } });
for (const [name, ask] of Object.entries(methods)) {
  server.registerTool(name, { description: name }, async (ctx) => {
    // No client answers.
    void ask(ctx).catch(() => {});
    return new Promise(() => {});
  });
}
const transport = new WebStandardStreamableHTTPServerTransport({ sessionIdGenerator: () => "1" });
await server.connect(transport);

const headers = {
  "content-type": "application/json",
  accept: "application/json, text/event-stream",
  "mcp-session-id": "1",
  "mcp-protocol-version": "2025-11-25",
};
const url = "http://localhost/mcp";
const post = (message) => {
  const body = JSON.stringify({ jsonrpc: "2.0", ...message });
  return transport.handleRequest(new Request(url, { method: "POST", headers, body }));
};

/** Resolves with the label when the stream has sent an event with data. */
async function firstEvent(label, { body }) {
  const decoder = new TextDecoder();
  for await (const chunk of body) if (/^data: *\{/m.test(decoder.decode(chunk))) return label;
  return new Promise(() => {});
}

const params = {
  protocolVersion: "2025-11-25",
  capabilities: { elicitation: {}, sampling: {} },
  clientInfo: { name: "c", version: "1" },
};
await (await post({ id: 0, method: "initialize", params })).text();
await post({ method: "notifications/initialized" });
let id = 1;
for (const name of Object.keys(methods)) {
  const shared = await transport.handleRequest(new Request(url, { headers }));
  const call = await post({ id: id++, method: "tools/call", params: { name, arguments: {} } });
  const streams = [firstEvent("shared", shared), firstEvent("call", call)];
  console.log(`${name}: ${await Promise.race(streams)}`);
  transport.closeStandaloneSSEStream();
}
process.exit(0);
JS
seen=$(npx --no-install node find.mjs)
echo "$seen"
[ "$seen" = "elicitInput: shared
requestSampling: shared
send: call
log: call" ]
