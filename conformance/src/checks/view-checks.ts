import {
  filter,
  rename,
  shortHash,
  toolsSource,
  type Tool,
  type ToolOutcome,
} from "@toolweave/core";
import { isAlwaysSame } from "../calling/always-same.ts";
import { answerText, isThrottled } from "../execution/outcome.ts";
import { callLabel, executorOver, labelled, runSample } from "../execution/sample-run.ts";
import { check, type Check, type CheckContext } from "../context/check.ts";
import { failed, passed, type Finding } from "../contract/finding.ts";
import { checkEach, type Fault } from "../reading/check-each.ts";
import type { SampleCall } from "../contract/manifest.ts";
import { requirements } from "../requirements/requirements.ts";
import type { Subject } from "../context/subject.ts";
import { viewOf } from "../context/view.ts";

/**
 * The rules that a prefix and a filter can make a tool break: one for each way through a view. All
 * others are about what a view leaves as it is: the words and schemas of a spec, what a call does
 * once it has begun, how a source lives and what becomes of it in an outage.
 */
export const throughView: readonly string[] = [
  // Specs are copied under another name, getters and all.
  "TW-SPEC-002",
  // Secrets are read from the source when the view is made.
  "TW-SECRET-003",
  // `validate`, `preflight` and `invoke` are taken off the tool; the latter two see another name.
  "TW-CALL-003",
  "TW-PERM-006",
  "TW-CALL-002",
  "TW-ERROR-001",
  "TW-EVENT-001",
  // A call that waits is found again by the name that it was made under.
  "TW-SUSPEND-003",
  // Announcements and the end go on to the source.
  "TW-CHANGE-001",
  "TW-LIFE-003",
];

/** What a host does to a source before it uses it. */
export const viewChecks: readonly Check[] = [
  check("TW-VIEW-001", viewHolds),

  check("TW-VIEW-002", async (context) => {
    const tools = (await context.fresh()).callable();
    const executor = executorOver(tools);
    const made: MadeCall[] = [];
    for (const [at, call] of context.samples("succeedingCalls").entries()) {
      const alone = async (): Promise<string> =>
        answerText(await runSample(context, executor, call, {}, idOf(at)));
      made.push({ label: callLabel(call), alone, first: await alone() });
    }
    const nested = await calledByAnother(context, tools);
    const done = "Compared each call that another tool made with the same call alone";
    return checkEach(
      made.flatMap((call, at) => {
        const outcome = nested[at] ?? "no answer";
        return isThrottled(outcome) ? [] : [{ ...call, other: answerText(outcome) }];
      }),
      done,
      (call) => otherFault(call, "does something else when another tool calls it"),
    );
  }),

  check("TW-VIEW-003", async (context) => {
    const tools = (await context.fresh()).callable();
    const calls = context.samples("succeedingCalls");
    const names = new Map([...neededNames(context)].map((name, at) => [name, `other_name_${at}_`]));
    const chooses = tools.some((tool) => names.has(tool.spec.name) && choosesTools(tool));
    const renamed = rename(
      filter(toolsSource("conformance", tools), ({ spec }) => chooses || names.has(spec.name)),
      Object.fromEntries(names),
    );
    const executor = executorOver(tools);
    const otherExecutor = executorOver(renamed.tools());
    const done = "Compared each call with the same call of a tool that was renamed";
    return checkEach(labelled(calls), done, async ({ call, label }) => {
      const alone = async (): Promise<string> =>
        answerText(await runSample(context, executor, call));
      const first = await alone();
      const name = names.get(call.tool) ?? call.tool;
      const answer = answerText(await runSample(context, otherExecutor, { ...call, tool: name }));
      // A tool may tell its name, the one that it has there.
      const other = answer.replaceAll(name, call.tool);
      return otherFault({ label, alone, first, other }, "does something else under another name");
    });
  }),
];

async function viewHolds(context: CheckContext): Promise<Finding> {
  const hidden = hiddenNames(context, await context.subject());
  const done = `Checked rules on a view with a prefix and ${hidden.size} tools hidden.`;
  const view = viewOf(context.manifest, hidden);
  const results = await context.holding(view, throughView.flatMap(withPresupposed));
  const [first, ...others] = results.filter(({ status }) => status === "failed");
  if (first === undefined) return passed(`${done} ${results.length} rules held before.`);
  const more = others.length === 0 ? "" : ` So do ${others.map(({ id }) => id).join(", ")}.`;
  const message = `${first.id} holds for the tools and fails for the view: ${first.message}${more}`;
  return failed(message, `${done} ${first.done ?? ""}`, first.seen);
}

/** The rule, and those without which it has nothing to say. */
function withPresupposed(id: string): string[] {
  const presupposed = requirements.find((rule) => rule.id === id)?.presupposes ?? [];
  return [...presupposed.flatMap(withPresupposed), id];
}

/** Of many tools that no sample call needs, about as many stay. */
const someOthers = 20;

/**
 * About half of what no sample call needs, and more of many; one tool at least stays. And every tool
 * that cannot be read, since what a view makes of it is no news.
 */
function hiddenNames(context: CheckContext, { tools }: Subject): Set<string> {
  const needed = neededNames(context);
  if (tools.some(({ name, tool }) => needed.has(name) && choosesTools(tool))) return new Set();
  const oneOf = Math.max(2, Math.ceil(tools.length / someOthers));
  const hidden = tools.filter(
    ({ name, spec }) =>
      !needed.has(name) &&
      (spec === undefined ||
        Number.parseInt(shortHash(`${context.seed}:${name}`), 36) % oneOf !== 0),
  );
  const names = hidden.map(({ name }) => name);
  return new Set(hidden.length === tools.length ? names.slice(1) : names);
}

/** What it chooses from is not to be hidden from it. */
function choosesTools({ delegates }: Tool): boolean {
  return delegates === true;
}

/** The names of the tools that sample calls need. */
function neededNames({ manifest }: CheckContext): Set<string> {
  return new Set(
    Object.values(manifest.samples ?? {}).flatMap((calls: readonly SampleCall[]) =>
      calls.map(({ tool }) => tool),
    ),
  );
}

/** What a call is called by, alone and within another: some tools say it in their answers. */
function idOf(at: number): string {
  return `conformance:${at}`;
}

/** The outcomes of all succeeding calls, made one after the other by one running tool. */
async function calledByAnother(
  context: CheckContext,
  tools: readonly Tool[],
): Promise<readonly ToolOutcome[]> {
  const outcomes: ToolOutcome[] = [];
  const name = "conformance_calls_others";
  const caller: Tool = {
    spec: {
      name,
      description: "Call other tools.",
      inputSchema: { type: "object" },
      annotations: {},
      provenance: { adapter: "conformance" },
    },
    invoke: async (_, { scope }) => {
      for (const [at, { tool, arguments: args }] of context.samples("succeedingCalls").entries()) {
        const call = { id: idOf(at), name: tool, arguments: args };
        outcomes.push(await scope.execute(call));
      }
    },
  };
  await runSample(context, executorOver([...tools, caller]), { tool: name, arguments: {} });
  return outcomes;
}

/** A call, and what it was answered. */
interface MadeCall {
  readonly label: string;
  readonly alone: () => Promise<string>;
  readonly first: string;
}

/** The call was answered otherwise in another way, and alone it is answered the same each time. */
async function otherFault(
  { alone, first, other }: MadeCall & { readonly other: string },
  wrong: string,
): Promise<Fault | undefined> {
  if (first === other || !(await isAlwaysSame(first, alone))) return undefined;
  return { wrong, seen: `alone ${first}, otherwise ${other}` };
}
