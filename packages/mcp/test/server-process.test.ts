import { readFileSync } from "node:fs";
import { afterEach, describe, expect, it, vi } from "vitest";
import { executorOver, oddServer, opened } from "./support/running.ts";
import { libraryServer } from "./support/servers.ts";

afterEach(() => void vi.unstubAllEnvs());

async function say(source: ReturnType<typeof opened>, tool: string): Promise<string> {
  await source.ready;
  const outcome = await executorOver(source).execute({ id: "1", name: tool, arguments: {} });
  if (outcome.status === "interrupted") throw new Error("interrupted");
  const [block] = outcome.result.content;
  return block?.type === "text" ? block.text : "";
}

/** What has ended and was not yet waited for by anybody is no process any more. */
function lives(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH" && process.platform !== "linux";
  }
}

describe("a server that is a child process", () => {
  it("MC32: gets nothing of the host's environment but what programs need", async () => {
    vi.stubEnv("HOST_SECRET", "hush");
    const said = await say(opened(libraryServer), "library__show_environment");
    expect(said).toContain("PATH");
    expect(said).not.toContain("HOST_SECRET");
  });

  it("gets what it is given, and a value whose name looks secret comes out of no executor", async () => {
    const env = { ...libraryServer.env, LIBRARY_TOKEN: "t0ken-of-a-library", SHELF: "attic" };
    const said = await say(opened({ ...libraryServer, env }), "library__show_environment");
    expect(said).toContain("SHELF");
    expect(said).toMatch(/; \[redacted\]$/);
  });

  it("that ends too early makes ready reject with what it wrote to its standard error", async () => {
    const env = { LIBRARY_TOKEN: "t0ken-of-a-library" };
    await expect(opened(oddServer("dies", { env })).ready).rejects.toMatchObject({
      code: "unavailable",
      message: expect.stringMatching(/It said: cannot open the library with \[redacted\]$/),
    });
  });

  it("that cannot be started makes ready reject", async () => {
    const source = opened({ name: "none", command: "/no/such/program" });
    await expect(source.ready).rejects.toMatchObject({
      code: "unavailable",
      message: expect.stringContaining("The MCP server none cannot be connected to"),
    });
    expect(source.tools()).toEqual([]);
  });

  it("that answers too late makes ready reject with timeout", async () => {
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

  it("that ends when it is asked for the newer protocol is started again with the older", async () => {
    const source = opened(oddServer("fragile"));
    await source.ready;
    expect(source.tools()).toHaveLength(3);
  });

  it("ends with the source, and so does what it has started", async () => {
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
