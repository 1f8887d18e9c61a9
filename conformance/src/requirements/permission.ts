import { must, should, type Requirement } from "./requirement.ts";

/** What tools say that they do, beside what they do. */
export const permissionRequirements: readonly Requirement[] = [
  must("TW-PERM-001", "7", "A tool that calls itself read-only proposes no write."),
  must("TW-PERM-002", "7", "A tool that has an effect does not call itself read-only.", [
    "effectCalls",
  ]),
  must("TW-PERM-003", "7", "What a preflight proposes lies within the access that is declared."),
  must(
    "TW-PERM-004",
    "4",
    "A preflight proposes a list of permissions: a known kind, a target and a summary that say something, details as JSON.",
  ),
  must("TW-PERM-005", "5", "A preflight proposes the same for the same arguments."),
  must("TW-PERM-006", "5", "A preflight has an answer to whatever the input schema accepts."),
  must(
    "TW-PERM-007",
    "4",
    "The path that a preflight proposes is the one that is used, without `..` in it.",
  ),
  must(
    "TW-PERM-008",
    "5",
    "A call that is denied, or that a person refuses, has no effect.",
    ["effectCalls"],
    ["TW-PERM-006"],
  ),
  should(
    "TW-PERM-009",
    "7",
    "A function of the host's own that has an effect says so, in its annotations or by what it proposes.",
    ["effectCalls"],
    ["TW-PERM-006"],
  ),
  must("TW-PERM-010", "4", "A preflight leaves the arguments as they are."),
  should(
    "TW-PERM-011",
    "4",
    "The summary of a permission is one line of at most 500 characters, without control characters.",
  ),
  should("TW-PERM-012", "4", "A tool that is closed to the world does not reach for the network."),
  should("TW-PERM-013", "4", "The target of a network permission is an origin or a URL."),
  must("TW-PERM-014", "4", "A preflight changes nothing.", ["state"], ["TW-PERM-008"]),
  should("TW-PERM-015", "4", "A call does not propose the same permission twice."),
  must(
    "TW-PERM-016",
    "4",
    "What a preflight proposes shows no argument that the schema calls secret.",
    [],
    ["TW-PERM-006"],
  ),
  must(
    "TW-PERM-017",
    "7",
    "The target of a permission is one line that a person sees as it is: hidden characters and line breaks are spelt out, or the call is refused.",
    [],
    ["TW-PERM-004", "TW-PERM-006"],
  ),
];
