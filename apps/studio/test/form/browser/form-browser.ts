import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { extname, join, normalize } from "node:path";
import type { JsonSchema } from "@toolweave/core";
import { launchChromium } from "@toolweave/test-support/chromium";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { build } from "vite";

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' blob:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join("; ");

const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
};

/** A page with a form, built for production and served with the policy of Studio. */
export class FormBrowser implements AsyncDisposable {
  readonly #browser: Browser;
  readonly #context: BrowserContext;
  readonly #url: string;
  readonly #close: () => void;
  /** Violations of the policy and errors of the pages. */
  readonly faults: string[] = [];

  private constructor(browser: Browser, context: BrowserContext, url: string, close: () => void) {
    this.#browser = browser;
    this.#context = context;
    this.#url = url;
    this.#close = close;
  }

  static async start(): Promise<FormBrowser> {
    const outDir = mkdtempSync(join(tmpdir(), "studio-form-"));
    await build({
      root: join(import.meta.dirname, "../page"),
      configFile: false,
      logLevel: "error",
      resolve: { conditions: ["@toolweave/source", "module", "browser"] },
      oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
      build: {
        outDir,
        emptyOutDir: true,
        target: "es2022",
        modulePreload: { polyfill: false },
        assetsInlineLimit: 0,
      },
    });
    const server = createServer((request, response) => {
      const path = normalize(request.url === "/" ? "/index.html" : String(request.url));
      const file = join(outDir, path);
      if (!existsSync(file)) {
        response.writeHead(request.url === "/favicon.ico" ? 204 : 404).end();
        return;
      }
      response.writeHead(200, {
        "content-security-policy": policy,
        "content-type": types[extname(path)] ?? "application/octet-stream",
      });
      response.end(readFileSync(file));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const browser = await launchChromium();
    const { port } = server.address() as AddressInfo;
    const context = await browser.newContext();
    return new FormBrowser(browser, context, `http://127.0.0.1:${port}/`, () => {
      server.close();
      server.closeAllConnections();
      rmSync(outDir, { recursive: true, force: true });
    });
  }

  /** Opens a page with the form of a schema. */
  async open(
    schema: JsonSchema,
    {
      text,
      scheme = "light",
      width = 900,
      injected = [],
    }: {
      text?: string;
      scheme?: "light" | "dark";
      width?: number;
      injected?: readonly { name: string; description?: string }[];
    } = {},
  ): Promise<Page> {
    const page = await this.#context.newPage();
    await page.emulateMedia({ colorScheme: scheme });
    await page.setViewportSize({ width, height: 900 });
    page.on("pageerror", (error) => this.faults.push(String(error)));
    page.on("console", (message) => {
      if (message.type() === "error") this.faults.push(message.text());
    });
    await page.addInitScript(() => {
      document.addEventListener("securitypolicyviolation", (event) => {
        console.error(`${event.violatedDirective} ${event.blockedURI} ${event.sample}`);
      });
    });
    await page.goto(this.#url);
    await page.evaluate(
      (values) => {
        const { show } = (globalThis as unknown as { page: { show: (...all: unknown[]) => void } })
          .page;
        show(...values);
      },
      [schema, text, injected] as unknown[],
    );
    await page.waitForSelector(".schema-form");
    return page;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#browser.close();
    this.#close();
  }
}
