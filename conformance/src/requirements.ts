import type { Capability, Requirement } from "./requirement.ts";

function must(
  id: string,
  section: string,
  text: string,
  needs: readonly Capability[] = [],
): Requirement {
  return { id, level: "must", text, section, needs };
}

function should(
  id: string,
  section: string,
  text: string,
  needs: readonly Capability[] = [],
): Requirement {
  return { id, level: "should", text, section, needs };
}

/** Every rule that a tool, a source or an adapter can break, in the order they are checked. */
export const requirements: readonly Requirement[] = [
  must("TW-LIFE-001", "9", "What create gives becomes ready and has tools."),
  must("TW-LIFE-002", "9", "ready can be awaited again, and changes nothing.", ["source"]),
  must("TW-LIFE-003", "2", "close is idempotent.", ["source"]),
  must("TW-LIFE-004", "9", "A list of tools that has changed is another array.", ["source"]),

  must("TW-SPEC-001", "4", "Reading a spec never throws."),
  must("TW-SPEC-002", "4", "A spec is plain JSON data and survives a JSON round trip."),
  must("TW-SPEC-003", "4", "The description says something."),
  must("TW-SPEC-004", "4", "The input schema is the schema of an object."),
  must("TW-SPEC-005", "4", "The schemas are valid JSON Schema and compile."),
  must("TW-SPEC-006", "4", "Every reference of a schema resolves within it."),
  must("TW-SPEC-007", "4", "No injected value is part of the input schema."),
  must("TW-SPEC-008", "4", "Annotations have known names and the right types."),
  should("TW-SPEC-009", "4", "A schema that is read twice is made once."),

  must("TW-NAME-001", "8", "Names are canonical."),
  must("TW-NAME-002", "8", "Names are unique."),
  must("TW-NAME-003", "9", "tools() gives the same array while nothing changes.", ["source"]),
  must("TW-NAME-004", "8", "The tools come in the same order each time."),

  must(
    "TW-CALL-001",
    "5",
    "Arguments that break the input schema are answered with invalid_arguments, and the tool is not invoked.",
  ),
  must("TW-CALL-002", "5", "A call that should succeed succeeds.", ["succeedingCalls"]),

  must("TW-RESULT-001", "4", "Content blocks are well-formed.", ["succeedingCalls"]),
  should("TW-RESULT-002", "4", "What a tool returns is plain JSON data.", ["succeedingCalls"]),

  must(
    "TW-ERROR-001",
    "6",
    "A call that should fail is answered with an error that a model can read.",
    ["failingCalls"],
  ),
  must("TW-ERROR-002", "6", "What a failed call says holds no stack.", ["failingCalls"]),

  must(
    "TW-CANCEL-001",
    "5",
    "A call that is cancelled or refused before it starts has no effect.",
    ["effectCalls"],
  ),
  must("TW-CANCEL-002", "5", "A running call that is cancelled ends, and its tool stops.", [
    "slowCalls",
  ]),
  must("TW-CANCEL-003", "5", "A tool stops that finds its signal fired already.", ["slowCalls"]),

  must("TW-PERM-001", "7", "A tool that calls itself read-only proposes no write."),
  must("TW-PERM-002", "7", "A tool that has an effect does not call itself read-only.", [
    "effectCalls",
  ]),

  must(
    "TW-VIEW-001",
    "9",
    "What holds for the tools holds for a prefixed and filtered view of them.",
  ),
];
