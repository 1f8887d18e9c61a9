import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { describe, expect, test } from "vitest";
import { readText } from "../support/open-tools.ts";
import { openPages, openServer, type WebServer } from "../support/web-server.ts";
import { hasBrowser, openBrowser } from "./support/open-browser.ts";

/** A shop with a login, a form, a table, dialogs, a frame, an upload, a download and a popup. */
const pages: Readonly<Record<string, string>> = {
  "/": `<title>Shop</title><h1>Log in</h1><form method="post" action="/login">
    <label>Name <input name="name"></label><label>Password <input name="password" type="password"></label>
    <button>Log in</button></form>`,
  "/orders": `<title>Orders</title><h1>Orders</h1>
    <table><tr><th>Order</th><th>Total</th></tr><tr><td>1001</td><td>25.00</td></tr><tr><td>1002</td><td>40.00</td></tr></table>
    <label>Status <select id="status"><option>open</option><option>sent</option></select></label>
    <label><input type="checkbox" id="gift"> Gift</label>
    <button onclick="if (confirm('Cancel order 1002?')) fetch('/cancel', { method: 'POST' }).then(() => { document.querySelectorAll('tr')[2].remove(); })">Cancel 1002</button>
    <button onclick="document.title = prompt('New title', 'x') ?? 'none'">Rename</button>
    <a href="/export" download>Export</a> <a href="/help" target="_blank">Help</a>
    <iframe src="/chat" title="Chat"></iframe>
    <form method="post" action="/upload" enctype="multipart/form-data"><input type="file" name="file" aria-label="Invoice"><button>Send invoice</button></form>
    <input aria-label="Search" onkeydown="if (event.key === 'Enter') document.querySelector('h1').textContent = 'Results for ' + this.value">`,
  "/chat": `<button onclick="this.textContent = 'Sent: ' + document.querySelector('input').value">Send</button><input aria-label="Message">`,
  "/help": "<title>Help</title><h1>How to return an order</h1>",
};

interface Shop {
  readonly events: string[];
  readonly listener: (request: IncomingMessage, response: ServerResponse) => void;
}

function openShop(): Shop {
  const events: string[] = [];
  const listener = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    await once(request, "end");
    const body = Buffer.concat(chunks).toString();
    const { url = "/", method } = request;
    if (method === "POST")
      events.push(`${url} ${/filename="[^"]*"/.exec(body)?.[0] ?? body}`.trim());
    if (url === "/login") {
      response.writeHead(303, { location: "/orders", "set-cookie": "session=1" }).end();
    } else if (url === "/export") {
      response.writeHead(200, { "content-type": "text/csv" }).end("order,total\n1001,25.00\n");
    } else if (url === "/orders" && !(request.headers.cookie ?? "").includes("session=1")) {
      response.writeHead(303, { location: "/" }).end();
    } else {
      const page = url === "/upload" ? "<h1>Invoice received</h1>" : pages[url];
      response.writeHead(page === undefined ? 404 : 200, { "content-type": "text/html" });
      response.end(`<!doctype html>${page ?? "missing"}`);
    }
  };
  return { events, listener: (request, response) => void listener(request, response) };
}

describe.runIf(hasBrowser)("a browser", () => {
  test("does a task of many steps by the references of its snapshots alone", async () => {
    const shop = openShop();
    const server = await openServer(shop.listener);
    const { look, act, ref } = openBrowser({ allowPrivate: [server.host] });

    // Login.
    expect(await look({ action: "navigate", url: server.origin })).toContain('heading "Log in"');
    await act({ action: "fill", ref: ref('textbox "Name"'), text: "ada" });
    await act({ action: "fill", ref: ref('textbox "Password"'), text: "lovelace" });
    expect(await act({ action: "click", ref: ref('button "Log in"') })).toContain("Title: Orders");
    expect(shop.events).toEqual(["/login name=ada&password=lovelace"]);

    // Table, list and checkbox.
    expect(await look({ action: "snapshot", find: "1002" })).toContain('cell "1002"');
    await look({ action: "snapshot" });
    expect(
      await act({ action: "select", ref: ref('combobox "Status"'), values: ["sent"] }),
    ).toContain('option "sent" [selected]');
    expect(await act({ action: "click", ref: ref('checkbox "Gift"') })).toMatch(
      /checkbox "Gift" \[checked\]/,
    );

    // Dialogs: one that is dismissed, one that is accepted, and one that asks for a text.
    expect(await act({ action: "click", ref: ref('button "Cancel 1002"') })).toContain(
      "confirm: Cancel order 1002?",
    );
    expect(await look({ action: "screenshot" })).toMatch(
      /^invalid_arguments: A dialog stops the page/,
    );
    expect(await act({ action: "dialog", accept: false })).toContain('cell "1002"');
    await act({ action: "click", ref: ref('button "Cancel 1002"') });
    expect(await act({ action: "dialog", accept: true })).not.toContain('cell "1002"');
    expect(shop.events.slice(1)).toEqual(["/cancel"]);
    await act({ action: "click", ref: ref('button "Rename"') });
    expect(await act({ action: "dialog", accept: true, text: "Mine" })).toContain("Title: Mine");

    // A frame.
    await act({ action: "fill", ref: ref('textbox "Message"'), text: "hello" });
    expect(await act({ action: "click", ref: ref('button "Send"') })).toContain(
      'button "Sent: hello"',
    );

    // A key.
    await act({ action: "fill", ref: ref('textbox "Search"'), text: "books", submit: true });
    expect(await look({ action: "snapshot" })).toContain('heading "Results for books"');

    // A download, which becomes an artifact, and is uploaded.
    const downloaded = await act({ action: "click", ref: ref('link "Export"') });
    const artifact =
      /Downloaded export\S* \[text\/plain, 23 bytes, stored as artifact (art_\w+)\]/.exec(
        downloaded,
      )?.[1];
    if (artifact === undefined) throw new Error(downloaded);
    await act({ action: "upload", ref: ref('button "Invoice"'), artifacts: [artifact] });
    expect(await act({ action: "click", ref: ref('button "Send invoice"') })).toContain(
      "Invoice received",
    );
    expect(shop.events.at(-1)).toMatch(/^\/upload filename="export/);

    // A popup, and back.
    await look({ action: "back" });
    const opened = await act({ action: "click", ref: ref('link "Help"') });
    expect(opened).toContain(`New tab 2: ${server.origin}/help`);
    expect(await look({ action: "tabs", tab: 2 })).toContain('heading "How to return an order"');
    expect(await look({ action: "close", tab: 2 })).not.toContain("/help");
    expect(await look({ action: "screenshot" })).toMatch(/\(image\)$/);
    expect(await look({ action: "network" })).toContain(`200 GET ${server.origin}/orders`);
    expect(await look({ action: "close" })).toBe("The browser is closed.");
    expect(await look({ action: "snapshot" })).toMatch(/^invalid_arguments: No browser is open/);
  });

  describe("an action", () => {
    /** A page whose button is named anew when the test says so, and the answers to what it asks. */
    async function openChangingPage() {
      const waiting: ServerResponse[] = [];
      let onChange: () => void = () => {};
      const changed = new Promise<void>((resolve) => {
        onChange = resolve;
      });
      const server = await openServer((request, response) => {
        if (request.url === "/label") return void waiting.push(response);
        if (request.url === "/changed") onChange();
        response.setHeader("content-type", "text/html");
        response.end(
          `<button onclick="fetch('/done', { method: 'POST' })">Save</button>
           <script>fetch("/label").then((answer) => answer.text()).then((name) => {
             document.querySelector("button").textContent = name;
             fetch("/changed");
           });</script>`,
        );
      });
      const rename = async (name: string): Promise<void> => {
        for (const response of waiting) response.end(name);
        await changed;
      };
      return { server, rename };
    }

    const actions = (server: WebServer): string[] =>
      server.requests.filter(({ method }) => method === "POST").map(({ url }) => url ?? "");

    test("asks with the page and the element, and acts when it is approved", async () => {
      const { server } = await openChangingPage();
      const browser = openBrowser({ allowPrivate: [server.host] }, { policy: "supervised" });
      await browser.look({ action: "navigate", url: server.origin });
      const click = { action: "click", ref: browser.ref('button "Save"') };
      const asked = await browser.call("browser_act", click);
      if (asked.status !== "interrupted") throw new Error("It did not ask.");
      const [request] = asked.interruption.requests;
      expect(request).toMatchObject({
        permission: {
          kind: "custom.browser_action",
          target: `${server.origin}/ click button "Save"`,
          summary: `click button "Save" on ${server.origin}/`,
        },
      });
      expect(actions(server)).toEqual([]);
      await browser.executor.resume(asked.interruption, [
        { requestId: request?.id ?? "", type: "approve" },
      ]);
      expect(actions(server)).toEqual(["/done"]);
    });

    test("acts on nothing else when the page has changed while a person decided", async () => {
      const { server, rename } = await openChangingPage();
      const browser = openBrowser({ allowPrivate: [server.host] }, { policy: "supervised" });
      await browser.look({ action: "navigate", url: server.origin });
      const ref = browser.ref('button "Save"');
      const asked = await browser.call("browser_act", { action: "click", ref });
      if (asked.status !== "interrupted") throw new Error("It did not ask.");
      await rename("Delete all");
      const outcome = await browser.executor.resume(asked.interruption, [
        { requestId: asked.interruption.requests[0]?.id ?? "", type: "approve" },
      ]);
      expect(readText(outcome)).toMatch(
        /^invalid_arguments: The element \w+ is gone, or has changed/,
      );
      // The model has to look again; the reference of the same button is another one then.
      await browser.look({ action: "snapshot" });
      expect(browser.ref('button "Delete all"')).not.toBe(ref);
      expect(await browser.act({ action: "click", ref })).toMatch(
        /^invalid_arguments: There is no/,
      );
      expect(actions(server)).toEqual([]);
    });
  });

  test(
    "a download without end is stopped, and the page is still there",
    { timeout: 120_000 },
    async () => {
      const chunk = Buffer.alloc(4_194_304);
      const server = await openServer((request, response) => {
        if (request.url !== "/endless") {
          response.setHeader("content-type", "text/html");
          return void response.end('<a href="/endless" download>Get</a>');
        }
        response.setHeader("content-disposition", "attachment; filename=endless.bin");
        const send = (): void => {
          while (!response.destroyed && response.write(chunk));
        };
        response.on("drain", send);
        send();
      });
      const { look, act, ref } = openBrowser({ allowPrivate: [server.host] });
      await look({ action: "navigate", url: server.origin });
      let text = await act({ action: "click", ref: ref('link "Get"') });
      // The browser may report the download after the click has been answered.
      for (let looks = 0; looks < 100 && !text.includes("was stopped"); looks++) {
        text = await look({ action: "snapshot" });
      }
      expect(text).toMatch(/The download endless\S* was stopped: its maximum is 52428800 bytes\./);
      expect(text).toContain('link "Get"');
    },
  );

  test("the last tab that was closed is replaced", async () => {
    const server = await openPages({ "/": ["text/html", "<p>hello</p>"] });
    const { look } = openBrowser({ allowPrivate: [server.host] });
    await look({ action: "navigate", url: server.origin });
    expect(await look({ action: "close", tab: 1 })).toContain("There are no tabs.");
    expect(await look({ action: "snapshot" })).toMatch(/^unavailable: The browser has ended/);
    expect(await look({ action: "navigate", url: server.origin })).toContain("hello");
  });

  test("SE10: callers and sessions have browsers and profiles of their own", async () => {
    const server = await openServer((request, response) => {
      response.setHeader("content-type", "text/html");
      response.setHeader("set-cookie", "who=first");
      response.end(`<p>cookie ${request.headers.cookie ?? "none"}</p>`);
    });
    const { look } = openBrowser({ allowPrivate: [server.host] });
    const page = { action: "navigate", url: server.origin };
    expect(await look(page, "ada")).toContain("cookie none");
    expect(await look(page, "ada")).toContain("cookie who=first");
    expect(await look(page, "bob")).toContain("cookie none");
    await look({ action: "close" }, "bob");
    expect(await look({ action: "snapshot" }, "ada")).toContain("cookie who=first");
  });
});

test.runIf(hasBrowser && process.getuid?.() === 0)(
  "as root, Chromium's sandbox is not given up silently",
  async () => {
    const { look } = openBrowser({ allow: ["example.com"], sandbox: true });
    expect(await look({ action: "navigate", url: "https://example.com/" })).toMatch(
      /^invalid_configuration: Chromium cannot use its sandbox as root/,
    );
  },
);
