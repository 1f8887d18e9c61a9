import { must, should, type Requirement } from "../requirement.ts";

/** What a spec is. */
export const specRequirements: readonly Requirement[] = [
  must("TW-SPEC-001", "4", "Reading a spec never throws."),
  must("TW-SPEC-002", "4", "A spec is plain JSON data and survives a JSON round trip."),
  must("TW-SPEC-003", "4", "The description says something."),
  must("TW-SPEC-004", "4", "The input schema is the schema of an object."),
  must("TW-SPEC-005", "4", "The schemas are valid JSON Schema and compile."),
  must("TW-SPEC-006", "4", "Every reference of a schema resolves within it."),
  must("TW-SPEC-007", "4", "No injected value is part of the input schema."),
  must("TW-SPEC-008", "4", "Annotations have known names and the right types."),
  should("TW-SPEC-009", "4", "A schema that is read twice is made once."),
];
