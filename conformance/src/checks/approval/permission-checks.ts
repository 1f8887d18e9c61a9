import type { JsonObject, PermissionRequest, JsonValue } from "@toolweave/core";
import { argumentsSchemaOf, canonicalJson, isObject } from "@toolweave/core/adapter";
import {
  repeatPreflight,
  checkProposals,
  noPreflight,
  findPermissionFault,
  findSmallestFault,
  validPermissions,
  runPreflight,
  collectProposals,
} from "../../calls/proposals.ts";
import { defineCheck, type Check } from "../../context/check.ts";
import { notApplicable, type Fault } from "../../contract/finding.ts";
import { withReadableSpec, checkEach, type DescribedTool } from "../../faults/check-each.ts";
import {
  allowsKind,
  hasControlCharacters,
  findPermissionsFault,
  findNetworkContradiction,
  findTargetFault,
} from "../../faults/approval-faults.ts";
import { findStateChange } from "../../observation/state.ts";
import { effectPermissionChecks, pathPermissionChecks } from "./effect-permission-checks.ts";
import { References } from "../../schema/references.ts";

/** A password that no text contains by chance, and that URLs do not encode. */
const mark = "twSecret0Q7x9Zk";

/** Checks of permissions. */
export const permissionChecks: readonly Check[] = [
  defineCheck("TW-PERM-001", async (context) => {
    const asked = new Map((await collectProposals(context)).map((tool) => [tool.spec.name, tool]));
    const readOnly = withReadableSpec((await context.subject()).tools).filter(
      ({ spec }) => spec.annotations?.readOnlyHint === true,
    );
    if (readOnly.length === 0) return notApplicable("No tool is marked as read-only.");
    return checkEach(
      readOnly,
      "Ran the preflight of each read-only tool for generated calls",
      (tool) =>
        findDeclaredWrite(tool) ??
        findPermissionFault(asked.get(tool.spec.name), findProposedWrite),
    );
  }),

  defineCheck("TW-PERM-003", (context) =>
    checkProposals(context, "Compared the proposed permissions with the declared access", (tool) =>
      findPermissionFault(tool, ({ kind }) => {
        const { access } = tool.spec.annotations;
        return allowsKind(kind, access) === false
          ? `proposes ${kind}, which its access ${JSON.stringify(access)} rules out`
          : undefined;
      }),
    ),
  ),

  defineCheck("TW-PERM-004", (context) =>
    checkProposals(context, "Checked the form of the proposed permissions", ({ proposals }) =>
      findSmallestFault(proposals, ({ given }) => findPermissionsFault(given)),
    ),
  ),

  defineCheck("TW-PERM-005", (context) =>
    checkProposals(context, "Ran each preflight twice for the same call", (tool) =>
      repeatPreflight(context, tool, ({ args, given }, again) => {
        const first = serializeProposal(given);
        const second = serializeProposal(again);
        if (first === second) return undefined;
        const wrong =
          "does not propose the same permissions twice, so that no approval can be matched";
        return { wrong, seen: { arguments: args, first, second } };
      }),
    ),
  ),

  defineCheck("TW-PERM-006", async (context) => {
    const tools = await collectProposals(context);
    if (tools.length === 0) return noPreflight;
    const done = "Ran each preflight for arguments that the schema accepts";
    return checkEach(tools, done, ({ failure }) => failure);
  }),

  defineCheck("TW-PERM-010", (context) =>
    checkProposals(context, "Compared the arguments before and after each preflight", (tool) =>
      findSmallestFault(tool.proposals, ({ changed }) =>
        changed === undefined
          ? undefined
          : {
              wrong: "has a preflight that modifies the validated arguments",
              seen: changed,
            },
      ),
    ),
  ),

  defineCheck("TW-PERM-011", (context) =>
    checkProposals(context, "Checked the summaries of the proposed permissions", (tool) =>
      findPermissionFault(tool, ({ summary }) => {
        if (summary.length > 500)
          return `proposes a permission with a summary of ${summary.length} characters`;
        return hasControlCharacters(summary)
          ? "proposes a permission with a summary that contains line breaks or control characters"
          : undefined;
      }),
    ),
  ),

  defineCheck("TW-PERM-012", async (context) => {
    const asked = new Map((await collectProposals(context)).map((tool) => [tool.spec.name, tool]));
    const closed = withReadableSpec((await context.subject()).tools).filter(
      ({ spec }) => spec.annotations?.openWorldHint === false,
    );
    if (closed.length === 0) return notApplicable("No tool has openWorldHint false.");
    return checkEach(
      closed,
      "Checked the network access of each tool with openWorldHint false",
      (tool) =>
        findNetworkContradiction(tool.spec.annotations) ??
        findPermissionFault(asked.get(tool.spec.name), ({ kind }) =>
          kind === "network" ? "has openWorldHint false but proposes network" : undefined,
        ),
    );
  }),

  defineCheck("TW-PERM-013", (context) =>
    checkProposals(context, "Checked the targets of network permissions", (tool) =>
      findPermissionFault(tool, findTargetFault),
    ),
  ),

  defineCheck("TW-PERM-014", (context) => {
    const done = "Compared state() before and after each preflight";
    return checkProposals(context, done, async (tool) => {
      const change = await findStateChange(context, () =>
        repeatPreflight(context, tool, () => undefined),
      );
      return change && { wrong: "has a preflight with a side effect", seen: change };
    });
  }),

  defineCheck("TW-PERM-015", (context) =>
    checkProposals(context, "Looked for duplicate permissions", ({ proposals }) =>
      findSmallestFault(proposals, (proposal) => {
        const texts = validPermissions(proposal).map((request) => canonicalJson(request));
        const twice = texts.find((text, index) => texts.indexOf(text) !== index);
        return twice === undefined
          ? undefined
          : { wrong: "proposes the same permission twice", seen: twice };
      }),
    ),
  ),

  ...pathPermissionChecks,
  ...effectPermissionChecks,

  defineCheck("TW-PERM-016", async (context) => {
    const tools = (await collectProposals(context)).flatMap((tool) => {
      const schema = argumentsSchemaOf(tool.tool) as JsonObject;
      const marked = tool.proposals
        .map(({ args }) => markSecrets(args, schema, mark))
        .find((args) => args !== undefined && tool.accepts(args));
      return marked === undefined ? [] : [{ ...tool, marked }];
    });
    if (tools.length === 0) {
      return notApplicable(
        "No tool with a preflight has an argument that its schema marks as secret.",
      );
    }
    return checkEach(tools, "Ran each preflight with secret arguments", async (tool) => {
      const answer = await runPreflight(context, tool, structuredClone(tool.marked));
      // A preflight may refuse the arguments.
      if (!("given" in answer)) return undefined;
      const disclosing = validPermissions({ args: tool.marked, given: answer.given }).find(
        (request) => canonicalJson(request).includes(mark),
      );
      const wrong =
        "proposes a permission with a secret argument, which approvers read and grants store";
      return disclosing && { wrong, seen: disclosing };
    });
  }),
];

function findDeclaredWrite({ spec }: DescribedTool): Fault | undefined {
  const { access } = spec.annotations;
  return access?.filesystem === "write" || access?.spend === true
    ? { wrong: "is marked as read-only but declares that it writes or spends", seen: access }
    : undefined;
}

function findProposedWrite({ kind }: PermissionRequest): string | undefined {
  return kind === "fs.write" || kind === "spend"
    ? `is marked as read-only but proposes ${kind}`
    : undefined;
}

/** The proposal as canonical JSON, so that it can be compared. */
function serializeProposal(given: unknown): string {
  try {
    return canonicalJson(given);
  } catch {
    return "not JSON";
  }
}

/**
 * Replaces each text argument that the schema marks as secret with `mark`: `format: "password"`,
 * `writeOnly` or `x-secret`. `undefined` if there is none.
 */
function markSecrets(args: JsonObject, schema: JsonObject, mark: string): JsonObject | undefined {
  const references = new References(schema);
  let isMarked = false;
  const resolved = (given: JsonValue | undefined): JsonObject | undefined => {
    const target =
      isObject(given) && typeof given["$ref"] === "string"
        ? references.resolve(given["$ref"])
        : given;
    return isObject(target) ? target : undefined;
  };
  const marked = (value: JsonObject, given: JsonObject): JsonObject => {
    const result: Record<string, JsonValue> = { ...value };
    for (const [name, one] of Object.entries(given["properties"] ?? {}) as [string, JsonValue][]) {
      const own = resolved(one);
      if (own === undefined) continue;
      const inner = value[name];
      if (isSecret(own) && (own["type"] ?? "string") === "string") {
        result[name] = mark;
        isMarked = true;
      } else if (isObject(inner)) result[name] = marked(inner, own);
    }
    return result;
  };
  const all = marked(args, schema);
  return isMarked ? all : undefined;
}

function isSecret(schema: JsonObject): boolean {
  return (
    schema["format"] === "password" || schema["writeOnly"] === true || schema["x-secret"] === true
  );
}
