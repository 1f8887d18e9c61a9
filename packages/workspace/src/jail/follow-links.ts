import { readlinkSync } from "node:fs";
import { dirname } from "node:path";

/** Maximum number of links in a path, as Linux has it. */
const maxLinks = 40;

/**
 * Returns where an absolute path leads: each link is followed before the next part, as the system does, so that
 * `link/../a` is beside the target of the link. Parts that do not exist are as they are written.
 */
export function followLinks(path: string): string {
  const parts = path.split("/");
  let real = "/";
  let links = 0;
  for (let part = parts.shift(); part !== undefined; part = parts.shift()) {
    if (part === "" || part === ".") continue;
    if (part === "..") {
      real = dirname(real);
      continue;
    }
    const next = real === "/" ? `/${part}` : `${real}/${part}`;
    const target = links < maxLinks ? readLink(next) : undefined;
    if (target === undefined) real = next;
    else {
      links += 1;
      parts.unshift(...target.split("/"));
      if (target.startsWith("/")) real = "/";
    }
  }
  return real;
}

/** The target of a link; undefined: it is none. */
function readLink(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}
