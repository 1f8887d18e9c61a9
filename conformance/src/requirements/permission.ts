import { must, type Requirement } from "../requirement.ts";

/** What tools say that they do, beside what they do. */
export const permissionRequirements: readonly Requirement[] = [
  must("TW-PERM-001", "7", "A tool that calls itself read-only proposes no write."),
  must("TW-PERM-002", "7", "A tool that has an effect does not call itself read-only.", [
    "effectCalls",
  ]),
];
