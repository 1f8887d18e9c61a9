const form = /^(?:artifact:)?(art_[0-9a-f]{32})$/;

/** Creates a key: 128 random bits. */
export function newArtifactKey(): string {
  const bytes = globalThis.crypto.getRandomValues(new Uint8Array(16));
  return `art_${Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}

/**
 * The key of an artifact in an argument that may be one: `art_…`, or `artifact:art_…`. `undefined`: it is not a key.
 */
export function artifactKey(value: unknown): string | undefined {
  return typeof value === "string" && value.length < 50 ? form.exec(value)?.[1] : undefined;
}
