import { ofSpec, ofTool, type Mutant } from "../mutant.ts";

export const permissionMutants: readonly Mutant[] = [
  ofTool("TW-PERM-001", "read_page", "a read-only tool that proposes to write", () => ({
    preflight: ({ number }) =>
      Number(number) % 2 === 0
        ? [{ kind: "fs.write", target: "cache.db", summary: "Keep the page" }]
        : [],
  })),
  ofSpec(
    "TW-PERM-001",
    "a read-only tool that spends",
    () => ({ annotations: { readOnlyHint: true, access: { spend: true } } }),
    "read_page",
  ),
  ofSpec(
    "TW-PERM-002",
    "a tool that writes and calls itself read-only",
    () => ({ annotations: { readOnlyHint: true } }),
    "append_line",
  ),
];
