import type { InboundMessages } from "../server-requests/inbound-messages.ts";
import type { McpConnection } from "../transport/messages/mcp-connection.ts";

/** A connection with what goes on over it. */
export class ConnectionLease {
  readonly connection: McpConnection;
  /** What its server asks and tells. */
  readonly conversation: InboundMessages;
  /** A call has been answered over it. */
  hasAnswered = false;
  #running = 0;
  #isRetired = false;

  constructor(connection: McpConnection, conversation: InboundMessages) {
    this.connection = connection;
    this.conversation = conversation;
  }

  /** Nothing is under way over it. */
  get isIdle(): boolean {
    return this.#running === 0;
  }

  /** Something begins that needs it. */
  begin(): void {
    this.#running += 1;
  }

  /** It is done. */
  done(): void {
    this.#running -= 1;
    if (this.#isRetired && this.isIdle) void this.connection.close();
  }

  /** Nothing new comes over it, and it ends with what is under way. */
  retire(): void {
    this.#isRetired = true;
    if (this.isIdle) void this.connection.close();
  }
}
