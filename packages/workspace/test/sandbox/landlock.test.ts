import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { openWorkspace } from "../support/open-workspace.ts";
import { hasLandlock } from "../support/sandbox-level.ts";

describe.runIf(hasLandlock)("a command in the sandbox landlock", () => {
  const open = () => openWorkspace({ "a.txt": "text\n" }, { sandbox: "landlock" });

  test("reads and writes the workspace, and runs programs of the system", async () => {
    const { text, read } = open();
    expect(await text("bash", { command: "sed s/text/changed/ a.txt > b.txt; cat b.txt" })).toBe(
      "changed",
    );
    expect(read("b.txt").toString()).toBe("changed\n");
    expect(await text("bash", { command: "mktemp -d > /dev/null && git --version" })).toMatch(
      /^git/,
    );
  });

  test("SH24: reads and writes nothing outside", async () => {
    const { text, root } = open();
    const outside = join(root, "..", "canary");
    const output = await text("bash", {
      command: `touch ${outside}; cat /etc/shadow || echo no-read; ls / || echo no-list; ln -s /etc/shadow l; cat l || echo no-link`,
    });
    expect(output).toContain("no-read");
    expect(output).toContain("no-list");
    expect(output).toContain("no-link");
    expect(existsSync(outside)).toBe(false);
  });

  test("SH22: opens no socket, sends no signal to the host and has no capabilities", async () => {
    const { text } = open();
    const output = await text("bash", {
      command: `exec 3<>/dev/tcp/127.0.0.1/9 || true; kill -0 ${process.pid} || echo no-signal; cat /proc/${process.pid}/environ || echo no-environment; grep -E 'CapEff|NoNewPrivs' /proc/self/status`,
    });
    expect(output).toContain("Operation not permitted");
    expect(output).toContain("no-environment");
    expect(output).toContain("CapEff:\t0000000000000000");
    expect(output).toContain("NoNewPrivs:\t1");
  });
});
