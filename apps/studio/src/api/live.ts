import type { Status, ToolList } from "@toolweave/console";
import { changesApprovals, sharedResource } from "./shared-resource.ts";

/** The state of the console. */
export const status = sharedResource<Status>(
  "/api/status",
  (event) => event.type === "registry.changed" || changesApprovals(event),
);

/** All tools at once: the page filters by itself. */
export const toolList = sharedResource<ToolList>(
  "/api/tools?limit=50000",
  ({ type }) => type === "registry.changed",
);
