import { RecordingServer, type Recorded } from "@toolweave/test-support/recording-server";
import { createBackendOracle } from "./backend-oracle.ts";
import type { Contender, DocumentOperation, OfferedTool } from "./contender.ts";
import { specs } from "../documents.ts";
import type { Oracle, RequestValues, Verdict } from "./oracle.ts";
import { leadsTo } from "./path-routes.ts";
import { createPrismOracle } from "./prism-oracle.ts";
import { createClientOracle } from "./client-oracle.ts";
import { sampleCall, variants, type SampleCall, type Variant } from "./sample-calls.ts";

/** The result of one generated call. */
export interface CheckedCall {
  /** `GET /pets/{id}`, as the document writes it. */
  readonly operation: string;
  readonly variant: Variant;
  /** Why there was no request to check. */
  readonly unsent?: string;
  /** Arguments that could not be generated. */
  readonly missing: readonly string[];
  readonly request?: Recorded;
  /** By oracle. */
  readonly verdicts: Readonly<Record<string, Verdict>>;
}

/** The results of a document's calls. */
export interface CheckedDocument {
  readonly document: string;
  /** Number of operations that are tools. */
  readonly operations: number;
  /** Number of operations that were called. */
  readonly called: number;
  readonly calls: readonly CheckedCall[];
}

/** Options of a check. */
export interface CheckOptions {
  readonly contender: Contender;
  readonly seed: number;
  /** Maximum number of operations of a document that are called, spread evenly. */
  readonly most: number;
  /** Milliseconds for one call. Default: 10,000. */
  readonly timeoutMs?: number;
  /** Finds the operation of a request, for contenders whose tools do not name their operations. */
  readonly route?: (method: string, path: string) => DocumentOperation | undefined;
}

/** Returns the oracles of a document; each reads the file by itself. */
export function getOracles(file: string): Promise<readonly Oracle[]> {
  return Promise.all([
    createPrismOracle(file),
    createBackendOracle(file),
    createClientOracle(file),
  ]);
}

/** Calls the operations of a document with generated arguments, and checks the received requests. */
export async function checkDocument(
  document: string,
  oracles: readonly Oracle[],
  options: CheckOptions,
): Promise<CheckedDocument> {
  await using server = await RecordingServer.start();
  const { tools, close } = await options.contender.open(specs + document, server.origin);
  const chosen = spread(tools, options.most);
  const calls: CheckedCall[] = [];
  for (const tool of chosen) {
    for (const variant of variants) {
      const sample = await sampleCall(tool.inputSchema, variant, options.seed);
      calls.push(await checkCall(tool, variant, sample, server, oracles, options));
    }
  }
  await close();
  return { document, operations: tools.length, called: chosen.length, calls };
}

/**
 * Makes a call, and checks the received request.
 *
 * @param sample undefined: there are no arguments that the schema accepts.
 */
export async function checkCall(
  { operation: own, call, toValues }: OfferedTool,
  variant: Variant,
  sample: SampleCall | undefined,
  server: RecordingServer,
  oracles: readonly Oracle[],
  { timeoutMs = 10_000, route }: Pick<CheckOptions, "timeoutMs" | "route"> = {},
): Promise<CheckedCall> {
  server.requests.length = 0;
  let failure = "it made no request";
  try {
    if (sample === undefined) failure = "no arguments that its schema accepts";
    else await within(call(sample.args), timeoutMs);
  } catch (error) {
    failure = error instanceof Error ? error.message : String(error);
  }
  const [request, ...more] = server.requests;
  const operation = own ?? (request && route?.(request.method, request.path));
  const name = operation === undefined ? "?" : `${operation.method} ${operation.path}`;
  const checked = { operation: name, variant, missing: sample?.missing ?? [], verdicts: {} };
  if (sample === undefined || request === undefined) return { ...checked, unsent: failure };
  if (more.length > 0) return { ...checked, unsent: `${more.length + 1} requests were made` };
  const values = toValues?.(sample.args);
  const verdicts: Record<string, Verdict> = {};
  for (const oracle of oracles) {
    verdicts[oracle.name] = await getVerdict(oracle, operation, request, values);
  }
  return { ...checked, request, verdicts };
}

function getVerdict(
  oracle: Oracle,
  operation: DocumentOperation | undefined,
  request: Recorded,
  values: RequestValues | undefined,
): Verdict | Promise<Verdict> {
  if (operation === undefined) {
    return [{ rule: "path", message: `${request.method} ${request.path} is no operation` }];
  }
  const { method, path } = operation;
  if (request.method !== method) return [{ rule: "method", message: `${request.method} was sent` }];
  if (!leadsTo(request.path, path)) return [{ rule: "path", message: `${request.path} was sent` }];
  return oracle.check(method, path, request, values);
}

/** Picks a number of entries, spread evenly over the list and always the same. */
function spread<T>(all: readonly T[], most: number): readonly T[] {
  if (all.length <= most) return all;
  return Array.from(
    { length: most },
    (_, index) => all[Math.floor((index * all.length) / most)] as T,
  );
}

async function within(work: Promise<unknown>, timeoutMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no end after ${timeoutMs} ms`)), timeoutMs);
  });
  try {
    await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
