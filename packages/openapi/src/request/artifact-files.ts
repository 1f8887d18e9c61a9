import { ToolError, type JsonObject, type StoredContent, type ToolContext } from "@toolweave/core";
import type { PlannedRequest, RequestPlan } from "./request-plan.ts";

/** Bytes of a request's body, and what is known of them when they come from an artifact. */
export interface BodyFile {
  readonly bytes: Uint8Array;
  readonly mediaType?: string;
  readonly name?: string;
  /** The artifact has not been read yet: the request is planned without its bytes. */
  readonly pending?: true;
}

/** Gives what is stored under a key that stands in an argument instead of base64. */
export type ArtifactFiles = (key: string) => BodyFile;

const mostArtifacts = 100;
const mostBytes = 268_435_456;

const empty: BodyFile = { bytes: new Uint8Array(), pending: true };

/** For a request that is shown and not sent. */
export const noFiles: ArtifactFiles = () => empty;

/**
 * Plans a request with the artifacts that its arguments name, which only the tool's context can read:
 * what has been downloaded is uploaded without passing through the model.
 *
 * @throws ToolError `artifact_missing`; `limit_exceeded` for more than 100, or more than 256 MiB of them.
 */
export async function planWithArtifacts(
  plan: RequestPlan,
  args: JsonObject,
  { artifacts }: ToolContext,
): Promise<PlannedRequest> {
  const named: string[] = [];
  const request = plan(args, (key) => (named.push(key), empty));
  if (named.length === 0) return request;
  const contents = new Map<string, StoredContent>();
  for (const key of new Set(named)) {
    if (contents.size === mostArtifacts) throw tooMuch(`${mostArtifacts} artifacts`);
    contents.set(key, await artifacts.read(key));
  }
  const size = named.reduce((sum, key) => sum + (contents.get(key)?.ref.size ?? 0), 0);
  if (size > mostBytes) throw tooMuch(`${mostBytes} bytes of artifacts`);
  const files = new Map<string, BodyFile>();
  for (const [key, content] of contents) {
    const { mediaType, name } = content.ref;
    const bytes = await content.bytes();
    files.set(key, { bytes, mediaType, ...(name === undefined ? {} : { name }) });
  }
  return plan(args, (key) => files.get(key) ?? empty);
}

function tooMuch(most: string): ToolError {
  return new ToolError("limit_exceeded", `One call sends no more than ${most}; send fewer.`);
}
