// Copies the pages of the documentation that concern the package in the current folder into its `docs` folder, which is
// published with it. Runs before the package is packed.
import { globSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, posix, relative, resolve } from "node:path";
import { docBlocks } from "./lib/doc-blocks.ts";
import { mapLinks } from "./lib/markdown-links.ts";

const repository = "https://github.com/toolweave/toolweave/blob/main";
const pictures = "https://raw.githubusercontent.com/toolweave/toolweave/main";
const root = resolve(import.meta.dirname, "..");
const folder = relative(root, process.cwd()).replaceAll("\\", "/");
const { name } = JSON.parse(readFileSync("package.json", "utf8")) as { readonly name: string };

const linked = new Set<string>();
mapLinks(readFileSync("README.md", "utf8"), ({ target, anchor }) => {
  linked.add(posix.join(folder, target));
  return target + anchor;
});
const pages = globSync("docs/{tutorial,recipes,guides,concepts,reference}/*.md", { cwd: root })
  .map((page) => page.replaceAll("\\", "/"))
  .filter((page) => linked.has(page) || importsPackage(page));

for (const page of pages) {
  // A link to a page that is not published with the package leads to the repository.
  const text = mapLinks(readFileSync(join(root, page), "utf8"), ({ target, anchor, isPicture }) => {
    const file = posix.join(posix.dirname(page), target);
    if (isPicture) return `${pictures}/${file}`;
    return (target === "" || pages.includes(file) ? target : `${repository}/${file}`) + anchor;
  });
  mkdirSync(dirname(page), { recursive: true });
  // Two packings at the same time must not see half a file.
  const temporary = `${page}.${process.pid}`;
  writeFileSync(temporary, text);
  renameSync(temporary, page);
}

for (const copy of globSync("docs/**/*.md")) {
  if (!pages.includes(copy.replaceAll("\\", "/"))) rmSync(copy);
}

/** Whether an example of a page imports the package or one of its entries. */
function importsPackage(page: string): boolean {
  return docBlocks(readFileSync(join(root, page), "utf8"), page).some(({ code }) =>
    Array.from(code.matchAll(/ from "([^"]+)"/g)).some(
      ([, module = ""]) => module === name || module.startsWith(`${name}/`),
    ),
  );
}
