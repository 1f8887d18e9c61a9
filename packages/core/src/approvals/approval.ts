import { canonicalJson } from "../json/canonical-json.ts";
import type { PermissionRequest } from "../contract/permission-request.ts";
import type { GrantChoice } from "../contract/grant.ts";

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

/**
 * Finds what was agreed to about one permission after the other. Each yes is for one of them, however
 * alike they are: who has agreed to one payment has not agreed to two.
 */
export function approvedPermissions({
  permissions,
  edited,
}: Approval): (permission: PermissionRequest) => ApprovedPermission | undefined {
  const identity = (permission: PermissionRequest): string =>
    canonicalJson(edited === true ? [permission.kind, permission.target] : permission);
  const left = permissions.map((agreed) => ({ agreed, is: identity(agreed.permission) }));
  return (permission) => {
    const wanted = identity(permission);
    const index = left.findIndex(({ is }) => is === wanted);
    return index === -1 ? undefined : left.splice(index, 1)[0]?.agreed;
  };
}
