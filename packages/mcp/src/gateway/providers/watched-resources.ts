import { howToRaise } from "../clients/caller-budgets.ts";
import type { GatewayClient } from "../clients/gateway-client.ts";
import type { ProviderAggregator } from "./provider-aggregator.ts";
import { errorCode, McpError } from "../clients/request-port.ts";

/** Which resources somebody wants to hear of: a provider is asked once, however many clients do. */
export class WatchedResources {
  readonly #offers: ProviderAggregator;
  readonly #watchers = new Map<string, number>();

  constructor(offers: ProviderAggregator) {
    this.#offers = offers;
  }

  /** @throws McpError when the client has as many as it may, or nobody tells it of that resource. */
  async watch(client: GatewayClient, uri: string, signal: AbortSignal): Promise<void> {
    if (client.subscriptions.has(uri)) return;
    if (!client.subscribe(uri)) throw tooMany();
    const watchers = this.#watchers.get(uri) ?? 0;
    this.#watchers.set(uri, watchers + 1);
    try {
      await this.#offers.subscribe(uri, { client, signal }, watchers > 0);
    } catch (error) {
      this.unwatch(client, uri);
      throw error;
    }
  }

  unwatch(client: GatewayClient, uri: string): void {
    if (!client.unsubscribe(uri)) return;
    const watchers = (this.#watchers.get(uri) ?? 1) - 1;
    if (watchers > 0) {
      this.#watchers.set(uri, watchers);
      return;
    }
    this.#watchers.delete(uri);
    void this.#offers.unsubscribe(uri);
  }

  /** The client is gone. */
  forget(client: GatewayClient): void {
    for (const uri of [...client.subscriptions]) this.unwatch(client, uri);
  }
}

/** A caller has as many subscriptions as it may. */
function tooMany(): McpError {
  return new McpError(
    errorCode.internal,
    `This caller has as many subscriptions as it may have: end one of them first. ${howToRaise("subscriptions")}`,
  );
}
