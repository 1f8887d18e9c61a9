import {
  filter,
  rename,
  toolsSource,
  prefix,
  type Tool,
  type ToolOutcome,
  type ToolSource,
} from "@toolweave/core";
import { shortHash, prefixName } from "@toolweave/core/adapter";
import { isDeterministic, comparableText, isRateLimited } from "../../execution/call-result.ts";
import { formatCall, createExecutor, labelCalls, runSample } from "../../execution/run-sample.ts";
import { defineCheck, type Check, type CheckContext } from "../../context/check.ts";
import { failed, passed, type Finding, type Fault } from "../../contract/finding.ts";
import { checkEach } from "../../faults/check-each.ts";
import type { SampleCall, Manifest, SampleCalls } from "../../contract/manifest.ts";
import { requirements } from "../../requirements/requirements.ts";
import type { Subject } from "../../context/subject.ts";

/**
 * The rules that a prefix and a filter can break: one for each member that a view forwards. All
 * other rules are about what a view does not touch: the texts and schemas of a spec, a running
 * call, the lifecycle of a source and outages.
 */
export const viewRules: readonly string[] = [
  // Specs are copied with another name, including getters.
  "TW-SPEC-002",
  // Secrets are read from the source when the view is created.
  "TW-SECRET-003",
  // `validate`, `preflight` and `invoke` are forwarded; the latter two receive another name.
  "TW-CALL-003",
  "TW-PERM-006",
  "TW-CALL-002",
  "TW-ERROR-001",
  "TW-EVENT-001",
  // A waiting call is found by the name under which it was made.
  "TW-SUSPEND-003",
  // Announcements and close are forwarded to the source.
  "TW-CHANGE-001",
  "TW-LIFE-003",
];

/** Checks of views of a source, and of calls that other tools make. */
export const viewChecks: readonly Check[] = [
  defineCheck("TW-VIEW-001", checkView),

  defineCheck("TW-VIEW-002", async (context) => {
    const tools = (await context.createReady()).callableTools();
    const executor = createExecutor(tools);
    const made: MadeCall[] = [];
    for (const [at, call] of context.samples("succeedingCalls").entries()) {
      const alone = async (): Promise<string> =>
        comparableText(await runSample(context, executor, call, {}, toCallId(at)));
      made.push({ label: formatCall(call), alone, first: await alone() });
    }
    const nested = await callFromTool(context, tools);
    const done = "Compared each call that another tool made with the same call alone";
    return checkEach(
      made.flatMap((call, at) => {
        const outcome = nested[at] ?? "no answer";
        return isRateLimited(outcome) ? [] : [{ ...call, other: comparableText(outcome) }];
      }),
      done,
      (call) => findDifference(call, "has a different result when another tool calls it"),
    );
  }),

  defineCheck("TW-VIEW-003", async (context) => {
    const tools = (await context.createReady()).callableTools();
    const calls = context.samples("succeedingCalls");
    const names = new Map(
      [...sampleToolNames(context)].map((name, at) => [name, `other_name_${at}_`]),
    );
    const chooses = tools.some((tool) => names.has(tool.spec.name) && delegates(tool));
    const renamed = rename(
      filter(toolsSource("conformance", tools), ({ spec }) => chooses || names.has(spec.name)),
      Object.fromEntries(names),
    );
    const executor = createExecutor(tools);
    const otherExecutor = createExecutor(renamed.tools());
    const done = "Compared each call with the same call of a tool that was renamed";
    return checkEach(labelCalls(calls), done, async ({ call, label }) => {
      const alone = async (): Promise<string> =>
        comparableText(await runSample(context, executor, call));
      const first = await alone();
      const name = names.get(call.tool) ?? call.tool;
      const answer = comparableText(
        await runSample(context, otherExecutor, { ...call, tool: name }),
      );
      // A result may contain the tool's name in the view.
      const other = answer.replaceAll(name, call.tool);
      return findDifference(
        { label, alone, first, other },
        "has a different result under another name",
      );
    });
  }),
];

async function checkView(context: CheckContext): Promise<Finding> {
  const hidden = chooseHiddenNames(context, await context.subject());
  const done = `Checked rules on a view with a prefix and ${hidden.size} tools hidden.`;
  const view = createViewManifest(context.manifest, hidden);
  const results = await context.checkOther(view, viewRules.flatMap(collectPresupposed));
  const [first, ...others] = results.filter(({ status }) => status === "failed");
  if (first === undefined) return passed(`${done} ${results.length} rules hold.`);
  const more = others.length === 0 ? "" : ` So do ${others.map(({ id }) => id).join(", ")}.`;
  const message = `${first.id} holds for the tools, but fails for the view: ${first.message}${more}`;
  return failed(message, `${done} ${first.done ?? ""}`, first.seen);
}

/** The rule with the rules that it builds on. */
function collectPresupposed(id: string): string[] {
  const presupposed = requirements.find((rule) => rule.id === id)?.presupposes ?? [];
  return [...presupposed.flatMap(collectPresupposed), id];
}

/** The approximate number of tools that stay, of those that no sample call needs. */
const minVisibleTools = 20;

/**
 * The names of tools to hide: about half of those that no sample call needs, and more of many. At
 * least one tool stays. All tools that cannot be read are hidden, since views do not change them.
 */
function chooseHiddenNames(context: CheckContext, { tools }: Subject): Set<string> {
  const needed = sampleToolNames(context);
  if (tools.some(({ name, tool }) => needed.has(name) && delegates(tool))) return new Set();
  const oneOf = Math.max(2, Math.ceil(tools.length / minVisibleTools));
  const hidden = tools.filter(
    ({ name, spec }) =>
      !needed.has(name) &&
      (spec === undefined ||
        Number.parseInt(shortHash(`${context.seed}:${name}`), 36) % oneOf !== 0),
  );
  const names = hidden.map(({ name }) => name);
  return new Set(hidden.length === tools.length ? names.slice(1) : names);
}

/** True for a tool that delegates to other tools, which must not be hidden. */
function delegates({ delegates }: Tool): boolean {
  return delegates === true;
}

/** The names of the tools that sample calls need. */
function sampleToolNames({ manifest }: CheckContext): Set<string> {
  return new Set(
    Object.values(manifest.samples ?? {}).flatMap((calls: readonly SampleCall[]) =>
      calls.map(({ tool }) => tool),
    ),
  );
}

/** The id of a call, alone and within another one, since some tools return it. */
function toCallId(at: number): string {
  return `conformance:${at}`;
}

/** The outcomes of all succeeding calls, made one after the other by one running tool. */
async function callFromTool(
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
        const call = { id: toCallId(at), name: tool, arguments: args };
        outcomes.push(await scope.execute(call));
      }
    },
  };
  await runSample(context, createExecutor([...tools, caller]), { tool: name, arguments: {} });
  return outcomes;
}

/** A call with its result. */
interface MadeCall {
  readonly label: string;
  readonly alone: () => Promise<string>;
  readonly first: string;
}

/** Finds a call with a different result, if the call alone always has the same result. */
async function findDifference(
  { alone, first, other }: MadeCall & { readonly other: string },
  wrong: string,
): Promise<Fault | undefined> {
  if (first === other || !(await isDeterministic(first, alone))) return undefined;
  return { wrong, seen: `alone ${first}, otherwise ${other}` };
}

const viewPrefix = "view";

/**
 * Creates a manifest for a view of the manifest's source: every name has a prefix, and some tools
 * are hidden. Its declarations are adapted to the view. A view of a view works as well.
 *
 * @param hidden the names of tools to hide, as the source of the manifest lists them.
 */
export function createViewManifest(manifest: Manifest, hidden: ReadonlySet<string>): Manifest {
  const {
    samples,
    generatedCalls,
    change,
    knownFailing: _,
    createWithSchema: __,
    ...rest
  } = manifest;
  const inner = new WeakMap<ToolSource, ToolSource>();
  return {
    ...rest,
    name: `${manifest.name}, prefixed and filtered`,
    ...(samples === undefined ? {} : { samples: prefixSamples(samples) }),
    ...(generatedCalls === undefined ? {} : { generatedCalls: prefixNames(generatedCalls) }),
    ...(change === undefined ? {} : { change: (view) => change(inner.get(view) ?? view) }),
    create: async () => {
      const made = await manifest.create();
      const source = "tools" in made ? made : toolsSource(manifest.name, made);
      const view = prefix(
        filter(source, ({ spec }) => !hidden.has(spec.name)),
        viewPrefix,
      );
      inner.set(view, source);
      return view;
    },
  };
}

function prefixNames(names: "all" | readonly string[]): "all" | readonly string[] {
  return names === "all" ? names : names.map((name) => prefixName(viewPrefix, name));
}

function prefixSamples(samples: SampleCalls): SampleCalls {
  const renamed = Object.entries(samples).map(([kind, calls]) => [
    kind,
    (calls as readonly SampleCall[]).map((call) => ({
      ...call,
      tool: prefixName(viewPrefix, call.tool),
    })),
  ]);
  return Object.fromEntries(renamed) as SampleCalls;
}
