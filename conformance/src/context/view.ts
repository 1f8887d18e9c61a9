import { filter, prefix, prefixName, toolsSource, type ToolSource } from "@toolweave/core";
import type { Manifest, SampleCall, SampleCalls } from "../contract/manifest.ts";

const viewPrefix = "view";

/**
 * The same manifest for a view of its source: every name gets a prefix, and some tools are hidden.
 * What it declares is declared for the view; a view of a view is one, too.
 *
 * @param hidden the names of tools that are left out, as the manifest's own source lists them.
 */
export function viewOf(manifest: Manifest, hidden: ReadonlySet<string>): Manifest {
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
