import { runProgram } from "@toolweave/test-support/run-program";
import { expect, it } from "vitest";
import { greets, rawHttp } from "../support/raw-http.ts";

const tools = [{ name: "echo", inputSchema: { type: "object" } }];

/** Lists the tools of a server, without a limit of time, and closes nothing. */
function listing(url: string): string {
  return `
    import { mcpSource } from "@toolweave/mcp";
    const source = mcpSource({ name: "raw", url: "${url}", timeoutMs: 0 });
    await source.ready;
    console.log(source.tools().map(({ spec }) => spec.name).join());
  `;
}

const listed = { code: 0, errors: "", output: "raw__echo\n" };

it("a process that waits to read the rest of a response stays alive, and then ends by itself", async () => {
  let id: unknown;
  const url = await rawHttp((exchange) => {
    const { message, request, response, stream, event } = exchange;
    if (message.method === "tools/list") {
      id = message.id;
      stream();
      response.end("id: 1\nretry: 200\ndata:\n\n");
    } else if (request.headers["last-event-id"] !== undefined) {
      stream();
      response.end(event({ id, result: { tools } }));
    } else greets(exchange);
  });
  expect(await runProgram(listing(url), import.meta.dirname)).toEqual(listed);
});

it("a process that waits for the acknowledgement of a subscription stays alive, and then ends by itself", async () => {
  const url = await rawHttp(({ message, json }) => {
    if (message.method === "server/discover") {
      const capabilities = { tools: { listChanged: true } };
      const serverInfo = { name: "raw", version: "1" };
      json({ result: { supportedVersions: ["2026-07-28"], capabilities, serverInfo } });
    } else if (message.method === "tools/list") {
      json({ result: { resultType: "complete", tools, ttlMs: 0, cacheScope: "public" } });
    } else json({ error: { code: -32_603, message: "Not now." } });
  });
  expect(await runProgram(listing(url), import.meta.dirname)).toEqual(listed);
});
