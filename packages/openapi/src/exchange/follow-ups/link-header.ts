/**
 * Where `rel="next"` leads in a `Link` header (RFC 8288, section 3), as written there. Links of another context
 * (`anchor`) are not about this answer.
 */
export function nextLink(header: string): string | undefined {
  const links =
    /<([^<>]*)>((?:\s*;\s*[\w!#$%&'*+\-.^`|~]+\*?(?:\s*=\s*(?:"(?:[^"\\]|\\.)*"|[^\s;,"]*))?)*)/g;
  for (const [, target = "", parameters = ""] of header.matchAll(links)) {
    const rel = parameter(parameters, "rel");
    if (rel === undefined || parameter(parameters, "anchor") !== undefined) continue;
    if (rel.toLowerCase().split(/\s+/).includes("next")) return target;
  }
  return undefined;
}

function parameter(parameters: string, name: string): string | undefined {
  const found = new RegExp(
    `;\\s*${name}\\s*=\\s*(?:"((?:[^"\\\\]|\\\\.)*)"|([^\\s;,"]*))`,
    "i",
  ).exec(parameters);
  return found?.[1]?.replace(/\\(.)/g, "$1") ?? found?.[2];
}
