#!/usr/bin/env bash
# @modelcontextprotocol/sdk 1.32.2 and @modelcontextprotocol/client 2.4.0: a result is rejected as a whole if a block of
# its content has `annotations: null`, as serializers of Go and Rust write an absent member.
# Seen: "rejected" from both, "accepted" without the member.
set -euo pipefail
cd "$(mktemp -d)"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund @modelcontextprotocol/sdk@1.32.2 @modelcontextprotocol/client@2.4.0 node@24.21.0 >/dev/null
cat >find.mjs <<'JS'
import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
import { Client as Client2 } from "@modelcontextprotocol/client";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";

const initialize = {
  protocolVersion: "2025-06-18",
  capabilities: { tools: {} },
  serverInfo: { name: "s", version: "1" },
};
for (const Client of [Client1, Client2]) {
  for (const more of [{ annotations: null }, {}]) {
    const [near, far] = InMemoryTransport.createLinkedPair();
    const call = { content: [{ type: "text", text: "done", ...more }] };
    const results = { initialize, "tools/call": call };
    far.onmessage = ({ id, method }) => {
      if (id !== undefined) void far.send({ jsonrpc: "2.0", id, result: results[method] ?? {} });
    };
    await far.start();
    const client = new Client({ name: "c", version: "1" });
    await client.connect(near);
    const seen = await client.callTool({ name: "t", arguments: {} }).then(
      () => "accepted",
      () => "rejected",
    );
    console.log(seen);
    await client.close();
  }
}
JS
seen=$(npx --no-install node find.mjs | tr '\n' ' ')
echo "$seen"
[ "$seen" = "rejected accepted rejected accepted " ]
