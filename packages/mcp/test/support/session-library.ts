import { randomUUID } from "node:crypto";
import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/server";
import { library } from "./library.ts";

/** Sessions of the older protocol generation, each with its own server. */
export class SessionLibrary {
  readonly #sessions = new Map<string, WebStandardStreamableHTTPServerTransport>();

  /** The number of open ones. */
  get open(): number {
    return this.#sessions.size;
  }

  /** As after a restart. */
  forget(): void {
    this.#sessions.clear();
  }

  async fetch(request: Request): Promise<Response> {
    const id = request.headers.get("mcp-session-id");
    if (id !== null) {
      const known = this.#sessions.get(id);
      return known?.handleRequest(request) ?? new Response(null, { status: 404 });
    }
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (opened) => void this.#sessions.set(opened, transport),
      onsessionclosed: (closed) => void this.#sessions.delete(closed),
    });
    await library({ edition: 0 }).connect(transport);
    return transport.handleRequest(request);
  }
}
