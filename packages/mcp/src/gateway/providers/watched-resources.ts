import { describeLimit } from "../clients/caller-budgets.ts";
import type { GatewayClient } from "../clients/gateway-client.ts";
import type { ProviderAggregator } from "./provider-aggregator.ts";
import { errorCode, McpError } from "../clients/request-port.ts";

/** Watches resources on behalf of clients: a provider has one subscription, however many clients watch. */
export class WatchedResources {
  readonly #providers: ProviderAggregator;
  readonly #watchers = new Map<string, number>();

  constructor(providers: ProviderAggregator) {
    this.#providers = providers;
  }

  /** @throws McpError when the caller's limit is reached, or no provider supports subscriptions of the resource. */
  async watch(client: GatewayClient, uri: string, signal: AbortSignal): Promise<void> {
    if (client.subscriptions.has(uri)) return;
    if (!client.subscribe(uri)) throw tooManySubscriptions();
    const watchers = this.#watchers.get(uri) ?? 0;
    this.#watchers.set(uri, watchers + 1);
    try {
      await this.#providers.subscribe(uri, { client, signal }, watchers > 0);
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
    void this.#providers.unsubscribe(uri);
  }

  /** Ends the subscriptions of a client. */
  removeClient(client: GatewayClient): void {
    for (const uri of [...client.subscriptions]) this.unwatch(client, uri);
  }
}

/** Error for a caller that has reached its limit of subscriptions. */
function tooManySubscriptions(): McpError {
  return new McpError(
    errorCode.internal,
    `This caller has reached its limit of subscriptions: end one of them first. ${describeLimit("subscriptions")}`,
  );
}
