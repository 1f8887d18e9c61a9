import type { Declaration, Manifest, SampleKind } from "./manifest.ts";

/** Everything that a manifest can declare, with its place in the manifest. */
const declarationPaths: Readonly<Record<Declaration, string>> = {
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
export const declarations: readonly Declaration[] = Object.keys(declarationPaths) as Declaration[];

/** The place of a declaration in a manifest: `samples.slowCalls`. */
export function declarationPath(declaration: Declaration): string {
  return declarationPaths[declaration];
}

/** True if the manifest declares it. An empty list declares nothing. */
export function isDeclared(manifest: Manifest, declaration: Declaration): boolean {
  const given = declarationPath(declaration).startsWith("samples.")
    ? manifest.samples?.[declaration as SampleKind]
    : manifest[declaration as Exclude<Declaration, SampleKind>];
  return Array.isArray(given) ? given.length > 0 : given !== undefined;
}

/**
 * The reason that the manifest gives for a missing declaration; `undefined` if it gives none or
 * declares it.
 */
export function absenceReason(manifest: Manifest, declaration: Declaration): string | undefined {
  const { without } = manifest;
  if (typeof without !== "string") return without?.[declaration];
  return isDeclared(manifest, declaration) ? undefined : without;
}
