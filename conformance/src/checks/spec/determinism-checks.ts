import type { Tool, ToolSpec } from "@toolweave/core";
import { canonicalJson, isObject } from "@toolweave/core/adapter";
import { formatCall, createSourceExecutor, runSample } from "../../execution/run-sample.ts";
import { defineCheck, type Check, type CheckContext } from "../../context/check.ts";
import { notApplicable } from "../../contract/finding.ts";
import { withReadableSpec, checkEach, type DescribedTool } from "../../faults/check-each.ts";
import { readSpec } from "../../faults/read-spec.ts";
import { drawSubset } from "../../schema/generation-settings.ts";

/** The maximum number of tools to compare, chosen by the seed, since serializing specs is slow. */
const maxTools = 40;

/** The fields of a spec that a model receives. */
const modelFields = ["name", "description", "inputSchema"] as const;

/** Checks of determinism. */
export const determinismChecks: readonly Check[] = [
  defineCheck("TW-DET-001", async (context) => {
    const pairs = await createTwice(context);
    return checkEach(pairs, "Created it twice and compared the specs", ({ first, second }) => {
      const changed = findChangedField(withoutLocation(first.spec), withoutLocation(second.spec));
      return (
        changed && {
          wrong: `has a different ${changed.field} each time it is created`,
          seen: changed,
        }
      );
    });
  }),

  defineCheck("TW-DET-002", async (context) => {
    const tools = await selectTools(context);
    return checkEach(tools, "Read each spec again", ({ tool, spec }) => {
      const changed = findChange(tool, spec);
      return (
        changed && { wrong: `has a different ${changed.field} each time it is read`, seen: changed }
      );
    });
  }),

  defineCheck("TW-DET-003", async (context) => {
    const subject = await context.createReady();
    const tools = drawSubset(
      withReadableSpec(subject.source.tools().map(readSpec)),
      maxTools,
      context.seed,
    );
    const steady = tools.filter(({ tool, spec }) => findChange(tool, spec) === undefined);
    const executor = createSourceExecutor(subject);
    const calls = context.samples("succeedingCalls");
    for (const call of calls) {
      // TW-CALL-002 reports a call that fails.
      await runSample(context, executor, call);
    }
    const done = `Read the specs before and after ${calls.map(formatCall).join(", ").slice(0, 200)}`;
    return checkEach(steady, done, ({ tool, spec }) => {
      const changed = findChange(tool, spec);
      return (
        changed && {
          wrong: `has a different ${changed.field} after calls: replace the tool and notify the listeners`,
          seen: changed,
        }
      );
    });
  }),

  defineCheck("TW-DET-004", async (context) => {
    const tools = (await selectTools(context)).filter(
      ({ tool }) => readFingerprint(tool) !== undefined,
    );
    if (tools.length === 0) return notApplicable("No tool has a fingerprint.");
    return checkEach(tools, "Read each fingerprint twice", ({ tool }) => {
      const read = [readFingerprint(tool), readFingerprint(tool)];
      return read[0] === read[1]
        ? undefined
        : { wrong: "has a different fingerprint each time it is read", seen: read };
    });
  }),

  defineCheck("TW-DET-005", async (context) => {
    const pairs = await createTwice(context);
    return checkEach(
      pairs,
      "Created it twice and compared what a model receives",
      ({ first, second }) => {
        for (const field of modelFields) {
          const seen = { first: first.spec[field], second: second.spec[field] };
          // TW-DET-001 reports different content.
          if (canonicalJson(seen.first) !== canonicalJson(seen.second)) continue;
          if (JSON.stringify(seen.first) !== JSON.stringify(seen.second)) {
            return { wrong: `has its ${field} in a different order each time it is created`, seen };
          }
        }
        return undefined;
      },
    );
  }),
];

interface Pair {
  readonly label: string;
  readonly first: DescribedTool;
  readonly second: DescribedTool;
}

/** Pairs of the same tool from two subjects, without tools that differ each time they are read. */
async function createTwice(context: CheckContext): Promise<readonly Pair[]> {
  const subject = await context.createReady();
  const names = subject.names();
  const tools = new Map(subject.source.tools().map((tool, index) => [names[index], tool]));
  return (await selectTools(context)).flatMap((first) => {
    const tool = tools.get(first.name);
    // TW-NAME-004 reports a missing tool.
    const [second] = tool === undefined ? [] : withReadableSpec([readSpec(tool, 0)]);
    if (second === undefined || findChange(first.tool, first.spec) !== undefined) return [];
    return [{ label: first.label, first, second }];
  });
}

async function selectTools(context: CheckContext): Promise<readonly DescribedTool[]> {
  const { tools } = await context.subject();
  return drawSubset(withReadableSpec(tools), maxTools, context.seed);
}

/** Finds a field of a tool that has changed since it was read. */
function findChange(tool: Tool, before: DescribedTool["spec"]): ChangedField | undefined {
  const { spec } = readSpec(tool, 0);
  return spec === undefined ? undefined : findChangedField(before, spec);
}

/** The fingerprint; `undefined` if it cannot be read, which TW-LIFE-018 reports. */
function readFingerprint(tool: Tool): string | undefined {
  try {
    return tool.fingerprint;
  } catch {
    return undefined;
  }
}

/** A field in which two specs differ. */
interface ChangedField {
  readonly field: string;
  readonly before: unknown;
  readonly after: unknown;
}

/** Finds the first field whose content differs, independent of the order of keys. */
function findChangedField(before: ToolSpec, after: ToolSpec): ChangedField | undefined {
  const old = before as unknown as Readonly<Record<string, unknown>>;
  const now = after as unknown as Readonly<Record<string, unknown>>;
  for (const field of new Set([...Object.keys(old), ...Object.keys(now)])) {
    if (old[field] === now[field]) continue;
    if (canonicalJson(old[field]) === canonicalJson(now[field])) continue;
    return { field, before: old[field], after: now[field] };
  }
  return undefined;
}

/**
 * The spec without the fields in which instances may differ: the source of its provenance, and the
 * workspace folder.
 */
function withoutLocation(spec: ToolSpec): ToolSpec {
  const { provenance, annotations } = spec;
  const { source: _, ...from } = isObject(provenance) ? provenance : {};
  const { access } = isObject(annotations) ? (annotations as ToolSpec["annotations"]) : {};
  const { workspaceRoot: __, ...reaches } = access ?? {};
  return {
    ...spec,
    provenance: from as ToolSpec["provenance"],
    annotations: { ...annotations, ...(access === undefined ? {} : { access: reaches }) },
  };
}
