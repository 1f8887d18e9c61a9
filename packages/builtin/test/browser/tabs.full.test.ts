import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { openPages } from "../support/web-server.ts";
import { hasBrowser, openBrowser, type OpenBrowser } from "./support/open-browser.ts";

const pages = {
  "/": `<title>Opener</title>
    <button onclick="window.open('/alerts')">Same process</button>
    <a href="/alerts" target="_blank" rel="noopener">Other process</a>
    <button onclick="window.open('/plain'); setTimeout(() => alert('late'), 700)">Later</button>
    <button onclick="document.title = prompt('Name?', 'def')">Ask</button>
    <input type="file" style="display: none"><button onclick="document.querySelector('input').click()">Choose</button>
    <button onclick="document.querySelector('input').remove()">Remove</button>
    <button onclick="onbeforeunload = (event) => event.preventDefault()">Keep</button>
    <a href="/plain">Leave</a> <a href="data:text/plain,x" download="x.txt">Get</a>`,
  "/alerts": `<title>Alerts</title><script>alert("hello from the popup")</script>popup`,
  "/plain": `<title>Plain</title>plain`,
} as const;

/** A browser at the page `/`, and its origin. */
async function openOpener(): Promise<OpenBrowser & { readonly origin: string }> {
  const { origin, host } = await openPages(
    Object.fromEntries(Object.entries(pages).map(([path, body]) => [path, ["text/html", body]])),
  );
  const browser = openBrowser({ allowPrivate: [host] });
  await browser.look({ action: "navigate", url: origin });
  return { ...browser, origin };
}

/** Looks until the text is there: a new tab is opened a moment after the click. */
async function lookUntil({ look }: OpenBrowser, args: { action: string }, text: string) {
  let last = "";
  for (let looks = 0; looks < 50 && !last.includes(text); looks++) {
    last = await look(args);
    await sleep(100);
  }
  expect(last).toContain(text);
  return last;
}

describe.runIf(hasBrowser)("a dialog of another tab", () => {
  test("that stops this tab too is named, and can be answered", async () => {
    const browser = await openOpener();
    const { act, look, ref } = browser;
    const clicked = await act({ action: "click", ref: ref('button "Same process"') });
    expect(clicked).toContain("New tab 2: ");
    expect(clicked).toContain("The page does not respond while a dialog waits in tab 2.");
    expect(clicked).toContain("hello from the popup");
    expect(await look({ action: "tabs" })).toContain(
      'waits for the answer to a dialog: alert "hello from the popup"',
    );
    expect(await act({ action: "dialog", accept: true })).toBe(
      'invalid_arguments: Tab 1 has no dialog. Tab 2 has one: alert "hello from the popup". Call browser with action tabs and tab 2 first.',
    );
    expect(await look({ action: "screenshot" })).toBe(
      'invalid_arguments: A dialog in tab 2 stops tab 1 too: alert "hello from the popup". Call browser with action tabs and tab 2, then browser_act with action dialog.',
    );
    expect(await look({ action: "tabs", tab: 2 })).toContain("alert: hello from the popup");
    expect(await act({ action: "dialog", accept: true })).toContain("popup");
    expect(await look({ action: "tabs", tab: 1 })).toContain("Title: Opener");
  });

  test("in a process of its own leaves this tab as it is", async () => {
    const browser = await openOpener();
    await browser.act({ action: "click", ref: browser.ref('link "Other process"') });
    const seen = await lookUntil(browser, { action: "snapshot" }, "A dialog waits in tab 2.");
    expect(seen).toContain("Title: Opener");
    expect(await browser.act({ action: "click", ref: browser.ref('button "Ask"') })).toContain(
      "prompt: Name?",
    );
  });

  test("that its opener has caused stops the opened tab, which is current", async () => {
    const browser = await openOpener();
    await browser.act({ action: "click", ref: browser.ref('button "Later"') });
    await browser.look({ action: "tabs", tab: 2 });
    const seen = await lookUntil(browser, { action: "snapshot" }, "a dialog waits in tab 1");
    expect(seen).toContain('alert "late"');
    expect(await browser.look({ action: "tabs" })).toMatch(/1 \S+; waits for .*\n\* 2 \S+\n/);
    await browser.look({ action: "tabs", tab: 1 });
    await browser.act({ action: "dialog", accept: true });
    expect(await browser.look({ action: "tabs", tab: 2 })).toContain("Title: Plain");
  });
});

describe.runIf(hasBrowser)("a tab", () => {
  test("answers a prompt with its default if no text is given", async () => {
    const { act, ref, look } = await openOpener();
    await act({ action: "click", ref: ref('button "Ask"') });
    expect(await look({ action: "snapshot" })).toContain("prompt: Name?\nDefault: def\n");
    expect(await act({ action: "dialog", accept: true })).toContain("Title: def");
    await act({ action: "click", ref: ref('button "Ask"') });
    expect(await act({ action: "dialog", accept: true, text: "" })).toContain("Title: \n");
    await look({ action: "snapshot" });
    await act({ action: "click", ref: ref('button "Ask"') });
    expect(await look({ action: "scroll" })).toBe(
      'invalid_arguments: A dialog stops the page in tab 1: prompt "Name?". Answer it first: browser_act with action dialog.',
    );
  });

  test("asks before it is left, and accepting leaves it", async () => {
    const { act, ref, look } = await openOpener();
    await act({ action: "click", ref: ref('button "Keep"') });
    const asked = await act({ action: "click", ref: ref('link "Leave"') });
    expect(asked).toContain("To accept it leaves the page.");
    expect(await act({ action: "dialog", accept: false })).toContain("Title: Opener");
    await act({ action: "click", ref: ref('link "Leave"') });
    expect(await act({ action: "dialog", accept: true })).toContain("Title: Plain");
    expect(await look({ action: "snapshot" })).toContain("Title: Plain");
  });

  test("waits for files until it is navigated, or the element is gone", async () => {
    const { act, ref, look } = await openOpener();
    const got = await act({ action: "click", ref: ref('link "Get"') });
    const artifacts = [/artifact (art_\w+)/.exec(got)?.[1] ?? got];
    expect(await act({ action: "click", ref: ref('button "Choose"') })).toContain(
      "The page waits for files",
    );
    expect(await act({ action: "click", ref: ref('button "Remove"') })).not.toContain("waits for");
    expect(await act({ action: "upload", artifacts })).toMatch(/^invalid_arguments: /);
    await look({ action: "snapshot" });
    expect(await act({ action: "click", ref: ref('link "Leave"') })).not.toContain("waits for");
    expect(await look({ action: "back" })).not.toContain("waits for");
    await act({ action: "click", ref: ref('button "Choose"') });
    expect(await act({ action: "click", ref: ref('link "Leave"') })).not.toContain("waits for");
    expect(await act({ action: "upload", artifacts })).toBe(
      "invalid_arguments: The page in tab 1 does not wait for files: name ref. Nothing was done.",
    );
  });
});
