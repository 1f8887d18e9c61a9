import { must, should, type Requirement } from "./requirement.ts";

/** Rules about specs. */
export const specRequirements: readonly Requirement[] = [
  must("TW-SPEC-001", "4", "Reading a spec never throws."),
  must("TW-SPEC-002", "4", "A spec is plain JSON data and survives a JSON round trip."),
  must("TW-SPEC-003", "4", "The description is not blank."),
  must("TW-SPEC-004", "4", "The input schema describes an object."),
  must("TW-SPEC-005", "4", "The schemas are valid JSON Schema and compile."),
  must("TW-SPEC-006", "4", "Every reference of a schema resolves within it."),
  must("TW-SPEC-007", "4", "No injected value is part of the input schema."),
  must("TW-SPEC-008", "4", "Annotations have known names and the right types."),
  should("TW-SPEC-009", "4", "A schema is created once, however often it is read."),
  must("TW-SPEC-010", "4", "The provenance names the adapter that created the tool."),
  must("TW-SPEC-011", "4", "A title, if present, is not blank."),
  must("TW-SPEC-012", "4", "A timeout is a number of milliseconds, 0 or more."),
  must("TW-SPEC-013", "4", "A retry policy is valid."),
  must("TW-SPEC-014", "4", "The injected values are a list of unique names."),
  must("TW-SPEC-015", "4", "The execution is inline or task."),
  must("TW-SPEC-016", "4", "An output limit is valid."),
  must("TW-SPEC-017", "4", "Metadata is an object."),
  must(
    "TW-SPEC-021",
    "4",
    "The texts that a model reads contain no invisible or direction-changing characters.",
  ),
  must("TW-SPEC-022", "4", "The paths of redaction rules are valid."),
  must("TW-SPEC-024", "4", "The texts that a model reads are well-formed Unicode."),
  should("TW-SPEC-030", "4", "A spec has no unknown fields."),
  should("TW-SPEC-031", "4", "No tool is marked as both read-only and destructive."),
  should("TW-SPEC-032", "4", "Every required property of the input is described."),
  should("TW-SPEC-033", "4", "A default is valid against its own schema."),
  should("TW-SPEC-034", "4", "Each property of the input has a type or a description."),
  should(
    "TW-SPEC-035",
    "4",
    "The root of the input schema has no anyOf, oneOf, allOf, not or enum, which large providers reject.",
  ),
  should(
    "TW-SPEC-036",
    "4",
    "Arguments have names that large providers accept: letters, digits, _ . and -, 64 at most.",
  ),
  should("TW-SPEC-037", "4", "The part of a spec that a model receives is at most 64 KiB of JSON."),
  should("TW-SPEC-038", "4", "The input nests at most ten levels of objects and lists."),
  should("TW-SPEC-039", "4", "An example is valid against its own schema."),
  should("TW-SPEC-040", "4", "The members of an enum are unique and match its type."),
  should("TW-SPEC-041", "4", "The description says more than the name does."),
  should("TW-SPEC-042", "4", "No keyword of a schema is misspelt."),
  should("TW-SPEC-043", "4", "The bounds of a schema do not contradict each other."),
  must(
    "TW-SPEC-044",
    "4",
    "The schema that a model receives accepts everything that the tool accepts, and names all that it requires.",
    [],
    ["TW-SPEC-005", "TW-SPEC-006"],
  ),
  must(
    "TW-SPEC-045",
    "4",
    "The texts that a person reads contain no hidden or direction-changing characters.",
  ),
];

/** Rules about what is the same each time. */
export const determinismRequirements: readonly Requirement[] = [
  must("TW-DET-001", "9", "A tool has the same spec each time it is created."),
  must("TW-DET-002", "4", "A spec has the same content each time it is read."),
  must("TW-DET-003", "9", "Calls do not change the specs of the tools.", ["succeedingCalls"]),
  must("TW-DET-004", "4", "A fingerprint is the same each time it is read."),
  should(
    "TW-DET-005",
    "9",
    "The model receives the same text for a tool each time, so that prompts can be cached.",
  ),
];

/** Rules about names and their order. */
export const nameRequirements: readonly Requirement[] = [
  must("TW-NAME-001", "8", "Names are canonical."),
  must("TW-NAME-002", "8", "Names are unique."),
  must("TW-NAME-003", "9", "tools() returns the same array while nothing changes.", ["source"]),
  must("TW-NAME-004", "8", "The tools come in the same order each time."),
  should("TW-NAME-005", "9", "No name is reserved for a built-in tool of the executor."),
  should("TW-NAME-006", "8", "No two names differ only in case."),
];
