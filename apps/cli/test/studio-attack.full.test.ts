import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { isFullRun } from "@toolweave/test-support";
import { hasChromium } from "@toolweave/test-support/chromium";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { attackFromPage, attackWorker, type AttackedOperation } from "./support/attack-page.ts";
import { openPetShop, type PetShop } from "./support/pet-shop.ts";
import { startBrowsedStudio, type BrowsedStudio } from "./support/studio-browser.ts";
import { StudioClient } from "./support/studio.ts";

const html = "<!doctype html><title>Attack</title><body>Free toys!</body>";

describe.skipIf(!hasChromium)("a page of an attacker in the same browser (needs chromium)", () => {
  let shop: PetShop;
  let attacker: Server;
  let studio: BrowsedStudio;
  let victim: Page;
  let client: StudioClient;
  let operations: readonly AttackedOperation[];

  beforeAll(async () => {
    shop = await openPetShop();
    attacker = createServer((request, response) => {
      const isWorker = request.url === "/worker.js";
      response
        .writeHead(200, {
          "content-type": isWorker ? "text/javascript" : "text/html",
          connection: "close",
        })
        .end(isWorker ? attackWorker : html);
    });
    await once(attacker.listen(0, "127.0.0.1"), "listening");
    studio = await startBrowsedStudio([shop.documentUrl], {
      browserArgs: ["--host-resolver-rules=MAP evil.test 127.0.0.1"],
    });
    victim = await studio.openLink();
    const token = await victim.evaluate(
      () =>
        (JSON.parse(sessionStorage.getItem("toolweave.session") ?? "{}") as { token: string })
          .token,
    );
    client = new StudioClient(studio.url, token);
    operations = await toOperations();
    // A session that is open, without requests of its own during the attacks.
    await victim.evaluate(() => open("about:blank", "_self"));
    await victim.waitForURL("about:blank");
  });
  afterAll(async () => {
    await studio?.close();
    attacker.close();
    await shop.close();
  });

  /** All operations of the document, and the page; the attacker knows the ids and digests. */
  async function toOperations(): Promise<readonly AttackedOperation[]> {
    const waits = await client.call("delete_pet", { id: 1 });
    const { id, digest } = await client.read<{ readonly id: string; readonly digest: string }>(
      `/api/approvals/${waits.approvalId}`,
    );
    const document = await client.read<{ readonly paths: Record<string, object> }>(
      "/api/openapi.json",
    );
    const bodies: Readonly<Record<string, object>> = {
      "/api/approvals/{id}/answers": { digest, answers: [{ type: "approve" }] },
      "/api/calls": { name: "list_pets", arguments: {} },
      "/api/tools/{name}/check": { arguments: {} },
      "/api/policy/explain": { name: "list_pets" },
      "/api/policy/try": { rule: { effect: "allow" } },
      "/session": { code: studio.studio.code },
    };
    const listed = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => ({
        method: method.toUpperCase(),
        path: path
          .replace("/calls/{id}", `/calls/${waits.callId}`)
          .replace("/runs/{id}", `/runs/${waits.runId}`)
          .replace("{id}", id)
          .replace("{key}", "art_0")
          .replace("{name}", "list_pets")
          .replace("{provider}", "openai"),
        body: JSON.stringify(bodies[path] ?? {}),
      })),
    );
    expect(listed.length).toBeGreaterThan(30);
    const all = [
      ...listed,
      { method: "GET", path: "/" },
      { method: "GET", path: "/tools/list_pets" },
    ];
    if (isFullRun) return all;
    // One to decide, one to call, one to read, and the page.
    const chosen = [`/api/approvals/${id}/answers`, "/api/calls", "/api/tools", "/"];
    return all.filter(({ path }) => chosen.includes(path));
  }

  /** Attacks from a page, and checks that it gets no data and that nothing happens. Returns the statuses. */
  async function attack(page: Page): Promise<readonly string[]> {
    const before = shop.requests.length;
    const start = studio.served().length;
    const { sent, read } = await page.evaluate(attackFromPage, { target: studio.url, operations });
    expect(sent).toBeGreaterThan(operations.length * 20);
    const opened: string[] = [];
    for (const path of ["/", "/api/status", "/api/approvals"]) {
      const opening = page.waitForEvent("popup");
      await page.evaluate((url) => void open(url), studio.url + path);
      const popup = await opening;
      await popup.waitForLoadState();
      opened.push(await popup.content());
      await popup.close();
    }
    await page.close();
    const answered = studio.served().slice(start);
    const statuses = new Set(
      [...answered.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status = ""]) => status),
    );
    expect([...statuses].filter((status) => !/^(400|401|403|404|405|408)$/.test(status))).toEqual(
      [],
    );
    expect(answered.toLowerCase()).not.toContain("access-control-");
    // 408 is that of a connection without a request. Neither what was sent nor what a page could read has data.
    const all = [answered, ...read, ...opened].join("\n");
    for (const data of [
      client.token,
      "list_pets",
      "delete_pet",
      shop.url,
      "Toolweave Studio",
      'openapi":',
    ]) {
      expect([data, all.includes(data)]).toEqual([data, false]);
    }
    // Nothing has happened: no call has run, the approval waits, and the session is what it was.
    expect(shop.requests).toHaveLength(before);
    expect(await client.read("/api/approvals")).toMatchObject({
      approvals: [{ status: "pending" }],
    });
    expect(await client.read("/api/grants")).toMatchObject({ grants: [] });
    return [...statuses];
  }

  const openPage = async (url: string): Promise<Page> => {
    const page = await victim.context().newPage();
    await page.goto(url);
    return page;
  };

  test("on another port of the same address gets nothing, and nothing happens", async () => {
    const { port } = attacker.address() as AddressInfo;
    expect(await attack(await openPage(`http://127.0.0.1:${port}/`))).toContain("403");
  });

  test("on another site gets nothing, and nothing happens", async () => {
    const { port } = attacker.address() as AddressInfo;
    expect(await attack(await openPage(`http://evil.test:${port}/`))).toContain("403");
  });

  test("on a name that now resolves to this machine (DNS rebinding) gets nothing", async () => {
    const url = studio.url.replace("127.0.0.1", "evil.test");
    const { port } = attacker.address() as AddressInfo;
    // The name leads to the attacker's server at first, then to Studio.
    studio.connectTo(`http://127.0.0.1:${port}`);
    const page = await openPage(`${url}/`);
    studio.connectTo(studio.studio.url);
    const own = await page.evaluate(attackFromPage, { target: url, operations });
    // Of its own origin it reads every response: all of them are refusals.
    expect(own.read.length).toBeGreaterThan(operations.length);
    const statuses = own.read.flatMap((text) => /^fetch \S+ (\d+)/.exec(text)?.[1] ?? []);
    expect(new Set(statuses)).toEqual(new Set(["403"]));
    for (const text of own.read) expect(text).not.toMatch(/list_pets"|delete_pet|Toolweave Studio/);
    expect(await attack(page)).toContain("403");
  });

  test("on an address of this machine that is no loopback name of Studio is refused", async () => {
    const start = studio.served().length;
    const page = await victim.context().newPage();
    const response = await page.goto(studio.url.replace("127.0.0.1", "localhost"));
    expect(response?.status()).toBe(403);
    expect(studio.served().slice(start)).toContain("host_not_allowed");
    await page.close();
  });
});
