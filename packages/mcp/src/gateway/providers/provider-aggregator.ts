import { ToolError, type Awaitable, type JsonObject } from "@toolweave/core";
import { isObject, isThenable, withTimeout } from "@toolweave/core/adapter";
import {
  getPrefix,
  ProviderProblems,
  type ProviderCall,
  type ProviderCalls,
  type ProviderMethod,
  type ProviderProblem,
} from "./provider-calls.ts";
import type { McpProvider, McpProviderCall } from "../../options/provider.ts";
import { errorCode, McpError } from "../clients/request-port.ts";

/** Milliseconds that a provider gets for a list: a hanging one must not hide the others. */
const answerTimeoutMs = 10_000;
/** Milliseconds that a provider gets at the start for its capabilities; later ones are notified as changes. */
const readyMs = 1_000;

/**
 * Serves the resources and prompts of all providers as one server: resources by their URIs, prompts by prefixed
 * names.
 */
export class ProviderAggregator {
  readonly #providers: readonly McpProvider[];
  readonly #calls: ProviderCalls;
  readonly #problems = new ProviderProblems();
  /** Providers whose capabilities are not known yet. */
  readonly #unknown = new Set<McpProvider>();
  /** Resolves when the capabilities of every provider are known, or its time has passed. */
  readonly #ready: Promise<unknown>;

  constructor(providers: readonly McpProvider[], calls: ProviderCalls) {
    this.#providers = providers;
    this.#calls = calls;
    this.#ready = Promise.all(providers.map((provider) => this.#waitForCapabilities(provider)));
  }

  get problems(): readonly ProviderProblem[] {
    return this.#problems.all;
  }

  /**
   * Capabilities of the gateway. Of a provider whose capabilities are not known yet, all are declared: waiting for it
   * would make the gateway look dead, or as if it only spoke the older protocol.
   */
  get kinds(): Readonly<
    Record<"resources" | "subscribe" | "prompts" | "complete" | "skills", boolean>
  > {
    const some = (has: (provider: McpProvider) => unknown): boolean =>
      this.#providers.some(
        (provider) => this.#unknown.has(provider) || has(provider) !== undefined,
      );
    return {
      resources: some(({ resources }) => resources),
      subscribe: some(({ resources }) => resources?.subscribe),
      prompts: some(({ prompts }) => prompts),
      complete: some(({ complete }) => complete),
      // Clients ask for skills as soon as they are declared: a server that is not known yet has none.
      skills: this.#providers.some(({ skills }) => skills !== undefined),
    };
  }

  /** Returns each URI once: of two providers with the same URI, the first is used. */
  async resources(call: ProviderCall): Promise<readonly JsonObject[]> {
    const lists = await this.#each("resources/read", call, ({ resources }, providerCall) =>
      resources?.list(providerCall),
    );
    return this.#unique("resource", "uri", lists);
  }

  async templates(call: ProviderCall): Promise<readonly JsonObject[]> {
    const lists = await this.#each("resources/read", call, ({ resources }, providerCall) =>
      resources?.templates(providerCall),
    );
    return this.#unique("resource template", "uriTemplate", lists);
  }

  /** Returns the entry of each skill once: of two providers with the same URI, the first is used. */
  async skills(call: ProviderCall): Promise<readonly JsonObject[]> {
    const lists = await this.#each("resources/read", call, ({ skills }, providerCall) =>
      skills?.list(providerCall),
    );
    return this.#unique("skill", "uri", lists);
  }

  /**
   * Returns the entry of one skill, listed or not.
   *
   * @throws McpError `-32602` when no provider has it; ToolError `permission_denied`.
   */
  async skill(uri: string, call: ProviderCall): Promise<JsonObject> {
    const skill = await this.#first(
      this.#providers.filter(({ skills }) => skills !== undefined),
      uri,
      call,
      ({ skills }, providerCall) => skills?.get(uri, providerCall),
    );
    if (skill !== undefined) return skill;
    throw new McpError(errorCode.invalidParams, `No skill is served at ${uri.slice(0, 300)}`, {
      uri,
    });
  }

  /** Returns the prompts with the names that clients use. */
  async prompts(call: ProviderCall): Promise<readonly JsonObject[]> {
    const lists = await this.#each("prompts/get", call, ({ prompts }, providerCall) =>
      prompts?.list(providerCall),
    );
    const named = lists.map(
      ([provider, list]) =>
        [
          provider,
          list.map((prompt) => ({
            ...prompt,
            name: prefixedName(provider, String(prompt["name"])),
          })),
        ] as const,
    );
    return this.#unique("prompt", "name", named);
  }

  /**
   * Handles `resources/read`: by a provider that lists the URI, else by those with a matching template, else by each
   * in turn.
   *
   * @throws McpError `-32602` when no provider has it.
   */
  async read(params: JsonObject, call: ProviderCall): Promise<JsonObject> {
    const uri = String(params["uri"]);
    const owners = await this.#findOwners(uri, call);
    const result = await this.#first(owners, uri, call, ({ resources }, providerCall) =>
      resources?.read(params, providerCall),
    );
    if (result !== undefined) return result;
    throw new McpError(errorCode.invalidParams, "Resource not found", { uri });
  }

  /** @throws McpError `-32602` when there is no such prompt; errors of the provider. */
  async prompt(params: JsonObject, call: ProviderCall): Promise<JsonObject> {
    const { name } = params;
    const found = await this.#findPrompt(name, call);
    if (found === undefined) {
      throw new McpError(errorCode.invalidParams, `Unknown prompt: ${String(name).slice(0, 200)}`);
    }
    const [provider, providerName] = found;
    const { arguments: args } = params;
    const policyArgs = { name: providerName, ...(args === undefined ? {} : { arguments: args }) };
    const prompt = await this.#calls.request(
      provider,
      "prompts/get",
      policyArgs,
      call,
      (providerCall) => provider.prompts?.get({ ...params, name: providerName }, providerCall),
    );
    return prompt ?? { messages: [] };
  }

  /** Returns no values if the provider does not support completion. */
  async complete(params: JsonObject, call: ProviderCall): Promise<JsonObject> {
    const { ref } = params;
    if (!isObject(ref)) throw new McpError(errorCode.invalidParams, "ref must be an object");
    if (ref["type"] === "ref/prompt") {
      const found = await this.#findPrompt(ref["name"], call);
      if (found === undefined) throw new McpError(errorCode.invalidParams, "Unknown prompt");
      const [provider, name] = found;
      return this.#complete(provider, { ...params, ref: { ...ref, name } }, call);
    }
    const uri = String(ref["uri"]);
    const lists = await this.#each("resources/read", call, ({ resources }, providerCall) =>
      resources?.templates(providerCall),
    );
    const owner =
      lists.find(([, list]) => list.some(({ uriTemplate }) => uriTemplate === uri))?.[0] ??
      (await this.#findOwners(uri, call))[0];
    if (owner === undefined || !(await this.#calls.isVisible(owner, "resources/read", call))) {
      return noCompletion;
    }
    return this.#complete(owner, params, call);
  }

  /**
   * Subscribes to changes of a resource.
   *
   * @param isSubscribed Another client has subscribed: only this client's permission is checked.
   * @throws McpError `-32602` when no provider supports it, or it is not allowed for this client; errors of the
   * provider.
   */
  async subscribe(uri: string, call: ProviderCall, isSubscribed: boolean): Promise<void> {
    for (const provider of await this.#findOwners(uri, call)) {
      if (provider.resources?.subscribe === undefined) continue;
      if (!(await this.#calls.isAllowed(provider, "resources/read", call, { uri }))) continue;
      if (!isSubscribed) await provider.resources.subscribe(uri);
      return;
    }
    throw new McpError(
      errorCode.invalidParams,
      "Subscriptions are not supported for this resource",
      {
        uri,
      },
    );
  }

  /** Ends the subscription of a resource. */
  async unsubscribe(uri: string): Promise<void> {
    await Promise.allSettled(
      this.#providers.map(async (provider) => provider.resources?.unsubscribe?.(uri)),
    );
  }

  async #waitForCapabilities(provider: McpProvider): Promise<void> {
    if (provider.ready === undefined) return;
    this.#unknown.add(provider);
    const known = (): void => void this.#unknown.delete(provider);
    await withTimeout(provider.ready.then(known, known), readyMs).catch(() => {});
  }

  async #complete(
    provider: McpProvider,
    params: JsonObject,
    call: ProviderCall,
  ): Promise<JsonObject> {
    const result = await this.#calls.request(
      provider,
      "completion/complete",
      params,
      call,
      (providerCall) => provider.complete?.(params, providerCall),
    );
    return result ?? noCompletion;
  }

  async #findPrompt(
    name: unknown,
    call: ProviderCall,
  ): Promise<readonly [McpProvider, string] | undefined> {
    await this.#ready;
    for (const provider of this.#providers) {
      if (provider.prompts === undefined) continue;
      const prefix = getPrefix(provider);
      if (typeof name !== "string" || !name.startsWith(prefix)) continue;
      const providerName = name.slice(prefix.length);
      if (!(await this.#calls.isVisible(provider, "prompts/get", call))) continue;
      const list = await orUndefined(() => provider.prompts?.list(toProviderCall(call)));
      if (list?.some((prompt) => prompt["name"] === providerName)) return [provider, providerName];
    }
    return undefined;
  }

  /**
   * Requests something about a resource from each provider in turn, until one has it.
   *
   * @returns the first result; undefined: no provider has it.
   */
  async #first(
    providers: readonly McpProvider[],
    uri: string,
    call: ProviderCall,
    ask: (
      provider: McpProvider,
      providerCall: McpProviderCall,
    ) => Awaitable<JsonObject | undefined>,
  ): Promise<JsonObject | undefined> {
    let denied: unknown;
    for (const provider of providers) {
      try {
        const result = await this.#calls.request(
          provider,
          "resources/read",
          { uri },
          call,
          (providerCall) => ask(provider, providerCall),
        );
        if (result !== undefined) return result;
      } catch (error) {
        // If one provider is denied, another one may have the resource.
        if (isDenied(error)) denied ??= error;
        else if (!isNotFound(error)) throw error;
      }
    }
    if (denied !== undefined) throw denied;
    return undefined;
  }

  async #findOwners(uri: string, call: ProviderCall): Promise<readonly McpProvider[]> {
    await this.#ready;
    const withResources = this.#providers.filter(({ resources }) => resources !== undefined);
    if (withResources.length < 2) return withResources;
    const lists = await this.#each("resources/read", call, ({ resources }, providerCall) =>
      resources?.list(providerCall),
    );
    const listed = lists.find(([, list]) => list.some((resource) => resource["uri"] === uri));
    if (listed !== undefined) return [listed[0]];
    const templates = await this.#each("resources/read", call, ({ resources }, providerCall) =>
      resources?.templates(providerCall),
    );
    const matching = templates.filter(([, list]) =>
      list.some(({ uriTemplate }) => matchesTemplate(uri, String(uriTemplate))),
    );
    return matching.length > 0 ? matching.map(([provider]) => provider) : withResources;
  }

  /**
   * Requests a list of each provider that the client may use. A provider that fails, or takes too long, has an empty
   * list.
   */
  async #each(
    method: ProviderMethod,
    call: ProviderCall,
    ask: (
      provider: McpProvider,
      providerCall: McpProviderCall,
    ) => PromiseLike<readonly JsonObject[]> | readonly JsonObject[] | undefined,
  ): Promise<readonly (readonly [McpProvider, readonly JsonObject[]])[]> {
    await this.#ready;
    const providerCall = toProviderCall(call);
    return Promise.all(
      this.#providers.map(async (provider) => {
        const isVisible = await this.#calls.isVisible(provider, method, call);
        const list = isVisible ? await orUndefined(() => ask(provider, providerCall)) : undefined;
        return [provider, list ?? []] as const;
      }),
    );
  }

  #unique(
    kind: string,
    key: string,
    lists: readonly (readonly [McpProvider, readonly JsonObject[]])[],
  ): readonly JsonObject[] {
    const unique = new Map<unknown, JsonObject>();
    for (const [{ id }, list] of lists) {
      for (const entry of list) {
        const subject = entry[key];
        if (!unique.has(subject)) unique.set(subject, entry);
        else this.#problems.add(kind, id, String(subject));
      }
    }
    return Array.from(unique.values());
  }
}

const noCompletion: JsonObject = { completion: { values: [], total: 0, hasMore: false } };

function toProviderCall({ client, signal }: ProviderCall): McpProviderCall {
  return { signal, caller: client.caller };
}

function prefixedName(provider: McpProvider, name: string): string {
  return `${getPrefix(provider)}${name}`;
}

/** True if the policy has denied it. */
function isDenied(error: unknown): boolean {
  return ToolError.is(error) && error.code === "permission_denied";
}

function isNotFound(error: unknown): boolean {
  if (ToolError.is(error)) {
    const code = isObject(error.body) ? error.body["code"] : undefined;
    return error.code === "not_found" || error.code === "invalid_arguments" || code === -32002;
  }
  const { code } = (error ?? {}) as { readonly code?: unknown };
  return code === -32602 || code === -32002;
}

async function orUndefined<T>(ask: () => PromiseLike<T> | T): Promise<T | undefined> {
  try {
    const answer = ask();
    return isThenable(answer) ? await withTimeout(answer, answerTimeoutMs) : answer;
  } catch {
    return undefined;
  }
}

/** True if a template can produce the URI (RFC 6570, as far as that can be decided without values). */
function matchesTemplate(uri: string, template: string): boolean {
  const [first = "", ...rest] = template.split(/\{[^{}]*\}/);
  if (!uri.startsWith(first)) return false;
  let at = first.length;
  for (const [index, part] of rest.entries()) {
    const found = index === rest.length - 1 && part === "" ? uri.length : uri.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return at === uri.length;
}
