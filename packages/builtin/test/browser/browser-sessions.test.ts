import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { inFullRun } from "@toolweave/test-support";
import { describe, expect, test, vi } from "vitest";
import { browserTools } from "../../src/index.ts";
import { openTools } from "../support/open-tools.ts";
import { openPages } from "../support/web-server.ts";
import { hasBrowser, openBrowser } from "./support/open-browser.ts";

/** The folders of browsers that this process, or another one, has opened. */
function folders(pid: number): readonly string[] {
  return readdirSync(tmpdir()).filter((name) => name.startsWith(`toolweave-browser-${pid}-`));
}

/** The processes of browsers with a folder of a process. */
function processes(pid: number): readonly string[] {
  return readdirSync("/proc").filter((id) => {
    if (!/^\d+$/.test(id)) return false;
    try {
      return readFileSync(`/proc/${id}/cmdline`, "utf8").includes(`toolweave-browser-${pid}-`);
    } catch {
      return false;
    }
  });
}

const page = ["text/html", "<p>hello</p>"] as const;

describe.runIf(hasBrowser && process.platform === "linux")("browsers", () => {
  test("leave no process and no profile, however they end", { timeout: 600_000 }, async () => {
    const server = await openPages({ "/": page });
    const rounds = inFullRun(25, 1);
    for (let round = 0; round < rounds; round += 1) {
      const tools = openTools([
        browserTools({ allowPrivate: [server.host], sandbox: process.getuid?.() !== 0 }),
      ]);
      const callers = ["ada", "bob", "eve", "joe"].map((id) => ({ id }));
      await Promise.all(
        callers.map(async (caller) => {
          const text = await tools.callText(
            "browser",
            { action: "navigate", url: server.origin },
            caller,
          );
          expect(text).toContain("hello");
        }),
      );
      expect(folders(process.pid).length).toBe(4);
      expect(processes(process.pid).length).toBeGreaterThan(4);
      // One by its own call; the others by the source.
      await tools.callText("browser", { action: "close" }, callers[0]);
      expect(folders(process.pid).length).toBe(3);
      await tools.executor.registry.close();
      expect(folders(process.pid)).toEqual([]);
      expect(processes(process.pid)).toEqual([]);
    }
  });

  test("end with their host, however it ends, and the next one deletes what they left", async () => {
    const server = await openPages({ "/": page });
    const program = new URL("support/hosting-process.ts", import.meta.url).pathname;
    const host = spawn(
      process.execPath,
      ["--conditions=@toolweave/source", program, server.origin, server.host],
      { stdio: ["ignore", "pipe", "inherit"] },
    );
    const pid = host.pid ?? 0;
    const [line] = (await once(host.stdout, "data")) as [Buffer];
    expect(line.toString()).toBe("open\n");
    expect(processes(pid).length).toBeGreaterThan(1);
    host.kill("SIGKILL");
    await once(host, "exit");
    await vi.waitFor(() => expect(processes(pid)).toEqual([]), 60_000);
    expect(folders(pid).length).toBe(1);

    const { look } = openBrowser({ allowPrivate: [server.host] });
    expect(await look({ action: "navigate", url: server.origin })).toContain("hello");
    expect(folders(pid)).toEqual([]);
  });

  test("are opened anew after a crash", async () => {
    const server = await openPages({ "/": page });
    const { look } = openBrowser({ allowPrivate: [server.host] });
    const navigate = { action: "navigate", url: server.origin };
    await look(navigate);
    for (const pid of processes(process.pid)) {
      try {
        process.kill(Number(pid), "SIGKILL");
      } catch {
        // It has ended with another one.
      }
    }
    await vi.waitFor(
      async () =>
        expect(await look({ action: "snapshot" })).toMatch(/No browser is open|has ended/),
      60_000,
    );
    expect(await look(navigate)).toContain("hello");
  });

  test.runIf(inFullRun(true, false))(
    "are four of one caller at most, and sixteen of all",
    { timeout: 240_000 },
    async () => {
      const server = await openPages({ "/": page });
      const tools = openTools([
        browserTools({ allowPrivate: [server.host], sandbox: process.getuid?.() !== 0 }),
      ]);
      const navigate = { action: "navigate", url: server.origin };
      /** One browser for each agent: agents of a caller share its limit. */
      const open = (id: string, agents: number): Promise<string[]> =>
        Promise.all(
          Array.from({ length: agents }, (_, agent) =>
            tools.callText("browser", navigate, { id, agent: `${agent}` }),
          ),
        );
      const texts = await open("greedy", 6);
      expect(texts.filter((text) => text.includes("hello")).length).toBe(4);
      const refused = texts.filter((text) =>
        text.startsWith("limit_exceeded: 4 browsers of this caller are open"),
      );
      expect(refused.length).toBe(2);
      await open("ada", 4);
      await open("bob", 4);
      expect((await open("eve", 4)).every((text) => text.includes("hello"))).toBe(true);
      expect(await open("joe", 1)).toEqual([
        expect.stringMatching(/^limit_exceeded: 16 browsers of all callers are open/),
      ]);
      // One that is closed makes room again.
      await tools.callText("browser", { action: "close" }, { id: "greedy", agent: "0" });
      const again = await open("greedy", 1);
      expect(again.join("")).toContain("hello");
    },
  );
});
