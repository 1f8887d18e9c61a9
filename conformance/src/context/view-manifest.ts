import { filter, prefix, toolsSource, type ToolSource } from "@toolweave/core";
import { prefixName } from "@toolweave/core/adapter";
import type { Manifest, SampleCall, SampleCalls } from "../contract/manifest.ts";

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
