import { globSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";

/** A file of the built page, as a server sends it. */
export interface PageFile {
  readonly bytes: Uint8Array;
  /** With the character set where it is text. */
  readonly mediaType: string;
  /** The name has a hash of the content: a browser may keep the file forever. */
  readonly immutable: boolean;
}

const mediaTypes: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".svg": "image/svg+xml",
};

/**
 * Reads the built page: the URL path of each file with its content. `/` is the HTML page, which a server also sends for
 * the paths of screens. Nothing else is served: a request never becomes a path of the file system.
 *
 * @param folder - Where `buildPage` has written to.
 * @throws Error if there is no built page in the folder, or a file of an unknown kind.
 */
export function readPageFiles(folder: string): ReadonlyMap<string, PageFile> {
  const paths = globSync("{index.html,assets/*}", { cwd: folder });
  if (!paths.includes("index.html")) {
    throw new Error(`${folder} has no built page: build @toolweave/studio first`);
  }
  return new Map(
    paths.map((path) => {
      const mediaType = mediaTypes[extname(path)];
      if (mediaType === undefined) {
        throw new Error(`${path} is a file of an unknown kind: add its media type`);
      }
      const url = path === "index.html" ? "/" : `/${path.replaceAll("\\", "/")}`;
      return [url, { bytes: readFileSync(join(folder, path)), mediaType, immutable: url !== "/" }];
    }),
  );
}
