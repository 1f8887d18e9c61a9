import { must, should, type Requirement } from "./requirement.ts";

const needs = ["succeedingCalls"] as const;

/** Rules about results. */
export const resultRequirements: readonly Requirement[] = [
  must(
    "TW-RESULT-001",
    "4",
    "Content blocks have a known type and the members of that type.",
    needs,
  ),
  should("TW-RESULT-002", "4", "A tool returns plain JSON data.", needs),
  must("TW-RESULT-003", "5", "The value of a result matches the output schema of the tool.", needs),
  must("TW-RESULT-004", "5", "A tool with an output schema returns a value.", needs),
  must(
    "TW-RESULT-005",
    "4",
    "An image or audio block contains base64 data and a media type.",
    needs,
  ),
  must("TW-RESULT-006", "4", "A resource contains either a text or a base64 blob.", needs),
  must("TW-RESULT-007", "4", "The uri of a link or a resource is an absolute URI.", needs),
  should(
    "TW-RESULT-008",
    "4",
    "The fields details and provider, which only the host receives, are plain JSON data.",
    needs,
  ),
  should("TW-RESULT-009", "4", "Bytes are not returned as text.", needs),
  must("TW-RESULT-010", "11", "An artifact that a result names can be read.", needs),
  must("TW-RESULT-011", "4", "The annotations of blocks are valid MCP annotations.", needs),
  should("TW-RESULT-012", "4", "Texts contain no lone surrogates.", needs),
  should("TW-RESULT-013", "4", "The media type matches the bytes.", needs),
  should("TW-RESULT-014", "4", "JSON is not encoded twice.", needs),
  should(
    "TW-RESULT-015",
    "4",
    "A result with a value also has content, which is what a model reads.",
    needs,
  ),
  should("TW-RESULT-016", "4", "A result has at most 200 blocks.", needs),
  must("TW-RESULT-017", "4", "A result does not change when further calls are made.", needs),
  should(
    "TW-RESULT-018",
    "11",
    "The name of an artifact is a file name without a path or control characters.",
    needs,
  ),
];
