import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import type { Locator, Page } from "playwright-core";
import { Pointer } from "./pointer.ts";

const run = promisify(execFile);

/** Whether `img2webp` is on this machine: `apt-get install webp` installs it. */
export const hasImg2webp: boolean = (process.env["PATH"] ?? "")
  .split(delimiter)
  .some((folder) => existsSync(join(folder, "img2webp")));

/** Milliseconds for which frames are displayed, however long it took to take them. */
const displayed = { step: 50, key: 90, look: 900, read: 2_000 } as const;

/** Records how a person finds a tool, calls it, approves the call and reads what happened, as an animated WebP. */
export async function record(page: Page, file: string): Promise<void> {
  const frames = new Frames(page);
  try {
    await page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" });
    // A new page: the drafts of the one before would be in the forms.
    await page.goto(new URL("/", page.url()).href);
    await page.waitForSelector("main h1");
    await perform(page, frames);
    await frames.write(file);
  } finally {
    frames.remove();
  }
}

async function perform(page: Page, frames: Frames): Promise<void> {
  const pointer = new Pointer(page, () => frames.take(displayed.step));
  const click = async (target: Locator): Promise<void> => {
    await pointer.click(target);
    await frames.take(displayed.step * 4);
  };
  const type = async (text: string): Promise<void> => {
    for (const key of text) {
      await page.keyboard.type(key);
      await frames.take(displayed.key);
    }
  };
  await frames.take(displayed.look);
  await click(page.locator("a.nav-link[href='/tools']"));
  await page.waitForSelector(".tool-row");
  await click(page.locator("[data-search]"));
  await type("ticket");
  await page.waitForSelector(".tool-row >> nth=0");
  await frames.take(displayed.look / 2);
  await click(page.locator(".tool-row:has-text('buy_tickets')"));
  await page.waitForSelector(".call-bar");
  await frames.take(displayed.look);

  for (const [name, text] of [
    ["eventId", "5"],
    ["visitor", "Aiko Tanaka"],
    ["quantity", "2"],
  ] as const) {
    await click(page.getByRole("textbox", { name, exact: true }).first());
    await type(text);
  }
  await page.waitForSelector(".call-bar .badge.warning");
  await frames.take(displayed.look / 2);
  await click(page.locator(".call-bar .primary"));

  const approve = page.locator("[data-decision=approve][aria-disabled=false]");
  await approve.waitFor();
  await frames.take(displayed.look);
  await scrollTo(page, frames, ".approval-card");
  await frames.take(displayed.read);
  await click(approve);
  await page.waitForSelector(".approval-card .outcome, .call-result .outcome");
  await scrollTo(page, frames, ".call-result");
  await frames.take(displayed.read);

  await click(page.locator(".call-status a"));
  await page.waitForSelector(".span-row");
  await frames.take(displayed.look);
  await click(page.locator(".span-row").first());
  await page.waitForSelector(".span-details .json-view");
  await frames.take(displayed.read * 1.5);
}

/** Scrolls the detail beside the list in steps, until an element is at its top. */
async function scrollTo(page: Page, frames: Frames, selector: string): Promise<void> {
  const steps = 6;
  const distance = await page
    .locator(selector)
    .first()
    .evaluate((element) => {
      const detail = element.closest(".split-detail");
      if (detail === null) return 0;
      const end = detail.scrollHeight - detail.clientHeight - detail.scrollTop;
      return Math.min(end, element.getBoundingClientRect().top - 16);
    });
  for (let step = 0; step < steps; step++) {
    await page.locator(".split-detail").evaluate((detail, by) => {
      detail.scrollBy(0, by);
    }, distance / steps);
    await frames.take(displayed.step);
  }
}

/** Pictures of the page, each with the time for which it is displayed. */
class Frames {
  readonly #page: Page;
  readonly #folder = mkdtempSync(join(tmpdir(), "toolweave-frames-"));
  readonly #frames: { readonly file: string; readonly ms: number }[] = [];

  constructor(page: Page) {
    this.#page = page;
  }

  async take(ms: number): Promise<void> {
    const file = join(this.#folder, `${String(this.#frames.length).padStart(4, "0")}.png`);
    writeFileSync(file, await this.#page.screenshot({ caret: "initial", scale: "css" }));
    this.#frames.push({ file, ms });
  }

  async write(file: string): Promise<void> {
    const images = this.#frames.flatMap(({ file: frame, ms }) => ["-d", String(ms), frame]);
    const options = ["-loop", "0", "-kmin", "9", "-kmax", "400", "-lossy", "-q", "72", "-m", "4"];
    await run("img2webp", [...options, ...images, "-o", file]);
    const total = this.#frames.reduce((sum, { ms }) => sum + ms, 0);
    process.stdout.write(`${this.#frames.length} frames, ${(total / 1000).toFixed(1)} s\n`);
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
