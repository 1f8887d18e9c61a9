import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { AllowedHosts, parseTarget } from "../../src/network/allowed-hosts.ts";
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

describe("the list of hosts", () => {
  const hosts = new AllowedHosts({
    allow: ["example.com", "*.npmjs.org", "api.test:8443"],
    allowPrivate: ["localhost:4873"],
  });

  test.each([
    ["example.com:443", "public"],
    ["EXAMPLE.com:80", "public"],
    ["example.com.:443", "public"],
    ["registry.npmjs.org:443", "public"],
    ["a.b.npmjs.org:443", "public"],
    ["api.test:8443", "public"],
    ["localhost:4873", "given"],
    ["npmjs.org:443", undefined],
    ["evilnpmjs.org:443", undefined],
    ["example.com.evil.test:443", undefined],
    ["example.com:22", undefined],
    ["api.test:443", undefined],
    ["localhost:80", undefined],
    ["127.0.0.1:4873", undefined],
  ])("%s may be reached as %s", (text, reach) => {
    expect(hosts.reachOf(parseTarget(text, 443) ?? { hostname: "", port: 0 })).toBe(reach);
  });

  test.each([
    "user@example.com:443",
    "example.com\0.evil.test",
    "example.com:443/x",
    "",
    "a b",
    ":80",
  ])("%j is no host and port", (text) => {
    expect(parseTarget(text, 443)).toBeUndefined();
  });

  test.each(["https://example.com", "*", "example.com/path", "", 3])(
    "%j is refused as an entry",
    (entry) => {
      expect(() => new AllowedHosts({ allow: [entry as string] })).toThrow(
        "is no host of the network",
      );
    },
  );
});

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
