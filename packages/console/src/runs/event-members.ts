import type { JsonValue } from "@toolweave/core";
import type { SpanArtifact, SpanEvent } from "./span.ts";

/** Reads a member of an event that must be a text. */
export function readText(event: SpanEvent, name: string): string | undefined {
  const value = readMember(event, name);
  return typeof value === "string" ? value : undefined;
}

/** Reads a member of an event that must be a number. */
export function readNumber(event: SpanEvent, name: string): number | undefined {
  const value = readMember(event, name);
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

/** Reads a member of an event. */
export function readMember(event: SpanEvent, name: string): unknown {
  return (event as unknown as Readonly<Record<string, unknown>>)[name];
}

/** Reads the result of a completed call: its value, or its content without binary data. */
export function readOutput(event: SpanEvent): JsonValue | undefined {
  const value = readMember(event, "value");
  if (value !== undefined) return value as JsonValue;
  const content = readMember(event, "content");
  return Array.isArray(content) ? content.map(withoutData) : undefined;
}

/** Replaces the data of an image, a sound or a file by its size. */
function withoutData(block: unknown): JsonValue {
  if (typeof block !== "object" || block === null) return null;
  const { type, data, mimeType, resource, ...others } = block as Readonly<Record<string, unknown>>;
  if (typeof data === "string") {
    return { type: String(type), mediaType: String(mimeType), bytes: getBytes(data) };
  }
  const { blob, ...described } = (resource ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof blob !== "string") return block as JsonValue;
  return {
    type: String(type),
    ...others,
    resource: { ...described, bytes: getBytes(blob) },
  } as JsonValue;
}

/** The number of bytes that a base64 text has. */
function getBytes(base64: string): number {
  const padding = base64.endsWith("==") ? 2 : base64.endsWith("=") ? 1 : 0;
  return Math.max(0, Math.floor((base64.length * 3) / 4) - padding);
}

/** Reads the artifacts of a completed call. */
export function readArtifacts(event: SpanEvent): readonly SpanArtifact[] | undefined {
  const refs = readMember(event, "artifacts");
  if (!Array.isArray(refs)) return undefined;
  return refs.flatMap((ref: unknown) => {
    const { key, name, size } = (ref ?? {}) as Readonly<Record<string, unknown>>;
    if (typeof key !== "string") return [];
    return [
      {
        key,
        ...(typeof name === "string" ? { name } : {}),
        ...(typeof size === "number" ? { bytes: size } : {}),
      },
    ];
  });
}

/** Estimates the characters that a JSON value takes. Each part of it is visited once. */
export function estimateSize(value: unknown): number {
  switch (typeof value) {
    case "string":
      return value.length + 2;
    case "object": {
      if (value === null) return 4;
      let size = 2;
      if (Array.isArray(value)) {
        for (const item of value) size += estimateSize(item) + 1;
        return size;
      }
      for (const [key, member] of Object.entries(value))
        size += key.length + 4 + estimateSize(member);
      return size;
    }
    default:
      return 8;
  }
}
