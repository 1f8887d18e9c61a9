import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { hasChromium } from "@toolweave/test-support/chromium";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { goTo } from "../../studio/test/support/page-driver.ts";
import { startBrowsedStudio, type BrowsedStudio } from "./support/studio-browser.ts";
import { StudioClient, type EndedCall } from "./support/studio.ts";

const secret = "s3cr3t-of-the-fixture-9f8e7d6c5b4a3210";
const attack = "<img src=x onerror=alert(1)><script>alert(2)</script>";
const script = fileURLToPath(new URL("support/hostile-server.mjs", import.meta.url));

/** An API that answers with the headers that it got, and whose document is hostile, too. */
async function openEcho(): Promise<Server> {
  const server = createServer((request, response) => {
    const isDocument = request.url === "/openapi.json";
    response
      .writeHead(200, { "content-type": "application/json", "x-echo": secret })
      .end(JSON.stringify(isDocument ? apiDocument : { headers: request.headers, attack }));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  return server;
}

const operation = (operationId: string): object => ({
  operationId,
  summary: attack,
  description: attack,
  externalDocs: { url: "javascript:alert(10)", description: attack },
  parameters: [
    {
      name: "q",
      in: "query",
      description: attack,
      schema: { type: "string", enum: [attack, "b"] },
    },
    { $ref: `#/${attack}` },
  ],
  responses: { 200: { description: attack } },
});

const apiDocument = {
  openapi: "3.1.0",
  info: { title: attack, version: attack, description: attack },
  servers: [{ url: "/", description: attack }],
  paths: {
    "/echo": { get: operation("echo"), post: operation("echoWrite") },
    [`/${attack}`]: { get: operation(attack) },
  },
};

describe.skipIf(!hasChromium)("sources that attack the page (need chromium)", () => {
  const folder = mkdtempSync(join(tmpdir(), "toolweave-cli-"));
  let echo: Server;
  let studio: BrowsedStudio;
  let client: StudioClient;
  let page: Page;
  const ended = new Map<string, EndedCall>();

  beforeAll(async () => {
    echo = await openEcho();
    const { port } = echo.address() as AddressInfo;
    const config = join(folder, "toolweave.json");
    const env = { API_TOKEN: "${FIXTURE_SECRET}" };
    writeFileSync(
      config,
      JSON.stringify({
        builtin: { memory: true },
        store: join(folder, "state"),
        mcpServers: { hostile: { command: process.execPath, args: [script], env } },
        mcp: { hostile: { trustAnnotations: true } },
        openapi: {
          echo: {
            url: `http://127.0.0.1:${port}/openapi.json`,
            baseUrl: `http://127.0.0.1:${port}`,
            headers: { "X-Api-Key": "${FIXTURE_SECRET}" },
          },
        },
        policy: {
          preset: "supervised",
          rules: [{ tools: ["hostile__say", "memory_store"], effect: "allow", reason: attack }],
        },
      }),
    );
    studio = await startBrowsedStudio([config, "--audit", join(folder, "audit.ndjson")], {
      env: { FIXTURE_SECRET: secret },
    });
    page = await studio.openLink();
    const token = await page.evaluate(
      () =>
        (JSON.parse(sessionStorage.getItem("toolweave.session") ?? "{}") as { token: string })
          .token,
    );
    client = new StudioClient(studio.url, token);
    for (const name of ["say", "large_text", "large_list", "fail", "change"]) {
      ended.set(
        name,
        await client.call(
          `hostile__${name}`,
          name.startsWith("large") ? {} : { text: `${attack} ${secret}` },
        ),
      );
    }
    const memory = { key: attack, content: `${attack} ${secret}`, category: attack };
    ended.set("memory_store", await client.call("memory_store", memory));
    ended.set("echo", await client.call("echo", { q: "b" }));
    ended.set("echo_write", await client.call("echo_write", { q: attack }));
  });
  afterAll(async () => {
    await studio?.close();
    echo.close();
    rmSync(folder, { recursive: true, force: true });
  });

  test("their calls run, and large results are stored", () => {
    const states = Object.fromEntries([...ended].map(([name, { status }]) => [name, status]));
    expect(states).toEqual({
      say: "completed",
      large_text: "completed",
      large_list: "completed",
      fail: "completed",
      change: "interrupted",
      memory_store: "completed",
      echo: "completed",
      echo_write: "interrupted",
    });
  });

  test("are text on every screen: no element, no script, no link, no violation", async () => {
    const runIds = [...ended.values()].map(({ runId }) => runId);
    const keys = JSON.stringify([...ended.values()]).match(/art_[0-9a-f]{32}/g) ?? [];
    expect(keys.length).toBeGreaterThan(1);
    const { approvals } = await client.read<{ approvals: readonly { id: string }[] }>(
      "/api/approvals",
    );
    expect(approvals).toHaveLength(2);
    const { items: memory } = await client.read<{ items: readonly { id: string }[] }>(
      "/api/memory",
    );
    expect(memory).toHaveLength(1);
    const tools = ["hostile__say", "hostile__change", "echo"];
    const screens = [
      "/",
      "/sources",
      "/problems",
      "/tools",
      "/tools?find=model&q=alert",
      ...tools.flatMap((name) =>
        ["call", "schema", "model", "policy", "lock", "history"].map(
          (tab) => `/tools/${name}?tab=${tab}`,
        ),
      ),
      "/runs",
      ...runIds.flatMap((id) => ["", "?tab=table", "?tab=raw"].map((tab) => `/runs/${id}${tab}`)),
      "/approvals",
      ...approvals.map(({ id }) => `/approvals/${id}`),
      "/grants",
      "/tasks",
      ...new Set(keys.map((key) => `/artifacts/${key}`)),
      "/memory",
      ...memory.map(({ id }) => `/memory/${id}`),
      "/policy",
      "/policy?tab=explain&tool=hostile__say",
      "/policy?tab=try",
      "/audit",
      "/lock",
      "/help",
    ];
    const found: string[] = [];
    let displayed = 0;
    for (const path of screens) {
      await goTo(page, path);
      found.push(...(await inspect()).map((fault) => `${path}: ${fault}`));
      if ((await page.textContent("main"))?.includes("onerror=alert") === true) displayed += 1;
    }
    expect(found).toEqual([]);
    // The attacks were there to be seen.
    expect(displayed).toBeGreaterThan(20);
  });

  test("are text in the results of calls from the page, also of 5 MB and of 100,000 items", async () => {
    const found: string[] = [];
    for (const name of [
      "hostile__say",
      "hostile__fail",
      "hostile__large_text",
      "hostile__large_list",
      "echo",
    ]) {
      await goTo(page, `/tools/${name}`);
      await page.click(".call-bar .primary");
      await page.waitForSelector(".outcome");
      found.push(...(await inspect()).map((fault) => `${name}: ${fault}`));
    }
    await goTo(page, "/tools/hostile__change");
    await page.click(".call-bar .primary");
    await page.click("[data-decision=approve][aria-disabled=false]");
    await page.waitForSelector(".outcome");
    found.push(...(await inspect()).map((fault) => `change: ${fault}`));
    expect(found).toEqual([]);
  });

  test("get nothing violated, and the secret is in no byte that was served", async () => {
    expect(studio.faults).toEqual([]);
    const { body } = await client.send<string>("/api/openapi.json");
    expect(body).toMatchObject({ openapi: "3.1.0" });
    const served = studio.served();
    expect(served.length).toBeGreaterThan(1_000_000);
    // It was there, in texts, results, headers and arguments.
    expect(served.split("[redacted]").length).toBeGreaterThan(100);
    for (const written of [secret, encodeURIComponent(secret), btoa(secret).slice(0, -4)]) {
      expect(served.split(written).length - 1).toBe(0);
    }
    expect(studio.studio.printed()).not.toContain(secret);
  });

  /** Lists the attacks that have had an effect on the screen. */
  const inspect = (): Promise<readonly string[]> =>
    page.evaluate(() => {
      const elements = document.querySelectorAll(
        "main :is(img:not([src^='blob:']), script, iframe, object, embed)",
      );
      const links = [...document.querySelectorAll("a")]
        .map(({ href }) => href)
        .filter((href) => !/^https?:/.test(href));
      const hidden = /[\u202e\u200b\u0007\u001b]/.exec(document.body.textContent ?? "");
      return [
        ...[...elements].map(({ outerHTML }) => `the element ${outerHTML.slice(0, 100)}`),
        ...links.map((href) => `the link ${href}`),
        ...(hidden === null ? [] : [`the character ${hidden[0].codePointAt(0)?.toString(16)}`]),
      ];
    });
});
