import {
  filter,
  prefix,
  prefixName,
  shortHash,
  toolsSource,
  type ToolSource,
} from "@toolweave/core";
import { check, type Check, type CheckContext } from "../check.ts";
import { failed, passed, type Finding } from "../finding.ts";
import type { Subject } from "../subject.ts";
import type { Manifest, SampleCall, SampleCalls } from "../manifest.ts";

const viewPrefix = "view";

/** What a host does to a source before it uses it. */
export const viewChecks: readonly Check[] = [check("TW-VIEW-001", viewHolds)];

async function viewHolds(context: CheckContext): Promise<Finding> {
  const hidden = hiddenNames(context, await context.subject());
  const done = `Checked all rules on a view with a prefix and ${hidden.size} tools hidden.`;
  const results = await context.holding(viewOf(context.manifest, hidden));
  const [first, ...others] = results.filter(({ status }) => status === "failed");
  if (first === undefined) return passed(`${done} ${results.length} rules held before.`);
  const more = others.length === 0 ? "" : ` So do ${others.map(({ id }) => id).join(", ")}.`;
  const message = `${first.id} holds for the tools and fails for the view: ${first.message}${more}`;
  return failed(message, `${done} ${first.done ?? ""}`, first.seen);
}

/**
 * About half of what no sample call needs, one tool at least stays; and every tool that cannot be
 * read, since what a view makes of it is no news.
 */
function hiddenNames({ manifest, seed }: CheckContext, { tools }: Subject): Set<string> {
  const needed = new Set(
    Object.values(manifest.samples ?? {}).flatMap((calls: readonly SampleCall[]) =>
      calls.map(({ tool }) => tool),
    ),
  );
  const hidden = tools.filter(
    ({ name, spec }) =>
      !needed.has(name) &&
      (spec === undefined || Number.parseInt(shortHash(`${seed}:${name}`), 36) % 2 === 0),
  );
  const names = hidden.map(({ name }) => name);
  return new Set(hidden.length === tools.length ? names.slice(1) : names);
}

function viewOf(manifest: Manifest, hidden: ReadonlySet<string>): Manifest {
  const { samples, generatedCalls, change, knownFailing: _, ...rest } = manifest;
  const inner = new WeakMap<ToolSource, ToolSource>();
  return {
    ...rest,
    name: `${manifest.name}, prefixed and filtered`,
    ...(samples === undefined ? {} : { samples: renamedSamples(samples) }),
    ...(generatedCalls === undefined ? {} : { generatedCalls: renamedNames(generatedCalls) }),
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

function renamedNames(names: "all" | readonly string[]): "all" | readonly string[] {
  return names === "all" ? names : names.map((name) => prefixName(viewPrefix, name));
}

function renamedSamples(samples: SampleCalls): SampleCalls {
  const renamed = Object.entries(samples).map(([kind, calls]) => [
    kind,
    (calls as readonly SampleCall[]).map((call) => ({
      ...call,
      tool: prefixName(viewPrefix, call.tool),
    })),
  ]);
  return Object.fromEntries(renamed) as SampleCalls;
}
