import { canonicalJson } from "../json/canonical-json.ts";
import type { PermissionRequest } from "../contract/policy-definition.ts";
import type { GrantChoice } from "../contract/grant.ts";

/** The approval of a person: for exactly these arguments, and these permissions. */
export interface Approval {
  readonly argumentsHash: string;
  readonly permissions: readonly ApprovedPermission[];
  /**
   * The person has edited the arguments: the summary and the details of a permission may differ from those displayed,
   * its kind and its target may not.
   */
  readonly edited?: true;
}

/** One permission that a person has approved. */
export interface ApprovedPermission {
  readonly permission: PermissionRequest;
  readonly by?: string;
  /** Stored once the call is authorised. */
  readonly grant?: GrantChoice;
}

/**
 * Finds the approval of one permission after the other. Each approval is used once, however similar the permissions
 * are: the approval of one payment does not cover two.
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
