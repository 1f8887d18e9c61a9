import { nearNames } from "../../contract/tool-names.ts";
import { permissionKinds, type PermissionRequest } from "../../contract/policy-definition.ts";
import { displayLine, displayProse } from "../../contract/display-text.ts";
import { formatValue } from "../../text/format-value.ts";
import { ToolError } from "../../contract/tool-error.ts";
import { toErrorMessage } from "../../contract/error-message.ts";
import type { CallState } from "../call/call-state.ts";
import { toJson } from "../../json/to-json.ts";
import { cloneJson } from "../../json/clone-json.ts";
import type { JsonValue } from "../../json/json.ts";

/** Maximum number of requests that the policy decides. */
const maxRequests = 1_000;
const maxKindLength = 100;
/** Never truncated: a rule or a person has to see all of it. */
const maxTargetLength = 100_000;
const maxSummaryLength = 1000;
const maxDetailsLength = 100_000;

/**
 * Reads the permission requests that a tool proposes into copies of the executor's own. Each member is read once.
 *
 * @throws ToolError `internal` when it is not a list of permission requests, or one of them cannot be displayed.
 */
export function checkedPermissions(
  { call }: CallState,
  proposed: unknown,
): readonly PermissionRequest[] {
  try {
    if (!Array.isArray(proposed)) throw new TypeError("it is no list of them");
    if (proposed.length > maxRequests) throw new TypeError(`there are ${proposed.length} of them`);
    return Array.from(proposed, readPermission);
  } catch (error) {
    throw new ToolError(
      "internal",
      `${call.name} was not run: its preflight did not answer with permission requests ({ kind, target, summary }), ${maxRequests} at most: ${toErrorMessage(error)}. The tool has to be corrected.`,
      { cause: error },
    );
  }
}

/**
 * Reads a permission request, each member once. The result reads the same again.
 *
 * @throws TypeError when it is not a permission request, or is too long to display.
 */
export function readPermission(request: unknown): PermissionRequest {
  if (typeof request !== "object" || request === null) throw new TypeError("one is no object");
  const { kind, target, summary, details, otherTargets, possibleTargets } = request as Partial<
    Record<string, unknown>
  >;
  if (typeof kind !== "string" || typeof target !== "string" || typeof summary !== "string") {
    throw new TypeError("one has a kind, a target or a summary that is no text");
  }
  if (kind.length > maxKindLength || target.length > maxTargetLength) {
    throw new TypeError(
      `one has a kind of more than ${maxKindLength} or a target of more than ${maxTargetLength} characters`,
    );
  }
  if (!permissionKinds.includes(kind)) checkOwnKind(kind);
  return {
    kind,
    target,
    summary: displayProse(summary, maxSummaryLength),
    ...(details === undefined ? {} : { details: readDetails(details) }),
    ...(otherTargets === undefined ? {} : { otherTargets: readTargets(otherTargets) }),
    ...(possibleTargets === undefined
      ? {}
      : { possibleTargets: possibleTargets === "any" ? "any" : readTargets(possibleTargets) }),
  };
}

function readDetails(details: unknown): JsonValue {
  const plain = cloneJson(toJson(details));
  if (JSON.stringify(plain).length > maxDetailsLength) {
    throw new TypeError(`one has details of more than ${maxDetailsLength} characters`);
  }
  return plain;
}

function readTargets(targets: unknown): readonly string[] {
  const read = Array.isArray(targets) ? Array.from<unknown>(targets) : [undefined];
  if (read.every((target) => typeof target === "string")) return read;
  throw new TypeError("one has other or possible targets that are no list of texts");
}

/** A rule and a person read it: no part of it may be invisible, or look like a line of its own. */
function checkOwnKind(kind: string): void {
  if (displayLine(kind) !== kind) {
    throw new TypeError(`one has a kind with hidden characters: ${displayLine(kind)}`);
  }
  if (kind.startsWith("custom.")) return;
  const [near] = nearNames(kind, permissionKinds, 1);
  const hint =
    near === undefined ? `use ${permissionKinds.join(", ")} or custom.…` : `did you mean ${near}?`;
  throw new TypeError(`one is of the kind ${formatValue(kind)}, which is none: ${hint}`);
}

/** The permission that a call requests when its tool proposes none. */
export function impliedPermission({ tool, call }: CallState): PermissionRequest {
  const access = tool.spec.annotations.access;
  const kind =
    access?.spend === true
      ? "spend"
      : access?.process === true
        ? "process"
        : access?.filesystem === "write"
          ? "fs.write"
          : "custom.call";
  const title = tool.spec.title ?? tool.spec.annotations.title;
  return {
    kind,
    target: call.name,
    summary:
      title === undefined
        ? `Call ${call.name}`
        : displayProse(`${title} (${call.name})`, maxSummaryLength),
  };
}
