#!/usr/bin/env bash
# @modelcontextprotocol/sdk 1.32.2: `listTools` of the client rejects the whole list if the output schema of one tool has a
# pattern that is valid only without the flag `u`, such as ^[\w-.]+$. JSON Schema asks for `u` (2020-12 Core 6.4), but
# many servers write such patterns. Of 2.4.0, the client lists both tools.
# Seen: 1.32.2 "Invalid regular expression: …", 2.4.0 "good, bad".
set -euo pipefail
cd "$(mktemp -d)"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund @modelcontextprotocol/sdk@1.32.2 @modelcontextprotocol/client@2.4.0 node@24.21.0 >/dev/null
cat >find.mjs <<'JS'
import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
import { Client as Client2 } from "@modelcontextprotocol/client";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";

const results = {
  initialize: {
    protocolVersion: "2025-06-18",
    capabilities: { tools: {} },
    serverInfo: { name: "s", version: "1" },
  },
  "tools/list": {
    tools: [
      { name: "good", inputSchema: { type: "object" } },
      {
        name: "bad",
        inputSchema: { type: "object" },
        outputSchema: {
          type: "object",
          properties: { name: { type: "string", pattern: "^[\\w-.]+$" } },
        },
      },
    ],
  },
};
for (const Client of [Client1, Client2]) {
  const [near, far] = InMemoryTransport.createLinkedPair();
  far.onmessage = ({ id, method }) => {
    if (id !== undefined) void far.send({ jsonrpc: "2.0", id, result: results[method] ?? {} });
  };
  await far.start();
  const client = new Client({ name: "c", version: "1" });
  await client.connect(near);
  try {
    const { tools } = await client.listTools();
    console.log(tools.map(({ name }) => name).join(", "));
  } catch (error) {
    console.log(error.message.split("\n")[0]);
  }
  await client.close();
}
JS
seen=$(npx --no-install node find.mjs)
echo "$seen"
grep -q "Invalid regular expression" <<<"$(head -1 <<<"$seen")"
[ "$(tail -1 <<<"$seen")" = "good, bad" ]
