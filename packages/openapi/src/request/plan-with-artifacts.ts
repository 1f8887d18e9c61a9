import { ToolError, type JsonObject, type ToolContext } from "@toolweave/core";
import type { StoredContent } from "@toolweave/core/adapter";
import { pendingFile, type BodyFile } from "../body/body-writer.ts";
import type { OperationSettings } from "../settings/operation-settings.ts";
import type { PlannedRequest, RequestPlan } from "./request-plan.ts";

const maxArtifacts = 100;
const maxArtifactBytes = 268_435_456;

/** Returns the plan with the host's fixed values in place of passed ones, and without hidden arguments. */
export function planWithFixed(
  plan: RequestPlan,
  { hidden, fixed = {} }: Pick<OperationSettings, "hidden" | "fixed">,
): RequestPlan {
  if (hidden.length === 0) return plan;
  const isHidden = new Set(hidden);
  return (args, files) => {
    const chosen = Object.entries(args).filter(([name]) => !isHidden.has(name));
    return plan({ ...Object.fromEntries(chosen), ...fixed }, files);
  };
}

/**
 * Plans a request with the artifacts that its arguments name, which only the tool's context can read: a download can be
 * uploaded again without passing through the model.
 *
 * @throws ToolError `artifact_missing`; `limit_exceeded` for more than 100, or more than 256 MiB of them.
 */
export async function planWithArtifacts(
  plan: RequestPlan,
  args: JsonObject,
  { artifacts }: ToolContext,
): Promise<PlannedRequest> {
  const named: string[] = [];
  const request = plan(args, (key) => (named.push(key), pendingFile));
  if (named.length === 0) return request;
  const contents = new Map<string, StoredContent>();
  for (const key of new Set(named)) {
    if (contents.size === maxArtifacts) throw limitError(`${maxArtifacts} artifacts`);
    contents.set(key, await artifacts.read(key));
  }
  const size = named.reduce((sum, key) => sum + (contents.get(key)?.ref.size ?? 0), 0);
  if (size > maxArtifactBytes) throw limitError(`${maxArtifactBytes} bytes of artifacts`);
  const files = new Map<string, BodyFile>();
  for (const [key, content] of contents) {
    const { mediaType, name } = content.ref;
    const bytes = await content.bytes();
    files.set(key, { bytes, mediaType, ...(name === undefined ? {} : { name }) });
  }
  return plan(args, (key) => files.get(key) ?? pendingFile);
}

function limitError(limit: string): ToolError {
  return new ToolError("limit_exceeded", `One call can send at most ${limit}: send less.`);
}
