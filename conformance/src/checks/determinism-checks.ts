import { canonicalJson, type Tool } from "@toolweave/core";
import { callLabel, executorOfSource, runSample } from "../execution/sample-run.ts";
import { check, type Check, type CheckContext } from "../context/check.ts";
import { notApplicable } from "../contract/finding.ts";
import { described, checkEach, type DescribedTool } from "../reading/check-each.ts";
import { readSpec } from "../reading/read-spec.ts";
import { changedField, otherPlace, type ChangedField } from "../reading/spec-content.ts";
import { drawn } from "../schema/drawn.ts";

/** Making and writing down a spec takes its time: of more tools the seed chooses. */
const maxTools = 40;

/** What a model sees of a tool. */
const shownFields = ["name", "description", "inputSchema"] as const;

/** What stays the same from one time to the next. */
export const determinismChecks: readonly Check[] = [
  check("TW-DET-001", async (context) => {
    const pairs = await madeTwice(context);
    return checkEach(pairs, "Made it twice and compared the specs", ({ first, second }) => {
      const changed = changedField(otherPlace(first.spec), otherPlace(second.spec));
      return (
        changed && { wrong: `has another ${changed.field} each time it is made`, seen: changed }
      );
    });
  }),

  check("TW-DET-002", async (context) => {
    const tools = await someTools(context);
    return checkEach(tools, "Read each spec again", ({ tool, spec }) => {
      const changed = changedSince(tool, spec);
      return (
        changed && { wrong: `has another ${changed.field} each time it is read`, seen: changed }
      );
    });
  }),

  check("TW-DET-003", async (context) => {
    const subject = await context.fresh();
    const tools = drawn(described(subject.source.tools().map(readSpec)), maxTools, context.seed);
    const steady = tools.filter(({ tool, spec }) => changedSince(tool, spec) === undefined);
    const executor = executorOfSource(subject);
    const calls = context.samples("succeedingCalls");
    for (const call of calls) {
      // Whether it succeeds is TW-CALL-002's to say.
      await runSample(context, executor, call);
    }
    const done = `Read the specs before and after ${calls.map(callLabel).join(", ").slice(0, 200)}`;
    return checkEach(steady, done, ({ tool, spec }) => {
      const changed = changedSince(tool, spec);
      return (
        changed && {
          wrong: `has another ${changed.field} after calls: give what has changed as another tool, and call the listeners`,
          seen: changed,
        }
      );
    });
  }),

  check("TW-DET-004", async (context) => {
    const tools = (await someTools(context)).filter(
      ({ tool }) => fingerprintOf(tool) !== undefined,
    );
    if (tools.length === 0) return notApplicable("No tool has a fingerprint.");
    return checkEach(tools, "Read each fingerprint twice", ({ tool }) => {
      const read = [fingerprintOf(tool), fingerprintOf(tool)];
      return read[0] === read[1]
        ? undefined
        : { wrong: "has another fingerprint each time it is read", seen: read };
    });
  }),

  check("TW-DET-005", async (context) => {
    const pairs = await madeTwice(context);
    return checkEach(pairs, "Made it twice and compared what a model sees", ({ first, second }) => {
      for (const field of shownFields) {
        const seen = { first: first.spec[field], second: second.spec[field] };
        // Other content is TW-DET-001's to say.
        if (canonicalJson(seen.first) !== canonicalJson(seen.second)) continue;
        if (JSON.stringify(seen.first) !== JSON.stringify(seen.second)) {
          return { wrong: `has its ${field} in another order each time it is made`, seen };
        }
      }
      return undefined;
    });
  }),
];

interface Pair {
  readonly label: string;
  readonly first: DescribedTool;
  readonly second: DescribedTool;
}

/** Tools of one making beside those of another, but for what differs with each reading. */
async function madeTwice(context: CheckContext): Promise<readonly Pair[]> {
  const subject = await context.fresh();
  const names = subject.names();
  const tools = new Map(subject.source.tools().map((tool, index) => [names[index], tool]));
  return (await someTools(context)).flatMap((first) => {
    const tool = tools.get(first.name);
    // One that is not there is TW-NAME-004's to say.
    const [second] = tool === undefined ? [] : described([readSpec(tool, 0)]);
    if (second === undefined || changedSince(first.tool, first.spec) !== undefined) return [];
    return [{ label: first.label, first, second }];
  });
}

async function someTools(context: CheckContext): Promise<readonly DescribedTool[]> {
  const { tools } = await context.subject();
  return drawn(described(tools), maxTools, context.seed);
}

/** What a tool says otherwise now than it did. */
function changedSince(tool: Tool, before: DescribedTool["spec"]): ChangedField | undefined {
  const { spec } = readSpec(tool, 0);
  return spec === undefined ? undefined : changedField(before, spec);
}

/** `undefined` also for one that cannot be read: that is TW-LIFE-018's to say. */
function fingerprintOf(tool: Tool): string | undefined {
  try {
    return tool.fingerprint;
  } catch {
    return undefined;
  }
}
