import type { JsonValue } from "../json/json.ts";

/** The kinds of permissions that have a name; a tool's own are `custom.*`. */
export const permissionKinds: readonly string[] = [
  "process",
  "fs.read",
  "fs.write",
  "network",
  "spend",
  "delegate",
  "mcp",
];

/**
 * An action that a call intends, declared before it is performed. `kind` is one of `process`, `fs.read`, `fs.write`,
 * `network`, `spend`, `delegate`, `mcp`, or `custom.*`.
 */
export interface PermissionRequest {
  readonly kind: string;
  /**
   * The target of the action: a path (the one that is used, without `..`), an origin, a command, an amount. Of a
   * request that is sent: `METHOD URL` with its query, as `DELETE https://api.example.com/pets/7?force=true`.
   */
  readonly target: string;
  /** One line for the person who decides. */
  readonly summary: string;
  readonly details?: JsonValue;
}
