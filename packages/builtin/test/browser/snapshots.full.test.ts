import { describe, expect, test } from "vitest";
import { openPages } from "../support/web-server.ts";
import { hasBrowser, openBrowser } from "./support/open-browser.ts";

describe.runIf(hasBrowser)("a snapshot", () => {
  test("says how many closed shadow roots it does not contain", async () => {
    const { origin, host } = await openPages({
      "/": [
        "text/html",
        `<p>outside</p><div id="a"></div><div><template shadowrootmode="closed">declared</template></div>
         <div><template shadowrootmode="open">open</template></div>
         <script>document.getElementById("a").attachShadow({ mode: "closed" }).innerHTML =
           "<p>inside</p><iframe srcdoc='<div></div><script>document.querySelector(\`div\`).attachShadow({mode:\`closed\`})<\\/script>'></iframe>";</script>`,
      ],
      "/open": ["text/html", `<div><template shadowrootmode="open">open</template></div>`],
    });
    const { look } = openBrowser({ allowPrivate: [host] });
    const seen = await look({ action: "navigate", url: origin });
    expect(seen).toContain("The page has 3 closed shadow roots, whose content is not in the");
    expect(seen).toContain("outside");
    expect(seen).not.toContain("inside");
    const open = await look({ action: "navigate", url: `${origin}/open` });
    expect(open).toContain("open");
    expect(open).not.toContain("shadow root");
  });

  test("counts text fields whose text it does not contain", async () => {
    const { origin, host } = await openPages({
      "/": [
        "text/html",
        `<div role="textbox" contenteditable>direct</div><div role="textbox"><p>inner</p></div>
         <div role="textbox"> </div><textarea role="textbox">area</textarea>`,
      ],
    });
    const { look } = openBrowser({ allowPrivate: [host] });
    const seen = await look({ action: "navigate", url: origin });
    expect(seen).toContain("The page has 1 text field, whose text is not in the snapshot.");
    expect(seen).toContain("inner");
    expect(seen).toContain("area");
  });

  // The stated time is less than that of Playwright for one look at a frame without a document.
  test("does not wait for frames without a document", { timeout: 30_000 }, async () => {
    const { origin, host } = await openPages({
      "/": [
        "text/html",
        `<title>Frames</title><button onclick="document.title = 'Clicked'">Click</button><iframe src="/inner"></iframe>
         <iframe src="file:///etc/passwd"></iframe><div style="height: 20000px"></div><iframe loading="lazy" src="/inner"></iframe>`,
      ],
      "/inner": ["text/html", "<p>inner</p>"],
    });
    const { look, act, ref } = openBrowser({ allowPrivate: [host] });
    const seen = await look({ action: "navigate", url: origin });
    expect(seen).toContain("The page has 2 frames, whose document is not loaded");
    expect(seen).toContain("inner");
    const button = ref('button "Click"');
    await look({ action: "snapshot" });
    expect(await act({ action: "click", ref: button })).toContain("Title: Clicked");
  });

  test("names the hosts that the page was refused, and none that Chromium has asked for itself", async () => {
    const { origin, host } = await openPages({
      "/": [
        "text/html",
        `<img src="http://image.test/x.png"><script>new WebSocket("wss://socket.test/");
         new Worker(URL.createObjectURL(new Blob(['new WebSocket("ws://worker.test:81/")'])));</script>`,
      ],
    });
    const { look } = openBrowser({ allowPrivate: [host] });
    const refused = new Set<string>();
    const addRefused = (text: string): void => {
      const [, hosts = ""] = /^Refused, because .*: (.*)$/m.exec(text) ?? [];
      for (const one of hosts.split(", ")) if (one !== "") refused.add(one);
    };
    addRefused(await look({ action: "navigate", url: origin }));
    // Chromium makes requests of its own in its first seconds.
    for (let looks = 0; looks < 6; looks++) addRefused(await look({ action: "wait", seconds: 1 }));
    expect([...refused].toSorted()).toEqual(["image.test:80", "socket.test:443", "worker.test:81"]);
    expect(await look({ action: "network" })).not.toContain("google");
  });

  test(
    "of a page that does not respond is an error that names the tab",
    { timeout: 60_000 },
    async () => {
      const { origin, host } = await openPages({
        "/": ["text/html", `<button onclick="setTimeout(() => { for (;;); })">Loop</button>`],
      });
      const { look, act, ref } = openBrowser({ allowPrivate: [host] });
      await look({ action: "navigate", url: origin });
      await act({ action: "click", ref: ref('button "Loop"') });
      expect(await look({ action: "snapshot" })).toMatch(
        /^timeout: The page in tab 1 does not respond: a script of it may run without end/,
      );
      expect(await look({ action: "close", tab: 1 })).toContain("There are no tabs.");
      expect(await look({ action: "navigate", url: origin })).toContain('button "Loop"');
    },
  );
});
