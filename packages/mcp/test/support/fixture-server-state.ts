import type { CallToolResult, JSONObject } from "@modelcontextprotocol/server";

/** A task of the fixture server, in whichever generation it was made. */
export interface FixtureTask {
  readonly id: string;
  readonly tool: string;
  readonly plan: TaskPlan;
  status: "working" | "input_required" | "completed" | "failed" | "cancelled";
  /** How often it has been looked at. */
  looks: number;
  /** What a person answered. */
  answer?: JSONObject;
  /** Called whenever it has moved on. */
  moved?: () => void;
}

/** What a task does: it moves on each time that somebody looks at it, and so never depends on time. */
export interface TaskPlan {
  /** How many looks it takes. */
  readonly steps: number;
  readonly outcome: "complete" | "error" | "fail" | "ask" | "never";
  readonly pollMs: number;
}

/** What may have changed: a list, or the resource at `uri`. */
export interface FixtureChange {
  readonly what: "tools" | "prompts" | "resources" | "resource";
  readonly uri?: string;
}

/** What outlives a server that is made anew for each request. */
export class FixtureWorld {
  /** Grows with each change of the tools. */
  edition = 0;
  /** The requests that were cancelled, by the `label` that they were made with. */
  readonly cancelled: string[] = [];
  readonly tasks: Map<string, FixtureTask> = new Map();
  /** Answers that a task has begun wait for this. */
  answering: Promise<void> | undefined;
  /** Whoever has to be told of changes. */
  readonly listeners: Set<(change: FixtureChange) => void> = new Set();

  announce(change: FixtureChange): void {
    if (change.what === "tools") this.edition += 1;
    for (const listener of this.listeners) listener(change);
  }
}

/** An answer of one text. */
export const said = (text: string): CallToolResult => ({ content: [{ type: "text", text }] });

/** One grey pixel. */
export const picture =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg==";

/** A sound of no length. */
export const sound = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=";

/** What pictures of a tool, a resource, a prompt or the server look like. */
export const icons: { src: string; mimeType: string; sizes: string[] }[] = [
  { src: `data:image/png;base64,${picture}`, mimeType: "image/png", sizes: ["1x1"] },
];
