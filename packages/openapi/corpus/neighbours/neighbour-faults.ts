import type { CheckedCall } from "../oracles/check-document.ts";
import type { Objection } from "../oracles/oracle.ts";
import { getSides, type OracleFault } from "../oracles/oracle-fault.ts";
import { oracleFaults } from "../oracles/oracle-faults.ts";

/** The reasons why an oracle rejects the request of a neighbour, or makes another one of the same values. */
export const neighbourFaults: readonly OracleFault[] = [
  {
    id: "int64",
    oracles: ["prism"],
    because:
      "It refuses integers of the format int64 beyond 2^53 - 1. OpenAPI 3.0.3, Data Types: int64 has 64 bits and a sign.",
    explains: (objection, call) =>
      isAbout(call, "integer beyond 2^53", "integer that is printed with other digits") &&
      (objection.message.endsWith("must be <= 9007199254740991") || isConsequence(objection)),
  },
  {
    id: "decimal-multiples",
    oracles: ["prism", "openapi-backend"],
    because:
      "It divides in binary: 19.99 is no multiple of 0.01. JSON Schema 2020-12 validation, section 6.2.1: the division results in an integer; numbers are decimal (core, section 4.2.1).",
    explains: (objection, call) =>
      isAbout(call, "amount in hundredths") &&
      (objection.rule.endsWith(" [multipleOf]") || isConsequence(objection)),
  },
  {
    id: "form-lists",
    oracles: ["prism"],
    because:
      "It reads a list in a form as text. OpenAPI 3.0.3, Encoding Object, `explode`: true by default, as in a query, so that there is a pair for each item.",
    explains: (objection, call) =>
      isList(call) &&
      / form,/.test(call.operation) &&
      /^body\.v \[(?:type|anyOf)\]$/.test(objection.rule),
  },
  {
    id: "lists-in-compositions",
    oracles: ["prism"],
    because:
      "It does not see that a parameter is a list behind `allOf` or beside null. OpenAPI 3.1.1, Parameter Object, Style Values: a style writes every list in the same way.",
    explains: (objection, call) =>
      isList(call) && /^(?:path|header|query)\.v \[(?:type|anyOf)\]$/.test(objection.rule),
  },
  {
    id: "client-lists",
    oracles: ["swagger-client"],
    because:
      "It writes a list of a form as one text with commas, or as JSON. OpenAPI 3.0.3, Encoding Object, `explode`, and 3.1.1, Special Considerations for `multipart` Content: a pair or a part for each item.",
    explains({ rule, message }, call) {
      const { sent, made } = getSides(message);
      const [items, [text]] = [sent, made].map((pairs) =>
        (JSON.parse(pairs) as string).split(/&| \| /).map((pair) => pair.replace(/^v=/, "")),
      ) as [string[], string[]];
      return (
        rule === "body.v [differs]" &&
        isList(call) &&
        (text === items.join(",") || text === `[${items.join(",")}]`)
      );
    },
  },
  {
    id: "client-long-integers",
    oracles: ["swagger-client"],
    because:
      "A JavaScript number does not have these digits. Given as a text, they are a text in JSON, and rounded in a form; the document says that the value is an integer (OpenAPI 3.0.3, Data Types: int64).",
    explains({ rule, message }, call) {
      const { sent, made } = getSides(message);
      return (
        /^body(?:\.v)? \[differs\]$/.test(rule) &&
        isAbout(call, "integer beyond 2^53", "integer that is printed with other digits") &&
        [made.replaceAll(/\\"(?=\d)|(?<=\d)\\"/g, ""), made].some((text) =>
          equalNumbers(sent, text),
        )
      );
    },
  },
  ...oracleFaults.filter(({ id }) => ["path-list-breakdown", "multipart-parts"].includes(id)),
];

/** True for neighbours of these traits. */
function isAbout({ operation }: CheckedCall, ...traits: readonly string[]): boolean {
  return traits.some((trait) => operation.startsWith(`an ${trait},`));
}

function isList({ operation }: CheckedCall): boolean {
  return /, a [\w ]*list\b/.test(operation);
}

/** True for an objection that follows from the rejection of one branch: another one allows null only, and none is left. */
function isConsequence({ rule, message }: Objection): boolean {
  return / \[(?:anyOf|oneOf)\]$/.test(rule) || message.endsWith("must be null");
}

/** True if texts differ at most in digits that are rounded. */
function equalNumbers(one: string, other: string): boolean {
  const round = (text: string): string =>
    text.replaceAll(/\d{16,}/g, (digits) => String(Number(digits)));
  return round(one) === round(other);
}
