import type { PolicyDefinition } from "@toolweave/core";

/** What may happen to the notes. It is plain JSON: it could as well stand in a file. */
export const policy: PolicyDefinition = {
  name: "notes",
  // What no rule names: reads run, and what changes something asks.
  preset: "supervised",
  rules: [
    {
      id: "diary",
      effect: "deny",
      permissions: { kind: "fs.*", target: "notes/diary*" },
      reason: "the diary is private",
      // Examples are checked when the executor is made: a rule that misses them is refused.
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
