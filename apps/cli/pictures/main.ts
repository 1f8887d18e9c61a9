// Takes the pictures of Studio for the documentation, from the real page of the built command.
import { mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { launchChromium } from "@toolweave/test-support/chromium";
import { reportFaults } from "../../studio/test/support/page-driver.ts";
import { createDemoFolder } from "./demo/demo-folder.ts";
import { startMuseumApi } from "./demo/museum-api.ts";
import { lockTools, makeCalls } from "./demo/seed.ts";
import { record } from "./recording.ts";
import { screens } from "./screens.ts";
import { startStudio } from "./studio-process.ts";
import { takePictures } from "./take-pictures.ts";

const { values } = parseArgs({
  options: { out: { type: "string" }, only: { type: "string", multiple: true } },
});
const root = join(import.meta.dirname, "../../..");
const out = resolve(values.out ?? join(root, "docs/pictures/studio"));

const museum = await startMuseumApi();
const demo = createDemoFolder(museum.url);
const faults: string[] = [];
try {
  await lockTools(demo);
  museum.publishNewDocument();
  await makeCalls(demo);
  mkdirSync(out, { recursive: true });
  const studio = await startStudio(demo);
  const browser = await launchChromium(["--font-render-hinting=none", "--lang=en-GB"]);
  try {
    const context = await browser.newContext({
      viewport: { width: 1280, height: 800 },
      deviceScaleFactor: 1,
      locale: "en-GB",
      timezoneId: "Europe/Berlin",
    });
    const page = await context.newPage();
    await reportFaults(page, studio.url, (fault) => faults.push(fault));
    await page.goto(studio.link);
    await page.waitForSelector("main h1");
    const { only } = values;
    const isChosen = (name: string): boolean => only === undefined || only.includes(name);
    try {
      for (const screen of screens.filter(({ name }) => isChosen(name))) {
        await takePictures(page, screen, out);
        process.stdout.write(`${screen.name}\n`);
      }
      if (isChosen("recording")) await record(page, join(out, "recording.webp"));
    } catch (error) {
      await page.screenshot({ path: join(out, "failed.png") });
      throw error;
    }
  } finally {
    await browser.close();
    await studio.stop();
  }
} finally {
  demo.remove();
  await museum.close();
}
if (faults.length > 0) {
  process.stderr.write(`The page reported:\n${faults.join("\n")}\n`);
  process.exitCode = 1;
}
