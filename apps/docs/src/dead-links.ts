import { globSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";

/** The links of a built site whose page, file or anchor does not exist, each with the page that has it. */
export function deadLinks(folder: string): string[] {
  const files = new Set(
    globSync("**/*", { cwd: folder }).map((path) => path.replaceAll("\\", "/")),
  );
  const pages = [...files].filter((path) => path.endsWith(".html")).sort();
  const texts = new Map(pages.map((path) => [path, readFileSync(join(folder, path), "utf8")]));
  const anchors = new Map(Array.from(texts, ([path, text]) => [path, findIds(text)]));
  return Array.from(texts).flatMap(([path, text]) =>
    findLinks(text)
      .filter((link) => !/^(?:[a-z]+:|\/\/)/.test(link))
      .filter((link) => {
        const [address = "", hash = ""] = link.split("#");
        const target =
          address === "" ? path : toFile(posix.join(posix.dirname(`/${path}`), address));
        const absolute = address.startsWith("/") ? toFile(address) : target;
        if (!files.has(absolute)) return true;
        const ids = anchors.get(absolute);
        return hash !== "" && ids !== undefined && !ids.has(decodeURIComponent(hash));
      })
      .map((link) => `${path} links to ${link}, which does not exist`),
  );
}

function toFile(address: string): string {
  const path = decodeURIComponent(address).replace(/^\//, "");
  return path === "" || path.endsWith("/") ? `${path}index.html` : path;
}

function findLinks(html: string): string[] {
  const links = Array.from(
    html.matchAll(/<a\s[^>]*?href="([^"]*)"/g),
    ([, link]) => link as string,
  );
  return [...new Set(links.map((link) => link.replaceAll("&amp;", "&")))];
}

function findIds(html: string): ReadonlySet<string> {
  return new Set(Array.from(html.matchAll(/\sid="([^"]*)"/g), ([, id]) => id as string));
}
