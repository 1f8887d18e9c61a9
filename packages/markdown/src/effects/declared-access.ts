import { ToolError, type JsonObject } from "@toolweave/core";
import type { DeclaredAccess } from "../artifact/artifact.ts";

/** Local tools that only read files. */
const readingTools: ReadonlySet<string> = new Set([
  "fs_read",
  "fs_stat",
  "fs_list",
  "fs_glob",
  "fs_find",
  "fs_diff",
]);

/**
 * Returns the check of effects against what a file declares: a script never does more, whatever the policy allows.
 * Undefined: the file declares nothing.
 */
export function accessCheck(
  name: string,
  { filesystem, process, network }: DeclaredAccess,
): ((tool: string, args: JsonObject) => void) | undefined {
  if (filesystem === undefined && process === undefined && network === undefined) return undefined;
  const refuse = (what: string): never => {
    throw new ToolError(
      "permission_denied",
      `${name} may not ${what}: the access that its file declares does not include it.`,
    );
  };
  return (tool, args) => {
    if (tool === "exec_run") {
      const program = String(args["cmd"]);
      if (!includes(process, (allowed) => allowed === program)) refuse(`run ${program}`);
    } else if (tool === "http_send") {
      const host = URL.parse(String(args["url"]))?.hostname ?? "";
      if (!includes(network, (allowed) => matchesHost(allowed, host))) refuse(`reach ${host}`);
    } else if (tool.startsWith("fs_")) {
      if (filesystem === "none") refuse("use files");
      if (filesystem === "read" && !readingTools.has(tool)) refuse("write files");
    }
  };
}

/** Whether a value is in a declared list; nothing is declared for it: it is. */
function includes(
  declared: boolean | readonly string[] | undefined,
  matches: (allowed: string) => boolean,
): boolean {
  if (typeof declared === "object") return declared.some(matches);
  return declared ?? true;
}

/**
 * Whether a host is in an entry of a list: the host itself or a part below it, `*.example.com` only parts below, `*` every
 * host. An address is matched by itself or by `*` alone.
 */
export function matchesHost(entry: string, host: string): boolean {
  const wanted = entry.toLowerCase().replace(/:\d+$/, "").replace(/\.$/, "");
  const given = host.toLowerCase().replace(/\.$/, "");
  if (wanted === "*" || wanted === given) return true;
  if (/^[\d.]+$|[:[\]]/.test(given)) return false;
  const below = wanted.startsWith("*.") ? wanted.slice(1) : `.${wanted}`;
  return below.length > 1 && given.endsWith(below);
}
