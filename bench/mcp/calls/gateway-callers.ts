import {
  Client as ClientV2,
  StreamableHTTPClientTransport as HttpV2,
} from "@modelcontextprotocol/client";
import { StdioClientTransport as StdioV2 } from "@modelcontextprotocol/client/stdio";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as StdioV1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport as HttpV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { join } from "node:path";
import { readText, type Caller } from "./callers.ts";
import { inSession } from "./in-session.ts";

/** The server of a client: the echo server, or the program in front of it. */
export const fronts = ["direct", "by hand", "toolweave"] as const;

/** `2026-07-28 toolweave`; the echo server itself does not support the newer protocol. */
export const callers: Readonly<Record<string, (url: string | undefined) => Promise<Caller>>> =
  Object.fromEntries(
    fronts.flatMap((front) => [
      [`2025-11-25 ${front}`, (url: string | undefined) => legacy(front, url)],
      ...(front === "direct"
        ? []
        : [[`2026-07-28 ${front}`, (url: string | undefined) => modern(front, url)] as const]),
    ]),
  );

async function legacy(front: string, url: string | undefined): Promise<Caller> {
  const client = new ClientV1({ name: "bench", version: "1" });
  const transport = url === undefined ? new StdioV1(started(front)) : new HttpV1(new URL(url));
  await client.connect(transport as Parameters<typeof client.connect>[0]);
  const name = await nameIn(client);
  return async (text) => readText(await client.callTool({ name, arguments: { text } }));
}

async function modern(front: string, url: string | undefined): Promise<Caller> {
  const client = new ClientV2(
    { name: "bench", version: "1" },
    { versionNegotiation: { mode: { pin: "2026-07-28" } } },
  );
  await client.connect(url === undefined ? new StdioV2(started(front)) : new HttpV2(new URL(url)));
  const name = await nameIn(client);
  return async (text) => readText(await client.callTool({ name, arguments: { text } }));
}

interface Lists {
  listTools(): Promise<{ readonly tools: readonly { readonly name: string }[] }>;
}

async function nameIn(client: Lists): Promise<string> {
  return (await client.listTools()).tools[0]?.name ?? "";
}

function started(front: string): { command: string; args: string[] } {
  const script = front === "direct" ? "stdio-server.ts" : "front.ts";
  return inSession(["--conditions=@toolweave/source", join(import.meta.dirname, script), front]);
}
