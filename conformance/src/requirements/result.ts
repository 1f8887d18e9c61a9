import { must, should, type Requirement } from "./requirement.ts";

const needs = ["succeedingCalls"] as const;

/** What tools answer. */
export const resultRequirements: readonly Requirement[] = [
  must(
    "TW-RESULT-001",
    "4",
    "Content blocks have a known type and the members of that type.",
    needs,
  ),
  should("TW-RESULT-002", "4", "What a tool returns is plain JSON data.", needs),
  must("TW-RESULT-003", "5", "The value of an answer fits the tool's output schema.", needs),
  must("TW-RESULT-004", "5", "A tool with an output schema answers with a value.", needs),
  must(
    "TW-RESULT-005",
    "4",
    "An image or a sound is the base64 of its bytes, with a media type.",
    needs,
  ),
  must(
    "TW-RESULT-006",
    "4",
    "A resource holds either text or a blob, and a blob is the base64 of its bytes.",
    needs,
  ),
  must("TW-RESULT-007", "4", "The uri of a link or a resource is an absolute URI.", needs),
  should(
    "TW-RESULT-008",
    "4",
    "What a tool tells the host alone, in details and provider, is plain JSON data.",
    needs,
  ),
  should("TW-RESULT-009", "4", "Bytes are not passed off as text.", needs),
  must("TW-RESULT-010", "11", "An artifact that an answer names can be read.", needs),
  must("TW-RESULT-011", "4", "The annotations of blocks are those of MCP.", needs),
  should("TW-RESULT-012", "4", "Texts hold no half of a character.", needs),
  should("TW-RESULT-013", "4", "A media type is that of the bytes.", needs),
  should("TW-RESULT-014", "4", "JSON is not encoded twice.", needs),
  should(
    "TW-RESULT-015",
    "4",
    "An answer that has a value has content, too: that is what a model reads.",
    needs,
  ),
  should("TW-RESULT-016", "4", "An answer has no more than 200 blocks.", needs),
  must("TW-RESULT-017", "4", "An answer stays what it was when further calls are made.", needs),
  should(
    "TW-RESULT-018",
    "11",
    "The name of an artifact is that of a file: no path, no control characters.",
    needs,
  ),
];
