import { canonicalJson } from "../schema/canonical-json.ts";
import type { PermissionRequest } from "../spec/permission-request.ts";
import type { GrantChoice } from "./grant.ts";

/** What a person has agreed to: exactly these arguments, and these permissions. */
export interface Approval {
  readonly argumentsHash: string;
  readonly permissions: readonly ApprovedPermission[];
  /**
   * The person has changed the arguments: what a permission says of them may differ from what was
   * shown, its kind and its target may not.
   */
  readonly edited?: true;
}

/** One permission that a person has agreed to. */
export interface ApprovedPermission {
  readonly permission: PermissionRequest;
  readonly by?: string;
  /** To be remembered once the call is authorised. */
  readonly grant?: GrantChoice;
}

/** What was agreed to about `permission`, if anything was. */
export function agreedTo(
  { permissions, edited }: Approval,
  permission: PermissionRequest,
): ApprovedPermission | undefined {
  const identity = (permission: PermissionRequest): string =>
    canonicalJson(edited === true ? [permission.kind, permission.target] : permission);
  const wanted = identity(permission);
  return permissions.find((agreed) => identity(agreed.permission) === wanted);
}
