import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { mcpSource } from "../../src/index.ts";
import { toArgumentWarnings, getSecrets } from "../../src/options/server-secrets.ts";
import { libraryServer } from "../support/library-options.ts";
import { executorOver, opened } from "../support/open-source.ts";

const server = (...args: string[]) => ({ name: "s", command: "node", args });

describe("SE10 an argument that looks like a credential", () => {
  it.each([
    [["--api-key", "k3y-0f-another"], "k3y-0f-another"],
    [["--token=t0ken-of-another"], "t0ken-of-another"],
    [["-password=pa55word"], "pa55word"],
    [["--figma-api-key=figd_1234567890"], "figd_1234567890"],
    [["--header", "Authorization: Bearer abc.def.123456"], "abc.def.123456"],
    [["-H", "X-Api-Key:k3y-0f-another"], "k3y-0f-another"],
    [["run", "-e", "API_KEY=k3y-0f-another"], "k3y-0f-another"],
    [["run", "-e", "GITHUB_PAT=p4t-0f-another"], "p4t-0f-another"],
    [["--dsn=postgres://ada:pa55-word@db.internal/shop"], "pa55-word"],
    [["run", "ghp_0123456789abcdefghijABCDEFGHIJ"], "ghp_0123456789abcdefghijABCDEFGHIJ"],
    [["x", "sk-proj-0123456789abcdefghij"], "sk-proj-0123456789abcdefghij"],
  ])("causes a warning, and is kept out of all texts: %j", (args, secret) => {
    const problems = toArgumentWarnings(server(...args));
    expect(problems).toMatchObject([{ severity: "warning" }]);
    expect(JSON.stringify(problems)).not.toContain(secret);
    expect([...getSecrets(server(...args))]).toEqual([secret]);
  });

  it.each([
    [["-y", "@modelcontextprotocol/server-filesystem", "/home/ada/secrets"]],
    [["--max-tokens", "100000", "--tokenizer=cl100k_base"]],
    [["--token-file", "/run/secrets/token", "--credentials=/etc/app.json", "--api-key=~/key"]],
    [["--auth", "none", "--password", "", "--token"]],
    [["--password", "--verbose-1", "-e", "API_KEY"]],
    [["--dsn", "sqlite:///data/shop.db", "https://mcp.example.com/sse?v=2"]],
    [["--allow-write", "https://user@example.com/path", "key=value"]],
  ])("does not include: %j", (args) => {
    expect(toArgumentWarnings(server(...args))).toEqual([]);
  });

  it("is rejected if it is a secret of env", () => {
    const env = { GITHUB_TOKEN: "t0ken-of-another", LOG_LEVEL: "verbose-1", KEY_FILE: "/a/b.pem" };
    const made =
      (...args: string[]) =>
      () =>
        mcpSource({ ...server(...args), env });
    expect(made("x", "--auth=t0ken-of-another")).toThrow(
      "mcpSource: args[1] contains the value of env.GITHUB_TOKEN: every user of this machine can read the arguments",
    );
    expect(toArgumentWarnings({ ...server("--log", "verbose-1", "/a/b.pem"), env })).toEqual([]);
  });
});

it.runIf(process.platform === "linux")(
  "SE10: a secret of env is in the arguments of no process",
  async () => {
    const token = `t0ken-${crypto.randomUUID()}`;
    const source = opened({
      ...libraryServer,
      env: { ...libraryServer.env, LIBRARY_TOKEN: token },
    });
    await source.ready;
    await executorOver(source).execute({ id: "1", name: "library__show_cover", arguments: {} });
    const commands = readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name))
      .map((pid) => readCommand(pid));
    expect(commands.some((command) => command.includes("library-server.ts"))).toBe(true);
    expect(commands.filter((command) => command.includes(token))).toEqual([]);
  },
);

function readCommand(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    // It has exited.
    return "";
  }
}
