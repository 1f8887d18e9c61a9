import { canonicalJson, type PermissionRequest } from "@toolweave/core";
import { check, type Check, type CheckContext } from "../check.ts";
import { notApplicable, type Finding } from "../finding.ts";
import { described, lookAt, type DescribedTool, type Fault } from "../look-at.ts";
import {
  isValid,
  permissionsOf,
  propose,
  proposingTools,
  type Proposal,
  type ProposingTool,
} from "../proposals.ts";
import { changeBy } from "../state.ts";
import {
  accessOf,
  hasControls,
  permissionFault,
  reachFault,
  targetFault,
} from "./permission-fault.ts";
import { effectPermissionChecks } from "./effect-permission-checks.ts";

/** Asked twice, a preflight is asked about so many arguments of each tool. */
const askedTwice = 3;

/** What tools say that they do, beside what they do. */
export const permissionChecks: readonly Check[] = [
  check("TW-PERM-001", async (context) => {
    const asked = new Map((await proposingTools(context)).map((tool) => [tool.spec.name, tool]));
    const readOnly = described((await context.subject()).tools).filter(
      ({ spec }) => spec.annotations?.readOnlyHint === true,
    );
    if (readOnly.length === 0) return notApplicable("No tool calls itself read-only.");
    return lookAt(
      readOnly,
      "Asked each read-only tool what generated calls would do",
      (tool) => writingFault(tool) ?? proposedFault(asked.get(tool.spec.name), writes),
    );
  }),

  check("TW-PERM-003", (context) =>
    lookAtProposals(context, "Compared what is proposed with the declared access", (tool) =>
      proposedFault(tool, ({ kind }) => {
        const { access } = tool.spec.annotations;
        return accessOf(kind, access) === false
          ? `proposes ${kind}, which its access ${JSON.stringify(access)} rules out`
          : undefined;
      }),
    ),
  ),

  check("TW-PERM-004", (context) =>
    lookAtProposals(context, "Looked at the form of what is proposed", ({ proposals }) =>
      smallest(proposals, ({ given }) => permissionFault(given)),
    ),
  ),

  check("TW-PERM-005", (context) =>
    lookAtProposals(context, "Asked each preflight twice about the same call", (tool) =>
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
    return lookAt(tools, done, ({ silence }) => silence);
  }),

  check("TW-PERM-007", (context) =>
    lookAtProposals(context, "Looked at the paths that are proposed", async (tool) => {
      const asSent = proposedFault(tool, pathFault);
      return asSent ?? (await climbingFault(context, tool));
    }),
  ),

  check("TW-PERM-010", (context) =>
    lookAtProposals(context, "Compared the arguments before and after each preflight", (tool) =>
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
    lookAtProposals(context, "Looked at the summaries of what is proposed", (tool) =>
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
    return lookAt(
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
    lookAtProposals(context, "Looked at where what is proposed reaches", (tool) =>
      proposedFault(tool, targetFault),
    ),
  ),

  check("TW-PERM-014", (context) => {
    const done = "Compared state() before and after each preflight";
    return lookAtProposals(context, done, async (tool) => {
      const change = await changeBy(context, () => askedAgain(context, tool, () => undefined));
      return change && { wrong: "has a preflight that changes something", seen: change };
    });
  }),

  check("TW-PERM-015", (context) =>
    lookAtProposals(context, "Looked for permissions that are proposed twice", ({ proposals }) =>
      smallest(proposals, (proposal) => {
        const texts = permissionsOf(proposal).map((request) => canonicalJson(request));
        const twice = texts.find((text, index) => texts.indexOf(text) !== index);
        return twice === undefined
          ? undefined
          : { wrong: "proposes the same permission twice", seen: twice };
      }),
    ),
  ),

  ...effectPermissionChecks,
];

const nothingProposed: Finding = notApplicable("No tool has a preflight.");

/** Looks at the tools whose preflights answer; the others break TW-PERM-006 already. */
async function lookAtProposals(
  context: CheckContext,
  done: string,
  faultOf: (tool: ProposingTool) => Fault | undefined | Promise<Fault | undefined>,
): Promise<Finding> {
  const tools = (await proposingTools(context)).filter(({ proposals }) => proposals.length > 0);
  return tools.length === 0 ? nothingProposed : lookAt(tools, done, faultOf);
}

/** The fault of the proposal with the smallest arguments. */
function smallest(
  proposals: readonly Proposal[],
  faultOf: (proposal: Proposal) => Fault | undefined,
): Fault | undefined {
  let found: Fault | undefined;
  let length = Infinity;
  for (const proposal of proposals) {
    const fault = faultOf(proposal);
    const own = canonicalJson(proposal.args).length;
    if (fault === undefined || own >= length) continue;
    found = { ...fault, seen: { arguments: proposal.args, proposed: fault.seen } };
    length = own;
  }
  return found;
}

/** The first fault of a permission that the tool proposes. */
function proposedFault(
  tool: ProposingTool | undefined,
  wrongOf: (request: PermissionRequest) => string | undefined,
): Fault | undefined {
  return smallest(tool?.proposals ?? [], (proposal) => {
    for (const request of permissionsOf(proposal)) {
      const wrong = wrongOf(request);
      if (wrong !== undefined) return { wrong, seen: request };
    }
    return undefined;
  });
}

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

/** Asks again what was asked before, about a few of the arguments. */
async function askedAgain(
  context: CheckContext,
  tool: ProposingTool,
  faultOf: (before: Proposal, again: unknown) => Fault | undefined,
): Promise<Fault | undefined> {
  for (const before of tool.proposals.slice(0, askedTwice)) {
    const answer = await propose(context, tool, structuredClone(before.args));
    const fault = faultOf(before, "given" in answer ? answer.given : answer);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

/** What was proposed, as far as it can be compared. */
function textOf(given: unknown): string {
  try {
    return canonicalJson(given);
  } catch {
    return "what is no JSON";
  }
}

function pathFault({ kind, target }: PermissionRequest): string | undefined {
  const climbs = kind.startsWith("fs.") && target.split(/[\\/]/).includes("..");
  return climbs ? `proposes ${kind} for a path with ".." in it` : undefined;
}

/** Calls that climb out of the path which they name: refused, or proposed as what they come to. */
async function climbingFault(
  context: CheckContext,
  tool: ProposingTool,
): Promise<Fault | undefined> {
  for (const proposal of tool.proposals.slice(0, askedTwice)) {
    for (const name of pathArguments(proposal)) {
      const args = { ...proposal.args, [name]: `${String(proposal.args[name])}/../../conformance` };
      if (!(await isValid(context, tool, args))) continue;
      const answer = await propose(context, tool, structuredClone(args));
      if (!("given" in answer)) continue;
      const asked = { ...tool, proposals: [{ args, given: answer.given }] };
      const fault = proposedFault(asked, pathFault);
      if (fault !== undefined) return fault;
    }
  }
  return undefined;
}

/** The arguments that stand in the path which is proposed. */
function pathArguments(proposal: Proposal): string[] {
  const paths = permissionsOf(proposal).filter(({ kind }) => kind.startsWith("fs."));
  return Object.entries(proposal.args).flatMap(([name, value]) =>
    typeof value === "string" && value !== "" && paths.some(({ target }) => target.includes(value))
      ? [name]
      : [],
  );
}
