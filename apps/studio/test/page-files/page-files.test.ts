import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readPageFiles } from "@toolweave/console";
import { buildPage, firstLoad, firstLoadLimits } from "../../src/page-files/index.ts";

let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "toolweave-studio-"));
  await buildPage(join(folder, "page"));
});
afterAll(() => rmSync(folder, { recursive: true }));

test("a console can serve the page: the name of every file but the HTML has a hash", async () => {
  const files = await readPageFiles(join(folder, "page"));
  const paths = [...files.keys()];
  expect(paths.filter((path) => !/^\/assets\/[\w-]+-[\w-]{8}\.(?:js|css|svg)$/.test(path))).toEqual(
    ["/index.html"],
  );
  for (const [path, file] of files) expect(file.immutable).toBe(path !== "/index.html");
  expect(files.get("/index.html")?.mediaType).toBe("text/html; charset=utf-8");
});

test("the HTML has no inline script or style, and loads only files of the map", async () => {
  const files = await readPageFiles(join(folder, "page"));
  const html = new TextDecoder().decode(files.get("/index.html")?.bytes);
  expect(html).not.toMatch(/<style|style=|<script(?![^>]* src=)| on\w+=/);
  const loaded = Array.from(html.matchAll(/(?:src|href)="([^"]+)"/g), ([, path = ""]) => path);
  expect(loaded.length).toBeGreaterThan(2);
  expect(loaded.filter((path) => !files.has(path))).toEqual([]);
});

test("the first load stays below its limits, and a screen beyond the first is not part of it", () => {
  const sizes = firstLoad(join(folder, "page"));
  expect(sizes.script).toBeLessThan(firstLoadLimits.script);
  expect(sizes.style).toBeLessThan(firstLoadLimits.style);
  expect(sizes.all).toBeLessThan(firstLoadLimits.all);
  expect(sizes.script).toBeLessThan(sizes.all - sizes.style);
});

test("a first load has the chunks that it imports, and not those that come later", () => {
  const small = join(folder, "small");
  mkdirSync(join(small, ".vite"), { recursive: true });
  const manifest = {
    "main.ts": { file: "main.js", isEntry: true, imports: ["_base.js"], css: ["main.css"] },
    "_base.js": { file: "base.js" },
    "late.ts": { file: "late.js", css: ["late.css"] },
  };
  writeFileSync(join(small, ".vite/manifest.json"), JSON.stringify(manifest));
  for (const name of ["main.js", "base.js", "late.js", "main.css", "late.css"]) {
    writeFileSync(join(small, name), name);
  }
  const { script, style, all } = firstLoad(small);
  expect(script).toBeGreaterThan(style);
  expect(all).toBeGreaterThan(script + style);
});

test("the sources have no HTML sink", async () => {
  const files = await readPageFiles(join(folder, "page"));
  for (const [path, { bytes }] of files) {
    if (!path.endsWith(".js")) continue;
    // Preact has the one for `dangerouslySetInnerHTML`, which no source uses.
    const own = new TextDecoder().decode(bytes).replaceAll(/dangerouslySetInnerHTML/g, "");
    expect(own).not.toMatch(/insertAdjacentHTML|outerHTML|document\.write|new Function|\beval\(/);
  }
});
