import { useEffect, useMemo } from "preact/hooks";
import { signal, type ReadonlySignal } from "@preact/signals";
import { requestJson } from "./client.ts";
import { ApiError } from "./problem.ts";

/** A resource of the API as a screen displays it. While it is read again, the earlier value stays. */
export interface ResourceState<Value> {
  readonly value?: Value;
  readonly error?: ApiError;
  readonly isLoading: boolean;
}

/** A resource and the way to read it again. */
export interface Resource<Value> {
  readonly state: ReadonlySignal<ResourceState<Value>>;
  reload(): void;
}

/** The latest values, so that a screen that is opened again displays them at once. */
const cache = new Map<string, unknown>();
const maxCached = 50;

/**
 * Reads a resource while a component is displayed. `undefined` as the path: nothing is read.
 *
 * @param request The same one for each request of a path.
 */
export function useResource<Value>(
  path: string | undefined,
  request: typeof requestJson = requestJson,
): Resource<Value> {
  const resource = useMemo(() => new LoadedResource<Value>(path, request), [path]);
  useEffect(() => {
    resource.reload();
    return () => resource.cancel();
  }, [resource]);
  return resource;
}

class LoadedResource<Value> implements Resource<Value> {
  readonly state;
  readonly #path: string | undefined;
  readonly #send: typeof requestJson;
  #request: AbortController | undefined;

  constructor(path: string | undefined, send: typeof requestJson) {
    this.#path = path;
    this.#send = send;
    const cached = path === undefined ? undefined : (cache.get(path) as Value | undefined);
    this.state = signal<ResourceState<Value>>({
      isLoading: path !== undefined,
      ...(cached === undefined ? {} : { value: cached }),
    });
  }

  reload(): void {
    const path = this.#path;
    if (path === undefined) return;
    this.cancel();
    const request = new AbortController();
    this.#request = request;
    const { value } = this.state.peek();
    this.state.value = { isLoading: true, ...(value === undefined ? {} : { value }) };
    this.#send<Value>(path, { signal: request.signal }).then(
      (loaded) => {
        if (request.signal.aborted) return;
        remember(path, loaded);
        this.state.value = { value: loaded, isLoading: false };
      },
      (error: unknown) => {
        if (request.signal.aborted) return;
        const { value: earlier } = this.state.peek();
        const stale = earlier === undefined ? {} : { value: earlier };
        this.state.value = { error: toApiError(error), isLoading: false, ...stale };
      },
    );
  }

  cancel(): void {
    this.#request?.abort();
  }
}

function remember(path: string, value: unknown): void {
  cache.delete(path);
  cache.set(path, value);
  const [oldest] = cache.keys();
  if (cache.size > maxCached && oldest !== undefined) cache.delete(oldest);
}

/** An error of a request as the page displays it. */
export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  return new ApiError(0, "internal", error instanceof Error ? error.message : String(error));
}
