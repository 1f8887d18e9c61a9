import type { PermissionRequest, ToolAccess, ToolAnnotations } from "@toolweave/core";
import type { Fault } from "./check-each.ts";
import { isObject } from "../schema/subschemas.ts";
import { jsonDefect } from "./json-defect.ts";

const kinds = new Set(["process", "fs.read", "fs.write", "network", "spend", "delegate", "mcp"]);

/** An executor refuses a call that proposes more, since nobody would read it. */
const mostRequests = 100;

/** What keeps a policy and a person from reading what a preflight gave. */
export function permissionFault(given: unknown): Fault | undefined {
  if (!Array.isArray(given)) {
    return { wrong: "has a preflight that gives no list of permissions", seen: given };
  }
  if (given.length > mostRequests) {
    const wrong = `proposes ${given.length} permissions, and ${mostRequests} is the most`;
    return { wrong, seen: given.slice(0, 3) };
  }
  for (const request of given) {
    const wrong = requestFault(request);
    if (wrong !== undefined) return { wrong, seen: request };
  }
  return undefined;
}

function requestFault(request: unknown): string | undefined {
  if (!isObject(request)) return "proposes what is no permission";
  const { kind, target, summary, details }: Readonly<Record<string, unknown>> = request;
  if (typeof kind !== "string" || !(kinds.has(kind) || /^custom\../.test(kind))) {
    return `proposes a permission of a kind that does not exist: use ${[...kinds].join(", ")} or custom.…`;
  }
  for (const [name, value] of Object.entries({ target, summary })) {
    if (typeof value !== "string") return `proposes ${kind} with a ${name} that is no text`;
    if (value.trim() === "") return `proposes ${kind} with a ${name} that says nothing`;
  }
  const defect = jsonDefect(details);
  return details === undefined || defect === undefined
    ? undefined
    : `proposes ${kind} with details that are not JSON, at "${defect.path}" (${defect.what})`;
}

/** Whether the declared access has room for a permission of that kind; `undefined`: it does not say. */
export function accessOf(kind: string, access: ToolAccess | undefined): boolean | undefined {
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

/** Annotations that contradict each other: closed to the world, and on the network. */
export function reachFault(annotations: ToolAnnotations): Fault | undefined {
  return annotations.access?.network === true
    ? {
        wrong: "says that it is closed to the world and declares network access",
        seen: annotations,
      }
    : undefined;
}

/** A target that no rule for origins could match. */
export function targetFault({ kind, target }: PermissionRequest): string | undefined {
  if (kind !== "network") return undefined;
  const address = target.replace(/^[A-Z]+ /, "");
  return /^[a-z][a-z\d+.-]*:\/\/[^/\s]/i.test(address) && URL.canParse(address)
    ? undefined
    : "proposes network with a target that is no origin: write https://example.com";
}

/** Line breaks, other controls, and what reorders text. */
export function hasControls(text: string): boolean {
  return /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u.test(text);
}
