import { writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import type { CDPSession, Page } from "playwright-core";
import { goTo } from "../../studio/test/support/page-driver.ts";
import type { Screen } from "./screens.ts";

/** Text is sharp, and all pictures together stay small. */
const quality = 60;

/** The colours in which each picture is taken. */
const colours = ["light", "dark"] as const;

/** Takes the pictures of a screen in all colours, and writes them into a folder. */
export async function takePictures(page: Page, screen: Screen, folder: string): Promise<void> {
  // From another screen, so that nothing of the one before stays.
  await leaveScreen(page);
  await goTo(page, screen.path);
  await screen.prepare?.(page);
  await page.mouse.move(0, 0);
  await checkTexts(page, screen.name);
  const devtools = await page.context().newCDPSession(page);
  try {
    for (const colorScheme of colours) {
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      const picture = await capture(page, devtools);
      writeFileSync(join(folder, `${screen.name}-${colorScheme}.webp`), picture);
    }
  } finally {
    await devtools.detach();
  }
}

/** Closes what is open, and goes to a screen of which no picture is taken. */
async function leaveScreen(page: Page): Promise<void> {
  await page.keyboard.press("Escape");
  await goTo(page, "/help");
}

/** Takes a picture of what the page displays now. */
async function capture(page: Page, devtools: CDPSession): Promise<Buffer> {
  await page.evaluate(
    () =>
      new Promise((resolve) => {
        requestAnimationFrame(() => requestAnimationFrame(() => resolve(undefined)));
      }),
  );
  const { data } = await devtools.send("Page.captureScreenshot", {
    format: "webp",
    quality,
  });
  return Buffer.from(data, "base64");
}

/** A picture must not show where it was taken. */
async function checkTexts(page: Page, name: string): Promise<void> {
  const text = await page.evaluate(() => document.body.innerText);
  const found = ["toolweave-pictures-", `${homedir()}/`].find((part) => text.includes(part));
  if (found !== undefined) {
    const at = text.indexOf(found);
    throw new Error(
      `${name} shows a path of this machine: ${text.slice(Math.max(0, at - 40), at + 80)}`,
    );
  }
}
