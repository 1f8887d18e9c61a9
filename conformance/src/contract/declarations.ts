import type { Declaration, Manifest, SampleKind } from "./manifest.ts";

/** Everything that a manifest can declare, and where it does. */
const places: Readonly<Record<Declaration, string>> = {
  succeedingCalls: "samples.succeedingCalls",
  failingCalls: "samples.failingCalls",
  slowCalls: "samples.slowCalls",
  effectCalls: "samples.effectCalls",
  suspendingCalls: "samples.suspendingCalls",
  updatingCalls: "samples.updatingCalls",
  largeCalls: "samples.largeCalls",
  generatedCalls: "generatedCalls",
  state: "state",
  secrets: "secrets",
  change: "change",
  outage: "outage",
};

/** Everything that a manifest can declare. */
export const declarations: readonly Declaration[] = Object.keys(places) as Declaration[];

/** Where a manifest declares it: `samples.slowCalls`. */
export function placeOf(declaration: Declaration): string {
  return places[declaration];
}

/** True when the manifest declares it; an empty list declares nothing. */
export function declares(manifest: Manifest, declaration: Declaration): boolean {
  const given = placeOf(declaration).startsWith("samples.")
    ? manifest.samples?.[declaration as SampleKind]
    : manifest[declaration as Exclude<Declaration, SampleKind>];
  return Array.isArray(given) ? given.length > 0 : given !== undefined;
}

/** Why the manifest has none of it; `undefined`: it has, or does not say. */
export function reasonWithout(manifest: Manifest, declaration: Declaration): string | undefined {
  const { without } = manifest;
  if (typeof without !== "string") return without?.[declaration];
  return declares(manifest, declaration) ? undefined : without;
}
