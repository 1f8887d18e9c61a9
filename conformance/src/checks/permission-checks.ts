import {
  argumentsSchemaOf,
  canonicalJson,
  type JsonObject,
  type PermissionRequest,
} from "@toolweave/core";
import {
  askedAgain,
  checkProposals,
  nothingProposed,
  proposedFault,
  smallest,
} from "../calling/check-proposals.ts";
import { permissionsOf, propose, proposingTools } from "../calling/proposals.ts";
import { check, type Check } from "../context/check.ts";
import { notApplicable } from "../contract/finding.ts";
import { described, checkEach, type DescribedTool, type Fault } from "../reading/check-each.ts";
import {
  accessOf,
  hasControls,
  permissionFault,
  reachFault,
  targetFault,
} from "../reading/permission-fault.ts";
import { withSecrets } from "../schema/secret-arguments.ts";
import { changeBy } from "../watching/state.ts";
import { effectPermissionChecks } from "./effect-permission-checks.ts";
import { pathPermissionChecks } from "./path-permission-checks.ts";

/** A password that no text has by chance, and that stays what it is in a URL. */
const mark = "twSecret0Q7x9Zk";

/** What tools say that they do, beside what they do. */
export const permissionChecks: readonly Check[] = [
  check("TW-PERM-001", async (context) => {
    const asked = new Map((await proposingTools(context)).map((tool) => [tool.spec.name, tool]));
    const readOnly = described((await context.subject()).tools).filter(
      ({ spec }) => spec.annotations?.readOnlyHint === true,
    );
    if (readOnly.length === 0) return notApplicable("No tool calls itself read-only.");
    return checkEach(
      readOnly,
      "Asked each read-only tool what generated calls would do",
      (tool) => writingFault(tool) ?? proposedFault(asked.get(tool.spec.name), writes),
    );
  }),

  check("TW-PERM-003", (context) =>
    checkProposals(context, "Compared what is proposed with the declared access", (tool) =>
      proposedFault(tool, ({ kind }) => {
        const { access } = tool.spec.annotations;
        return accessOf(kind, access) === false
          ? `proposes ${kind}, which its access ${JSON.stringify(access)} rules out`
          : undefined;
      }),
    ),
  ),

  check("TW-PERM-004", (context) =>
    checkProposals(context, "Looked at the form of what is proposed", ({ proposals }) =>
      smallest(proposals, ({ given }) => permissionFault(given)),
    ),
  ),

  check("TW-PERM-005", (context) =>
    checkProposals(context, "Asked each preflight twice about the same call", (tool) =>
      askedAgain(context, tool, ({ args, given }, again) => {
        const first = textOf(given);
        const second = textOf(again);
        if (first === second) return undefined;
        const wrong = "does not propose the same twice, so that no approval can hold";
        return { wrong, seen: { arguments: args, first, second } };
      }),
    ),
  ),

  check("TW-PERM-006", async (context) => {
    const tools = await proposingTools(context);
    if (tools.length === 0) return nothingProposed;
    const done = "Asked each preflight about arguments that the schema accepts";
    return checkEach(tools, done, ({ silence }) => silence);
  }),

  check("TW-PERM-010", (context) =>
    checkProposals(context, "Compared the arguments before and after each preflight", (tool) =>
      smallest(tool.proposals, ({ changed }) =>
        changed === undefined
          ? undefined
          : {
              wrong: "has a preflight that changes the arguments, after they were checked",
              seen: changed,
            },
      ),
    ),
  ),

  check("TW-PERM-011", (context) =>
    checkProposals(context, "Looked at the summaries of what is proposed", (tool) =>
      proposedFault(tool, ({ summary }) => {
        if (summary.length > 500) return `proposes with a summary of ${summary.length} characters`;
        return hasControls(summary)
          ? "proposes with a summary that holds line breaks or control characters"
          : undefined;
      }),
    ),
  ),

  check("TW-PERM-012", async (context) => {
    const asked = new Map((await proposingTools(context)).map((tool) => [tool.spec.name, tool]));
    const closed = described((await context.subject()).tools).filter(
      ({ spec }) => spec.annotations?.openWorldHint === false,
    );
    if (closed.length === 0) return notApplicable("No tool says that it is closed to the world.");
    return checkEach(
      closed,
      "Looked at what each tool reaches that is closed to the world",
      (tool) =>
        reachFault(tool.spec.annotations) ??
        proposedFault(asked.get(tool.spec.name), ({ kind }) =>
          kind === "network"
            ? "says that it is closed to the world and proposes network"
            : undefined,
        ),
    );
  }),

  check("TW-PERM-013", (context) =>
    checkProposals(context, "Looked at where what is proposed reaches", (tool) =>
      proposedFault(tool, targetFault),
    ),
  ),

  check("TW-PERM-014", (context) => {
    const done = "Compared state() before and after each preflight";
    return checkProposals(context, done, async (tool) => {
      const change = await changeBy(context, () => askedAgain(context, tool, () => undefined));
      return change && { wrong: "has a preflight that changes something", seen: change };
    });
  }),

  check("TW-PERM-015", (context) =>
    checkProposals(context, "Looked for permissions that are proposed twice", ({ proposals }) =>
      smallest(proposals, (proposal) => {
        const texts = permissionsOf(proposal).map((request) => canonicalJson(request));
        const twice = texts.find((text, index) => texts.indexOf(text) !== index);
        return twice === undefined
          ? undefined
          : { wrong: "proposes the same permission twice", seen: twice };
      }),
    ),
  ),

  ...pathPermissionChecks,
  ...effectPermissionChecks,

  check("TW-PERM-016", async (context) => {
    const tools = (await proposingTools(context)).flatMap((tool) => {
      const schema = argumentsSchemaOf(tool.tool) as JsonObject;
      const marked = tool.proposals
        .map(({ args }) => withSecrets(args, schema, mark))
        .find((args) => args !== undefined && tool.accepts(args));
      return marked === undefined ? [] : [{ ...tool, marked }];
    });
    if (tools.length === 0) {
      return notApplicable(
        "No tool with a preflight has an argument that its schema calls secret.",
      );
    }
    return checkEach(tools, "Asked each preflight about secret arguments", async (tool) => {
      const answer = await propose(context, tool, structuredClone(tool.marked));
      // That it refuses them is its right.
      if (!("given" in answer)) return undefined;
      const shown = permissionsOf({ args: tool.marked, given: answer.given }).find((request) =>
        canonicalJson(request).includes(mark),
      );
      const wrong =
        "shows a secret argument in what it proposes, which whoever approves it reads, and grants keep";
      return shown && { wrong, seen: shown };
    });
  }),
];

function writingFault({ spec }: DescribedTool): Fault | undefined {
  const { access } = spec.annotations;
  return access?.filesystem === "write" || access?.spend === true
    ? { wrong: "calls itself read-only and declares that it writes or spends", seen: access }
    : undefined;
}

function writes({ kind }: PermissionRequest): string | undefined {
  return kind === "fs.write" || kind === "spend"
    ? `calls itself read-only and proposes ${kind}`
    : undefined;
}

/** What was proposed, as far as it can be compared. */
function textOf(given: unknown): string {
  try {
    return canonicalJson(given);
  } catch {
    return "what is no JSON";
  }
}
