import { EventEmitter } from "node:events";
import type { BrowserContext } from "playwright-core";
import { expect, test } from "vitest";
import { FloodGuard } from "../../src/browser/page/flood-guard.ts";
import { PageLog } from "../../src/browser/page/page-log.ts";

const openLog = (): PageLog =>
  new PageLog(new EventEmitter() as unknown as BrowserContext, new FloodGuard(() => {}));

test("a refused host is reported once, and is in the list of requests", () => {
  const log = openLog();
  log.addAsked("https://cdn.example/script.js");
  log.addRefused("cdn.example:443");
  log.addRefused("cdn.example:443");
  expect(log.takeNews()).toEqual({ errors: 0, refused: ["cdn.example:443"], notes: [] });
  log.addRefused("cdn.example:443");
  expect(log.takeNews().refused).toEqual([]);
  expect(log.describeRequests()).toBe("refused cdn.example:443");
});

test("a host that a page was refused counts as refused no longer once it was approved", () => {
  const log = openLog();
  log.addAsked("https://shop.example/");
  log.addRefused("shop.example:443");
  log.forgetRefused("shop.example:443");
  expect(log.isRefused("shop.example:443")).toBe(false);
  expect(log.takeNews().refused).toEqual([]);
  log.addRefused("shop.example:443");
  expect(log.isRefused("shop.example:443")).toBe(true);
});

test("a host that no page has asked for is not reported: Chromium makes requests of its own", () => {
  const log = openLog();
  log.addRefused("accounts.example:443");
  expect(log.takeNews().refused).toEqual([]);
  expect(log.describeRequests()).toBe("There were no requests.");
  // The proxy may refuse a connection before the page's request is known.
  log.addAsked("wss://accounts.example/socket");
  expect(log.takeNews().refused).toEqual(["accounts.example:443"]);
});
