import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { openWorkspace } from "../support/open-workspace.ts";
import { hasSandbox } from "../support/sandbox-level.ts";

/** A server of this machine that answers with the path, and its port. */
async function openServer(): Promise<number> {
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => (body += chunk.toString()));
    request.on("end", () => response.end(`${request.method} ${request.url} ${body}`.trim()));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

describe.runIf(hasSandbox)("a command in a sandbox with a network", () => {
  const fetchText = (url: string, options = ""): string =>
    `curl -sS --max-time 20 ${options} ${url} || true`;

  test("reaches the hosts of the list, over HTTP and through a tunnel", async () => {
    const port = await openServer();
    const { text } = openWorkspace(
      {},
      { sandbox: "bwrap", network: { allowPrivate: [`localhost:${port}`] } },
    );
    const url = `http://localhost:${port}/hello?a=1`;
    expect(await text("bash", { command: fetchText(url, "-d body") })).toBe("POST /hello?a=1 body");
    expect(await text("bash", { command: fetchText(url, "-p") })).toBe("GET /hello?a=1");
  });

  test("reaches no other host, port or address, and the result says so", async () => {
    const port = await openServer();
    const { text } = openWorkspace(
      {},
      { sandbox: "bwrap", network: { allow: [`localhost:${port}`, "example.com"] } },
    );
    // On the list, but its address is not public.
    const output = await text("bash", { command: fetchText(`http://localhost:${port}/`) });
    expect(output).toContain("refused to connect to a loopback address");
    expect(await text("bash", { command: fetchText("http://evil.test/", "-p") })).toContain(
      "[connections that the workspace does not allow: evil.test:80]",
    );
    // Without the proxy there is no network.
    const direct = await text("bash", {
      command: fetchText(`http://127.0.0.1:${port}/`, "--noproxy '*'"),
    });
    expect(direct).toMatch(/Could(?: not|n't) connect|Failed to connect/);
  });

  test("keeps its exit code, and nothing of it survives", async () => {
    const { call } = openWorkspace({}, { sandbox: "bwrap", network: {} });
    const { result } = await call("bash", { command: "sleep 60 & exit 3" });
    expect(result?.value).toMatchObject({ exitCode: 3, sandbox: "bwrap" });
  });
});
