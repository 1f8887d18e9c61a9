import type { PolicyDefinition } from "@toolweave/core";

/** The rules for the notes. It is plain JSON: it could also be in a file. */
export const policy: PolicyDefinition = {
  name: "notes",
  // Calls without a rule: reads run, and changes ask.
  preset: "supervised",
  rules: [
    {
      id: "diary",
      effect: "deny",
      permissions: { kind: "fs.*", target: "notes/diary*" },
      reason: "the diary is private",
      // Examples are checked when the executor is created: a rule that does not match them is
      // refused.
      match: [{ tool: "read_note", permission: { kind: "fs.read", target: "notes/diary.md" } }],
      notMatch: [{ tool: "read_note", permission: { kind: "fs.read", target: "notes/trips.md" } }],
    },
    {
      id: "deletion",
      effect: "ask",
      ask: "always",
      tools: "delete_*",
      reason: "what is deleted does not come back",
      match: ["delete_note"],
    },
  ],
};
