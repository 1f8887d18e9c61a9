import { createServer } from "node:net";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { runCli } from "../src/program.ts";
import { captureIo } from "./support/captured-io.ts";
import { guardedServer } from "./support/guarded-server.ts";
import { runIn } from "./support/run-cli.ts";
import { tempFile, tempStore } from "./support/temp-file.ts";

/** A port without a listener. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

async function configured(): Promise<{ readonly config: string; readonly redirectUri: string }> {
  const { url } = await guardedServer();
  const redirectUri = `http://127.0.0.1:${await freePort()}/callback`;
  const config = tempFile(
    "toolweave.json",
    JSON.stringify({
      mcpServers: { museum: { url } },
      mcp: { museum: { auth: { oauth: { redirectUri } } } },
    }),
  );
  return { config, redirectUri };
}

const urlIn = (said: string): string => /^ {2}(http\S+)$/m.exec(said)?.[1] ?? "";

test("login waits for the redirect of the browser, and later commands have the token", async () => {
  const { config } = await configured();
  const store = tempStore();
  const run = runIn(store);
  const before = await run(["call", "museum__ask", "--yes", "--config", config]);
  expect(before.code).toBe(4);
  expect(before.stderr).toContain("toolweave login museum");

  const { io, said, stdout, stderr } = captureIo({ env: { TOOLWEAVE_STORE: store } });
  const login = runCli(["login", "museum", "--config", config], io);
  await said("Waiting for the redirect of the browser");
  expect(await (await fetch(urlIn(stderr()))).text()).toContain("return to the terminal");
  expect([await login, stdout()]).toEqual([0, "Signed in to museum.\n"]);

  const after = await run(["call", "museum__ask", "--yes", "--config", config]);
  expect(after).toEqual({ code: 0, stdout: "Signed in.\n", stderr: "" });
  const again = await run(["login", "museum", "--config", config]);
  expect(again.stdout).toBe("museum needs no sign-in, or is signed in already.\n");
});

test.each([
  ["another state", "?code=forged&state=of-another"],
  ["no state", "?code=forged"],
  ["an error and no state", "?error=access_denied"],
])("a request with %s does not end the wait for the browser", async (_, query) => {
  const { config, redirectUri } = await configured();
  const { io, said, stdout, stderr } = captureIo({ env: { TOOLWEAVE_STORE: tempStore() } });
  const login = runCli(["login", "museum", "--config", config], io);
  await said("Waiting for the redirect of the browser");
  expect((await fetch(`${redirectUri}${query}`)).status).toBe(404);
  expect(await (await fetch(urlIn(stderr()))).text()).toContain("return to the terminal");
  expect([await login, stdout()]).toEqual([0, "Signed in to museum.\n"]);
});

test("on a terminal the address may be pasted", async () => {
  const { config, redirectUri } = await configured();
  const { io, stdin, said, stdout, stderr } = captureIo({ terminal: true });
  const login = runCli(["login", "museum", "--config", config], io);
  await said("paste the complete address");
  const { headers } = await fetch(urlIn(stderr()), { redirect: "manual" });
  expect(headers.get("location")).toContain(redirectUri);
  stdin.write(`${headers.get("location")}\n`);
  expect([await login, stdout()]).toEqual([0, "Signed in to museum.\n"]);
});

test("an address of another sign-in is refused", async () => {
  const { config, redirectUri } = await configured();
  const { io, stdin, said, stderr } = captureIo({ terminal: true });
  const login = runCli(["login", "museum", "--config", config], io);
  await said("paste the complete address");
  stdin.write(`${redirectUri}?code=stolen&state=of-another\n`);
  expect(await login).toBe(1);
  expect(stderr()).toContain("toolweave: ");
});

test.each([
  [["nothing"], 'There is no MCP server "nothing"'],
  [["program"], "program is a program: only servers with a URL have a sign-in."],
  [[], "Name the server to sign in to, as the configuration does."],
])("login %j is a usage error", async (words, message) => {
  const config = tempFile("t.json", '{ "mcpServers": { "program": { "command": "x" } } }');
  const { code, stderr } = await runIn(tempStore())(["login", ...words, "--config", config]);
  expect(code).toBe(2);
  expect(stderr).toContain(message);
});

test("a command with --mcp names the sign-in that works for its server", async () => {
  const { url } = await guardedServer();
  const store = tempStore();
  const { code, stderr } = await runIn(store)(["inspect", "--mcp", url]);
  expect([code, stderr]).toEqual([
    4,
    expect.stringContaining(`run \`toolweave login --mcp ${url}\`, or, if it has no OAuth, send`),
  ]);
  expect(stderr).toContain("--header 'Authorization: Bearer $TOKEN'");
  const { io, said, interrupt } = captureIo({ env: { TOOLWEAVE_STORE: store } });
  const login = runCli(["login", "--mcp", url], io);
  await said("Sign in to 127.0.0.1");
  interrupt.abort();
  expect(await login).toBe(130);
});
