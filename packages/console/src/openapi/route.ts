import type { ConsoleCaller, ConsoleScope } from "../authentication/console-caller.ts";

/** A request that was authenticated, and that has the scope of its route. */
interface RoutedRequest {
  readonly request: Request;
  readonly query: URLSearchParams;
  /** The parameters of the path by name, decoded. */
  readonly parameters: Readonly<Record<string, string>>;
  readonly sender: ConsoleCaller;
}

/** The texts and schemas of an operation in the document, without its path, scope and path parameters. */
interface OperationText {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  /** Parameters of the query and headers. Those of the path are documented without an entry here. */
  readonly parameters?: readonly object[];
  readonly requestBody?: object;
  /** The responses that are no problems, by status. */
  readonly responses: Readonly<Record<number, object>>;
  /** Statuses of problems, in addition to those that every operation can have. */
  readonly problems?: readonly number[];
}

/** One operation of the API, with its part of the OpenAPI document. */
export interface Route {
  readonly method: "GET" | "POST" | "DELETE";
  /** Below the address of the API; `{id}` is one segment. */
  readonly path: string;
  /** `code`: no token is needed, and `sender` has no scope. */
  readonly scope: ConsoleScope | "code";
  readonly operation: OperationText;
  /** Returns the body of a response with the status 200, or a response. `undefined`: 204. */
  handle(request: RoutedRequest): Promise<object | undefined>;
}

/** A part of the API: each folder with routes exports a function that returns one. */
export interface ApiPart {
  /** The tag of its operations. */
  readonly tag: string;
  readonly routes: readonly Route[];
  /** The schemas that its operations refer to (JSON Schema 2020-12), by name. Names are unique over all parts. */
  readonly schemas: Readonly<Record<string, object>>;
}

/** Longest parameter of a path, in characters. */
const maxParameterLength = 200;

/**
 * Matches a path with that of a route.
 *
 * @returns the parameters, decoded; `undefined`: the path is another one.
 */
export function matchPath(
  route: string,
  path: string,
): Readonly<Record<string, string>> | undefined {
  const expected = route.split("/");
  const segments = path.split("/");
  if (expected.length !== segments.length) return undefined;
  const parameters: Record<string, string> = {};
  for (const [index, segment] of segments.entries()) {
    const name = getParameterName(expected[index] as string);
    if (name === undefined) {
      if (expected[index] !== segment) return undefined;
      continue;
    }
    const value = decode(segment);
    if (value === undefined || value === "" || value.length > maxParameterLength) return undefined;
    parameters[name] = value;
  }
  return parameters;
}

/** The names of the parameters of a route's path. */
export function getParameterNames(route: string): readonly string[] {
  return route.split("/").flatMap((segment) => getParameterName(segment) ?? []);
}

function getParameterName(segment: string): string | undefined {
  return /^\{(\w+)\}$/.exec(segment)?.[1];
}

function decode(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}
