import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { openServer } from "../support/web-server.ts";
import { hasBrowser, openBrowser, type OpenBrowser } from "./support/open-browser.ts";

const text = `const text = "x".repeat(1_000_000);`;
const large = `const large = Object.fromEntries(Array.from({ length: 200 }, (_, i) => ["k" + i, "v".repeat(100)]));`;

/** Scripts that cause events without end. Without a bound each of them fills the memory of the host. */
const floods: Readonly<Record<string, string>> = {
  "short messages": `for (;;) console.log("x");`,
  "long messages": `${text} for (;;) console.log(text);`,
  objects: `${large} for (;;) console.log(large, large, large);`,
  "messages of a worker": `new Worker(URL.createObjectURL(new Blob(['${text} for (;;) console.log(text);'])));`,
  errors: `${text} setInterval(() => { for (let i = 0; i < 50; i++) setTimeout(() => { throw new Error(text); }); }, 10);`,
  rejections: `setInterval(() => { for (let i = 0; i < 500; i++) Promise.reject(new Error("x".repeat(1_000))); }, 10);`,
  "requests without an answer": `setInterval(() => { for (let i = 0; i < 100; i++) fetch("/hang?" + "q".repeat(1_000) + i); }, 10);`,
  "refused requests": `setInterval(() => { for (let i = 0; i < 100; i++) fetch("http://h" + Math.random() + ".test/").catch(() => {}); }, 10);`,
  tabs: `setInterval(() => { for (let i = 0; i < 5; i++) window.open("about:blank"); }, 10);`,
  sockets: `setInterval(() => { for (let i = 0; i < 50; i++) new WebSocket("ws://" + location.host); }, 10);`,
};

/** Of these Chromium makes few enough: the page stays. */
const bounded = `
  setInterval(() => { const link = document.createElement("a"); link.href = "data:application/octet-stream,xx"; link.download = "f"; link.click(); }, 5);
  setInterval(() => { location.hash = "#" + Math.random(); }, 5);
  setInterval(() => { const frame = document.createElement("iframe"); document.body.append(frame); setTimeout(() => frame.remove(), 50); }, 20);
  setInterval(() => { const worker = new Worker(URL.createObjectURL(new Blob(["1"]))); setTimeout(() => worker.terminate(), 100); }, 20);
  setInterval(() => { for (let i = 0; i < 100; i++) postMessage("x".repeat(10_000)); }, 10);
  setInterval(() => { const opened = window.open("about:blank"); opened?.close(); }, 500);
  const url = "data:," + "x".repeat(5_000_000); setInterval(() => fetch(url), 50);
  setTimeout(() => setInterval(() => alert("x".repeat(100_000)), 1), 3_000);`;

const maxGrowth = 250_000_000;

/** Opens a page with a script that begins a moment later. */
async function openFlood(script: string): Promise<OpenBrowser> {
  const server = await openServer((request, response) => {
    if (request.url?.startsWith("/hang") === true) return;
    response.setHeader("content-type", "text/html");
    response.end(`<body>page<script>setTimeout(() => { ${script} }, 300);</script>`);
  });
  const browser = openBrowser({ allowPrivate: [server.host] });
  await browser.look({ action: "navigate", url: server.origin });
  return browser;
}

const measure = (): number => process.memoryUsage().heapUsed + process.memoryUsage().external;

describe.runIf(hasBrowser)("a page without end", () => {
  test.each(Object.entries(floods))("of %s is closed", { timeout: 90_000 }, async (_, script) => {
    const { look } = await openFlood(script);
    const before = measure();
    let peak = 0;
    const closed = /There are no tabs|was closed, because/;
    let tabs = "";
    for (let waits = 0; waits < 300 && !closed.test(tabs); waits++) {
      await sleep(200);
      peak = Math.max(peak, measure());
      tabs = await look({ action: "tabs" });
    }
    expect(tabs).toMatch(closed);
    expect(peak - before).toBeLessThan(maxGrowth);
  });

  test("of what Chromium bounds stays", { timeout: 60_000 }, async () => {
    const { look } = await openFlood(bounded);
    const before = measure();
    await sleep(5_000);
    expect(measure() - before).toBeLessThan(maxGrowth);
    const stopped = /^\* 1 .*waits for the answer to a dialog/m;
    let tabs = "";
    for (let waits = 0; waits < 100 && !stopped.test(tabs); waits++) {
      tabs = await look({ action: "tabs" });
      await sleep(100);
    }
    expect(tabs).toMatch(stopped);
  });
});
