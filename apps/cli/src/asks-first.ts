import type { RegisteredTool } from "@toolweave/core";

/** True when a call of the tool needs a person's approval under the default policy, `supervised`. */
export function asksFirst({ tool, trusted }: RegisteredTool): boolean {
  const { needsApprovalHint, readOnlyHint } = tool.spec.annotations;
  return needsApprovalHint === true || !(trusted && readOnlyHint === true);
}
