import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { hasChromium, launchChromium } from "@toolweave/test-support/chromium";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hasImg2webp } from "../pictures/recording.ts";

const root = join(import.meta.dirname, "../../..");
const run = promisify(execFile);

/** The pictures that pages name, without their folder. */
function namedPictures(): readonly string[] {
  const texts = ["README.md", "docs/guides/studio.md"].map((page) =>
    readFileSync(join(root, page), "utf8"),
  );
  const names = texts.flatMap((text) =>
    Array.from(text.matchAll(/pictures\/studio\/([\w-]+\.webp)/g), ([, name = ""]) => name),
  );
  return [...new Set(names)].sort();
}

describe.skipIf(!hasChromium || !hasImg2webp)(
  "the pictures of Studio (need chromium and img2webp)",
  () => {
    const folder = mkdtempSync(join(tmpdir(), "toolweave-cli-"));
    afterAll(() => rmSync(folder, { recursive: true, force: true }));

    beforeAll(async () => {
      // The script fails if the page reports an error, a violation of its policy, or a request to another server.
      const script = join(root, "apps/cli/pictures/main.ts");
      await run(process.execPath, [script, "--out", folder], { cwd: root });
    });

    test("all pictures that the pages name are made, and no others are in the repository", () => {
      expect(readdirSync(folder).sort()).toEqual(namedPictures());
      expect(readdirSync(join(root, "docs/pictures/studio")).sort()).toEqual(namedPictures());
    });

    test("no picture is blank", async () => {
      const browser = await launchChromium();
      try {
        const page = await browser.newPage();
        for (const name of namedPictures()) {
          const data = readFileSync(join(folder, name)).toString("base64");
          const { width, height, colours } = await page.evaluate(measure, data);
          expect({ name, width, height }).toEqual({ name, width: 1280, height: 800 });
          expect({ name, isBlank: colours < 100 }).toEqual({ name, isBlank: false });
        }
      } finally {
        await browser.close();
      }
    });
  },
);

/** The size of a picture and the number of its colours, in a browser. */
async function measure(
  data: string,
): Promise<{ readonly width: number; readonly height: number; readonly colours: number }> {
  const bytes = Uint8Array.from(atob(data), (character) => character.codePointAt(0) ?? 0);
  const image = await createImageBitmap(new Blob([bytes], { type: "image/webp" }));
  const { width, height } = image;
  const context = new OffscreenCanvas(width, height).getContext("2d");
  context?.drawImage(image, 0, 0);
  const pixels = context?.getImageData(0, 0, width, height).data ?? [];
  return { width, height, colours: new Set(new Uint32Array(Uint8Array.from(pixels).buffer)).size };
}
