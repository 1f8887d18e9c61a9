import { displayLine, type PermissionRequest } from "@toolweave/core";
import { JailError } from "./jail-error.ts";
import type { PathInfo, PathUse } from "./path-info.ts";

/** The part of a place by which the rules of a workspace decide. */
export type RuledPath = Pick<PathInfo, "path" | "realPath" | "classes" | "asksForHardLink">;

/** A reason for which the rules of a workspace ask, beside the access itself. */
export interface AskReason {
  /** The kind of its permission. */
  readonly kind: string;
  /** For the summary of its permission. */
  readonly text: string;
}

const secretReason: AskReason = {
  kind: "custom.secret_file",
  text: "which may contain credentials",
};
export const protectedReason: AskReason = {
  kind: "custom.protected_file",
  text: "whose content other programs run or obey",
};
const linkReason: AskReason = {
  kind: "custom.linked_file",
  text: "which has other hard links, perhaps outside of the workspace",
};
const ruleReason: AskReason = {
  kind: "custom.marked_file",
  text: "for which the rules of the workspace ask",
};

/** The reasons for which this use of an object needs a permission beside that for the access itself. */
export function reasonsToAsk(
  { classes, asksForHardLink }: RuledPath,
  use: PathUse,
): readonly AskReason[] {
  return [
    ...(classes.includes("secret") ? [secretReason] : []),
    ...(classes.includes("protected") && use !== "read" ? [protectedReason] : []),
    ...(asksForHardLink ? [linkReason] : []),
    ...(classes.includes("ask") ? [ruleReason] : []),
  ];
}

/** The kind of the permission for the access itself. */
export function accessKind(use: PathUse): "fs.read" | "fs.write" {
  return use === "read" ? "fs.read" : "fs.write";
}

/** The target of all permissions for an object. */
export function toTarget({ realPath }: Pick<PathInfo, "realPath">): string {
  return displayLine(realPath);
}

/**
 * Decides on an object that is open whether the call may use it.
 *
 * @throws JailError `replaced`
 */
export type PathCheck = (info: RuledPath, use: PathUse) => void;

/** The kind and the target of a permission. */
export type GivenPermission = Pick<PermissionRequest, "kind" | "target">;

/**
 * A check against the permissions that a call was given: the same ones as were requested for its paths before it ran. A
 * link or a folder that was replaced since leads to an object that has others.
 */
export function checkPermitted(given: readonly GivenPermission[] = []): PathCheck {
  return createCheck(given, (info, use) => [
    accessKind(use),
    ...reasonsToAsk(info, use).map(({ kind }) => kind),
  ]);
}

/** The same for a member of a folder that the access itself is permitted for. */
export function checkMember(given: readonly GivenPermission[] = []): PathCheck {
  return createCheck(given, (info, use) => reasonsToAsk(info, use).map(({ kind }) => kind));
}

function createCheck(
  given: readonly GivenPermission[],
  listKinds: (info: RuledPath, use: PathUse) => readonly string[],
): PathCheck {
  const keys = new Set(given.map(({ kind, target }) => `${kind} ${target}`));
  return (info, use) => {
    const target = toTarget(info);
    if (!listKinds(info, use).every((kind) => keys.has(`${kind} ${target}`))) {
      throw new JailError("replaced");
    }
  };
}
