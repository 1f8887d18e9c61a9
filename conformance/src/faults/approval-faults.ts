import type { PermissionRequest, ToolAnnotations } from "@toolweave/core";
import { isObject, type ToolAccess } from "@toolweave/core/adapter";
import type { Fault } from "../contract/finding.ts";
import { findJsonDefect } from "./json-defect.ts";

const kinds = new Set(["process", "fs.read", "fs.write", "network", "spend", "delegate", "mcp"]);

/** The maximum number of permissions of a call. An executor refuses more. */
const maxRequests = 100;

/** Finds a problem with what a preflight returned. */
export function findPermissionsFault(given: unknown): Fault | undefined {
  if (!Array.isArray(given)) {
    return { wrong: "has a preflight that does not return a list of permissions", seen: given };
  }
  if (given.length > maxRequests) {
    const wrong = `proposes ${given.length} permissions, more than the maximum of ${maxRequests}`;
    return { wrong, seen: given.slice(0, 3) };
  }
  for (const request of given) {
    const wrong = findRequestFault(request);
    if (wrong !== undefined) return { wrong, seen: request };
  }
  return undefined;
}

function findRequestFault(request: unknown): string | undefined {
  if (!isObject(request)) return "proposes a value that is not a permission";
  const { kind, target, summary, details }: Readonly<Record<string, unknown>> = request;
  if (typeof kind !== "string" || !(kinds.has(kind) || /^custom\../.test(kind))) {
    return `proposes a permission of an unknown kind: use ${[...kinds].join(", ")} or custom.…`;
  }
  for (const [name, value] of Object.entries({ target, summary })) {
    if (typeof value !== "string") return `proposes ${kind} with a ${name} that is not a string`;
    if (value.trim() === "") return `proposes ${kind} with a ${name} that is blank`;
  }
  const defect = findJsonDefect(details);
  return details === undefined || defect === undefined
    ? undefined
    : `proposes ${kind} with details that are not JSON, at "${defect.path}" (${defect.what})`;
}

/**
 * True if the declared access allows a permission of that kind; `undefined` if the access does not
 * say.
 */
export function allowsKind(kind: string, access: ToolAccess | undefined): boolean | undefined {
  switch (kind) {
    case "fs.read":
      return access?.filesystem === undefined ? undefined : access.filesystem !== "none";
    case "fs.write":
      return access?.filesystem === undefined ? undefined : access.filesystem === "write";
    case "process":
    case "network":
    case "spend":
      return access?.[kind];
    default:
      return undefined;
  }
}

/** Finds annotations that contradict each other: openWorldHint false, and network access. */
export function findNetworkContradiction(annotations: ToolAnnotations): Fault | undefined {
  return annotations.access?.network === true
    ? {
        wrong: "has openWorldHint false and declares network access",
        seen: annotations,
      }
    : undefined;
}

/** Finds a network target that no rule for origins could match. */
export function findTargetFault({ kind, target }: PermissionRequest): string | undefined {
  if (kind !== "network") return undefined;
  const address = target.replace(/^[A-Z]+ /, "");
  return /^[a-z][a-z\d+.-]*:\/\/[^/\s]/i.test(address) && URL.canParse(address)
    ? undefined
    : "proposes network with a target that is not an origin: use https://example.com";
}

/**
 * True if the text contains line breaks, other control characters, or characters that reorder text.
 */
export function hasControlCharacters(text: string): boolean {
  return /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u.test(text);
}
