import { isThenable, ToolError, type JsonObject } from "@toolweave/core";
import { isObject } from "../../schema/schema-keywords.ts";
import { withTimeout } from "../clients/with-timeout.ts";
import {
  prefixOf,
  type ProviderCall,
  type ProviderCalls,
  type ProviderMethod,
} from "./provider-calls.ts";
import { ProviderProblems, type OfferProblem } from "./provider-problems.ts";
import type { McpProvider, McpProviderCall } from "../../options/provider.ts";
import { errorCode, McpError } from "../clients/request-port.ts";

/** Milliseconds that a provider gets to say what it has: one that hangs must not hide the others. */
const answerTimeoutMs = 10_000;
/** The same for whether it has anything at all, from the beginning on: what is known later is told as a change. */
const readyMs = 1_000;

/** What the providers of a gateway offer, as one server: resources by their addresses, prompts by prefixed names. */
export class ProviderAggregator {
  readonly #providers: readonly McpProvider[];
  readonly #calls: ProviderCalls;
  readonly #problems = new ProviderProblems();
  /** Of which it is not known what they have. */
  readonly #unknown = new Set<McpProvider>();
  /** Resolves when it is known of every provider what it has, or it has had its time. */
  readonly #ready: Promise<unknown>;

  constructor(providers: readonly McpProvider[], calls: ProviderCalls) {
    this.#providers = providers;
    this.#calls = calls;
    this.#ready = Promise.all(providers.map((provider) => this.#known(provider)));
  }

  get problems(): readonly OfferProblem[] {
    return this.#problems.all;
  }

  /**
   * What there is to be told in the gateway's capabilities: of a provider of which it is not known yet, all that it could
   * have. Nobody waits for that: a client that hears nothing takes the gateway for one that speaks the older protocol only,
   * or for a dead one.
   */
  get kinds(): { resources: boolean; subscribe: boolean; prompts: boolean; complete: boolean } {
    const some = (has: (provider: McpProvider) => unknown): boolean =>
      this.#providers.some(
        (provider) => this.#unknown.has(provider) || has(provider) !== undefined,
      );
    return {
      resources: some(({ resources }) => resources),
      subscribe: some(({ resources }) => resources?.subscribe),
      prompts: some(({ prompts }) => prompts),
      complete: some(({ complete }) => complete),
    };
  }

  /** Each address once: of two providers that have the same the first one's counts. */
  async resources(call: ProviderCall): Promise<readonly JsonObject[]> {
    const lists = await this.#each("resources/read", call, ({ resources }, asked) =>
      resources?.list(asked),
    );
    return this.#unique("resource", "uri", lists);
  }

  async templates(call: ProviderCall): Promise<readonly JsonObject[]> {
    const lists = await this.#each("resources/read", call, ({ resources }, asked) =>
      resources?.templates(asked),
    );
    return this.#unique("resource template", "uriTemplate", lists);
  }

  /** With the names that clients know. */
  async prompts(call: ProviderCall): Promise<readonly JsonObject[]> {
    const lists = await this.#each("prompts/get", call, ({ prompts }, asked) =>
      prompts?.list(asked),
    );
    const named = lists.map(
      ([provider, list]) =>
        [
          provider,
          list.map((prompt) => ({ ...prompt, name: ourName(provider, String(prompt["name"])) })),
        ] as const,
    );
    return this.#unique("prompt", "name", named);
  }

  /**
   * `resources/read` of whoever has it: a provider that lists it, else those with a template that fits, else each in turn.
   *
   * @throws McpError `-32602` when nobody has it.
   */
  async read(params: JsonObject, call: ProviderCall): Promise<JsonObject> {
    const uri = String(params["uri"]);
    let refused: unknown;
    for (const provider of await this.#ownersOf(uri, call)) {
      try {
        const result = await this.#calls.ask(provider, "resources/read", { uri }, call, (asked) =>
          provider.resources?.read(params, asked),
        );
        if (result !== undefined) return result;
      } catch (error) {
        // What one may not be asked for, another may have.
        if (isRefused(error)) refused ??= error;
        else if (!isNotFound(error)) throw error;
      }
    }
    if (refused !== undefined) throw refused;
    throw new McpError(errorCode.invalidParams, "Resource not found", { uri });
  }

  /** @throws McpError `-32602` when there is no such prompt; what the provider throws. */
  async prompt(params: JsonObject, call: ProviderCall): Promise<JsonObject> {
    const { name } = params;
    const found = await this.#promptOf(name, call);
    if (found === undefined) {
      throw new McpError(errorCode.invalidParams, `Unknown prompt: ${String(name).slice(0, 200)}`);
    }
    const [provider, theirs] = found;
    const { arguments: args } = params;
    const seen = { name: theirs, ...(args === undefined ? {} : { arguments: args }) };
    const prompt = await this.#calls.ask(provider, "prompts/get", seen, call, (asked) =>
      provider.prompts?.get({ ...params, name: theirs }, asked),
    );
    return prompt ?? { messages: [] };
  }

  /** Completes nothing where the provider cannot. */
  async complete(params: JsonObject, call: ProviderCall): Promise<JsonObject> {
    const { ref } = params;
    if (!isObject(ref)) throw new McpError(errorCode.invalidParams, "ref is no reference");
    if (ref["type"] === "ref/prompt") {
      const found = await this.#promptOf(ref["name"], call);
      if (found === undefined) throw new McpError(errorCode.invalidParams, "Unknown prompt");
      const [provider, name] = found;
      return this.#completed(provider, { ...params, ref: { ...ref, name } }, call);
    }
    const uri = String(ref["uri"]);
    const lists = await this.#each("resources/read", call, ({ resources }, asked) =>
      resources?.templates(asked),
    );
    const owner =
      lists.find(([, list]) => list.some(({ uriTemplate }) => uriTemplate === uri))?.[0] ??
      (await this.#ownersOf(uri, call))[0];
    if (owner === undefined || !(await this.#calls.shows(owner, "resources/read", call))) {
      return nothing;
    }
    return this.#completed(owner, params, call);
  }

  /**
   * Its changes are heard of from now on.
   *
   * @param isHeard they are already, by others: it is only seen to that this client may.
   * @throws McpError `-32602` when nobody tells of them, or not to this client; what the provider throws.
   */
  async subscribe(uri: string, call: ProviderCall, isHeard: boolean): Promise<void> {
    for (const provider of await this.#ownersOf(uri, call)) {
      if (provider.resources?.subscribe === undefined) continue;
      if (!(await this.#calls.allows(provider, "resources/read", call, { uri }))) continue;
      if (!isHeard) await provider.resources.subscribe(uri);
      return;
    }
    throw new McpError(errorCode.invalidParams, "Nothing tells of changes of that resource", {
      uri,
    });
  }

  /** Nobody wants to hear of it any more. */
  async unsubscribe(uri: string): Promise<void> {
    await Promise.allSettled(
      this.#providers.map(async (provider) => provider.resources?.unsubscribe?.(uri)),
    );
  }

  async #known(provider: McpProvider): Promise<void> {
    if (provider.ready === undefined) return;
    this.#unknown.add(provider);
    const known = (): void => void this.#unknown.delete(provider);
    await withTimeout(provider.ready.then(known, known), readyMs);
  }

  async #completed(
    provider: McpProvider,
    params: JsonObject,
    call: ProviderCall,
  ): Promise<JsonObject> {
    const result = await this.#calls.ask(provider, "completion/complete", params, call, (asked) =>
      provider.complete?.(params, asked),
    );
    return result ?? nothing;
  }

  async #promptOf(
    name: unknown,
    call: ProviderCall,
  ): Promise<readonly [McpProvider, string] | undefined> {
    await this.#ready;
    for (const provider of this.#providers) {
      if (provider.prompts === undefined) continue;
      const prefix = prefixOf(provider);
      if (typeof name !== "string" || !name.startsWith(prefix)) continue;
      const theirs = name.slice(prefix.length);
      if (!(await this.#calls.shows(provider, "prompts/get", call))) continue;
      const list = await settled(() => provider.prompts?.list(askedFor(call)));
      if (list?.some((prompt) => prompt["name"] === theirs)) return [provider, theirs];
    }
    return undefined;
  }

  async #ownersOf(uri: string, call: ProviderCall): Promise<readonly McpProvider[]> {
    await this.#ready;
    const having = this.#providers.filter(({ resources }) => resources !== undefined);
    if (having.length < 2) return having;
    const lists = await this.#each("resources/read", call, ({ resources }, asked) =>
      resources?.list(asked),
    );
    const listed = lists.find(([, list]) => list.some((resource) => resource["uri"] === uri));
    if (listed !== undefined) return [listed[0]];
    const templates = await this.#each("resources/read", call, ({ resources }, asked) =>
      resources?.templates(asked),
    );
    const fitting = templates.filter(([, list]) =>
      list.some(({ uriTemplate }) => matchesTemplate(uri, String(uriTemplate))),
    );
    return fitting.length > 0 ? fitting.map(([provider]) => provider) : having;
  }

  /** What each provider answers that the client may use. One that fails, or takes too long, has nothing just now. */
  async #each(
    method: ProviderMethod,
    call: ProviderCall,
    ask: (
      provider: McpProvider,
      asked: McpProviderCall,
    ) => PromiseLike<readonly JsonObject[]> | readonly JsonObject[] | undefined,
  ): Promise<readonly (readonly [McpProvider, readonly JsonObject[]])[]> {
    await this.#ready;
    const asked = askedFor(call);
    return Promise.all(
      this.#providers.map(async (provider) => {
        const isShown = await this.#calls.shows(provider, method, call);
        const list = isShown ? await settled(() => ask(provider, asked)) : undefined;
        return [provider, list ?? []] as const;
      }),
    );
  }

  #unique(
    kind: string,
    key: string,
    lists: readonly (readonly [McpProvider, readonly JsonObject[]])[],
  ): readonly JsonObject[] {
    const taken = new Map<unknown, JsonObject>();
    for (const [{ id }, list] of lists) {
      for (const entry of list) {
        const subject = entry[key];
        if (!taken.has(subject)) taken.set(subject, entry);
        else this.#problems.add(kind, id, String(subject));
      }
    }
    return Array.from(taken.values());
  }
}

const nothing: JsonObject = { completion: { values: [], total: 0, hasMore: false } };

function askedFor({ client, signal }: ProviderCall): McpProviderCall {
  return { signal, caller: client.caller };
}

function ourName(provider: McpProvider, name: string): string {
  return `${prefixOf(provider)}${name}`;
}

/** By the policy. */
function isRefused(error: unknown): boolean {
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

async function settled<T>(ask: () => PromiseLike<T> | T): Promise<T | undefined> {
  try {
    const answer = ask();
    return isThenable(answer) ? await withTimeout(answer, answerTimeoutMs) : answer;
  } catch {
    return undefined;
  }
}

/** Whether a template can make the address (RFC 6570, as far as it can be told without its values). */
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
