import type { CallToolResult, JSONObject } from "@modelcontextprotocol/server";

/** A task of the fixture server, of either generation. */
export interface FixtureTask {
  readonly id: string;
  readonly tool: string;
  readonly plan: TaskPlan;
  status: "working" | "input_required" | "completed" | "failed" | "cancelled";
  /** The number of polls. */
  looks: number;
  /** The answer of a person. */
  answer?: JSONObject;
  /** Called whenever its state has changed. */
  moved?: () => void;
}

/** The work of a task: it advances with each poll, and so never depends on time. */
export interface TaskPlan {
  /** The number of polls that it takes. */
  readonly steps: number;
  readonly outcome: "complete" | "error" | "fail" | "ask" | "never";
  readonly pollMs: number;
}

/** A possible change: a list, or the resource at `uri`. */
export interface FixtureChange {
  readonly what: "tools" | "prompts" | "resources" | "resource";
  readonly uri?: string;
}

/** The state that outlives a server that is created for each request. */
export class FixtureWorld {
  /** Increases with each change of the tools. */
  edition = 0;
  /** The cancelled requests, by the `label` that they were made with. */
  readonly cancelled: string[] = [];
  readonly tasks: Map<string, FixtureTask> = new Map();
  /** The response of a created task waits for this. */
  answering: Promise<void> | undefined;
  /** The listeners for changes. */
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

/** Audio of length zero. */
export const sound = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=";

/** The icons of a tool, a resource, a prompt or the server. */
export const icons: { src: string; mimeType: string; sizes: string[] }[] = [
  { src: `data:image/png;base64,${picture}`, mimeType: "image/png", sizes: ["1x1"] },
];
