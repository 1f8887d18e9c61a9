import { readFileSync } from "node:fs";
import { afterEach, describe, expect, it, vi } from "vitest";
import { mcpSource } from "../../../src/index.ts";
import { ServerProcess } from "../../../src/transport/stdio/server-process.ts";
import { watchdog } from "../../../src/transport/stdio/watchdog.ts";
import { executorOver, oddServer, opened } from "../../support/open-source.ts";
import { libraryServer } from "../../support/library-options.ts";

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

async function say(source: ReturnType<typeof opened>, tool: string): Promise<string> {
  await source.ready;
  const outcome = await executorOver(source).execute({ id: "1", name: tool, arguments: {} });
  if (outcome.status === "interrupted") throw new Error("interrupted");
  const [block] = outcome.result.content;
  return block?.type === "text" ? block.text : "";
}

/** A process that has exited and was not waited for (a zombie) does not count. */
function lives(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH" && process.platform !== "linux";
  }
}

describe("a server that is a child process", () => {
  it("is ended with its source while it has not answered yet", async () => {
    const silent = [
      "-e",
      "process.stderr.write(`pid ${process.pid};`); setInterval(() => {}, 1000)",
    ];
    const source = mcpSource({ name: "silent", command: process.execPath, args: silent });
    const closed = source.close();
    await expect(source.ready).rejects.toMatchObject({ code: "cancelled" });
    await closed;
  });

  it("MC32: gets only the variables of the host that programs need", async () => {
    vi.stubEnv("HOST_SECRET", "hush");
    const said = await say(opened(libraryServer), "library__show_environment");
    expect(said).toContain("PATH");
    expect(said).not.toContain("HOST_SECRET");
  });

  it("gets the variables of the host for certificates, proxies and npm, without npm's credentials", async () => {
    const shared = [
      "NODE_EXTRA_CA_CERTS",
      "SSL_CERT_FILE",
      "https_proxy",
      "NO_PROXY",
      "NPM_CONFIG_REGISTRY",
    ];
    const withheld = [
      "npm_config__authToken",
      "NPM_CONFIG_KEY",
      "npm_config_//r/:_password",
      "NPM_TOKEN",
    ];
    for (const name of [...shared, ...withheld]) vi.stubEnv(name, "/tmp/x");
    const said = await say(opened(libraryServer), "library__show_environment");
    for (const name of shared) expect(said).toContain(name);
    for (const name of withheld) expect(said).not.toContain(name);
  });

  it("gets its env, and values whose names look secret are redacted", async () => {
    const env = { ...libraryServer.env, LIBRARY_TOKEN: "t0ken-of-a-library", SHELF: "attic" };
    const said = await say(opened({ ...libraryServer, env }), "library__show_environment");
    expect(said).toContain("SHELF");
    expect(said).toMatch(/; \[redacted\]$/);
  });

  it("that exits too early makes ready reject with its standard error", async () => {
    const env = { LIBRARY_TOKEN: "t0ken-of-a-library" };
    await expect(opened(oddServer("dies", { env })).ready).rejects.toMatchObject({
      code: "unavailable",
      message: expect.stringMatching(/Standard error: cannot open the library with \[redacted\]$/),
    });
  });

  it.each([
    [
      "exits",
      "console.log('Usage: shop <port>'); console.error('no port'); process.exitCode = 2;",
      /the server exited with the code 2; its first line that is no JSON-RPC message: "Usage: shop <port>"\. Standard error: no port$/,
    ],
    [
      "speaks no protocol",
      "console.error('port 80'); for (let i = 0; i < 60; i++) console.log('GET / 200'); setInterval(() => {}, 1000);",
      /it is no MCP server over stdio.*"GET \/ 200"\. Standard error: port 80$/,
    ],
  ])(
    "that prints text and %s makes ready reject with the first line and the standard error",
    async (_what, code, message) => {
      const source = opened({ name: "shop", command: process.execPath, args: ["-e", code] });
      await expect(source.ready).rejects.toMatchObject({
        code: "unavailable",
        message: expect.stringMatching(message) as string,
      });
    },
  );

  it("has its last output read if the host was busy when it arrived", async () => {
    const busy = new Int32Array(new SharedArrayBuffer(4));
    vi.spyOn(watchdog, "ended").mockImplementationOnce(() =>
      queueMicrotask(() => Atomics.wait(busy, 0, 0, 500)),
    );
    const args = ["-c", "setsid sh -c 'sleep 0.3; echo last >&2' & sleep 0.1; exit 3"];
    const child = await ServerProcess.start({ name: "last", command: "sh", args });
    await child.ended;
    expect(child.exitReason).toBe("the server exited with the code 3");
    expect(child.output).toBe("last");
  });

  it("that cannot be started makes ready reject", async () => {
    const source = opened({ name: "none", command: "/no/such/program" });
    await expect(source.ready).rejects.toMatchObject({
      code: "unavailable",
      message: expect.stringContaining("The MCP server none cannot be connected to"),
    });
    expect(source.tools()).toEqual([]);
  });

  it("that responds too late makes ready reject with timeout", async () => {
    const source = opened({
      name: "mute",
      command: process.execPath,
      args: ["-e", "process.stdin.resume()"],
      timeoutMs: 50,
    });
    await expect(source.ready).rejects.toMatchObject({
      code: "timeout",
      message: "Connecting to the MCP server mute took more than 50 ms.",
    });
  });

  it("that exits on the newer protocol's probe is restarted with the older protocol", async () => {
    const source = opened(oddServer("fragile"));
    await source.ready;
    expect(source.tools()).toHaveLength(3);
  });

  it("ends with the source, and so do its child processes", async () => {
    const source = opened(oddServer("children"));
    const pid = Number(await say(source, "pid"));
    expect(lives(pid)).toBe(true);
    await source.close();
    await vi.waitFor(() => expect(lives(pid)).toBe(false), 60_000);
  });

  it("ends with a source that was closed before it was ready", async () => {
    const source = opened(libraryServer);
    await source.close();
    await expect(source.ready).rejects.toMatchObject({ code: "cancelled" });
  });
});
