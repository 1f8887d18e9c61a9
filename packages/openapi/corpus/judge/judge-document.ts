import { RecordingServer, type Recorded } from "../../test/support/recording-server.ts";
import { backendJudge } from "./backend-judge.ts";
import type { Contender, DocumentOperation, OfferedTool } from "./contender.ts";
import { specs } from "../documents.ts";
import type { Judge, Verdict } from "./judge.ts";
import { leadsTo } from "./path-routes.ts";
import { prismJudge } from "./prism-judge.ts";
import { sampleCall, variants, type Variant } from "./sample-calls.ts";

/** What became of one generated call. */
export interface JudgedCall {
  /** `GET /pets/{id}`, as the document writes it. */
  readonly operation: string;
  readonly variant: Variant;
  /** Why there was no request to judge. */
  readonly unsent?: string;
  /** Arguments that could not be generated. */
  readonly missing: readonly string[];
  readonly request?: Recorded;
  /** By judge. */
  readonly verdicts: Readonly<Record<string, Verdict>>;
}

/** What became of a document's calls. */
export interface JudgedDocument {
  readonly document: string;
  /** How many operations are tools. */
  readonly operations: number;
  /** How many of them were called. */
  readonly called: number;
  readonly calls: readonly JudgedCall[];
}

/** What is judged. */
export interface JudgeOptions {
  readonly contender: Contender;
  readonly seed: number;
  /** How many operations of a document are called at most, spread evenly. */
  readonly most: number;
  /** Milliseconds for one call. Default: 10,000. */
  readonly timeoutMs?: number;
  /** Finds the operation of a request, for contenders that do not tell what their tools are. */
  readonly route?: (method: string, path: string) => DocumentOperation | undefined;
}

/** The judges of a document, each having read it by itself. */
export function judgesOf(document: string): Promise<readonly Judge[]> {
  return Promise.all([prismJudge(document), backendJudge(document)]);
}

/** Calls the operations of a document with generated arguments, and has the requests judged as they arrived. */
export async function judgeDocument(
  document: string,
  judges: readonly Judge[],
  options: JudgeOptions,
): Promise<JudgedDocument> {
  await using server = await RecordingServer.start();
  const { tools, close } = await options.contender.open(specs + document, server.origin);
  const chosen = spread(tools, options.most);
  const calls: JudgedCall[] = [];
  for (const tool of chosen) {
    for (const variant of variants) {
      calls.push(await judgedCall(tool, variant, server, judges, options));
    }
  }
  await close();
  return { document, operations: tools.length, called: chosen.length, calls };
}

async function judgedCall(
  { operation: own, inputSchema, call }: OfferedTool,
  variant: Variant,
  server: RecordingServer,
  judges: readonly Judge[],
  { seed, timeoutMs = 10_000, route }: JudgeOptions,
): Promise<JudgedCall> {
  server.requests.length = 0;
  let missing: readonly string[] = [];
  let failure = "it made no request";
  try {
    const sample = await sampleCall(inputSchema, variant, seed);
    if (sample === undefined) failure = "no arguments that its schema accepts";
    else {
      missing = sample.missing;
      await within(call(sample.args), timeoutMs);
    }
  } catch (error) {
    failure = error instanceof Error ? error.message : String(error);
  }
  const [request, ...more] = server.requests;
  const operation = own ?? (request && route?.(request.method, request.path));
  const name = operation === undefined ? "?" : `${operation.method} ${operation.path}`;
  const judged = { operation: name, variant, missing, verdicts: {} };
  if (request === undefined) return { ...judged, unsent: failure };
  if (more.length > 0) return { ...judged, unsent: `${more.length + 1} requests were made` };
  const verdicts = judges.map(
    (judge) => [judge.name, verdictOf(judge, operation, request)] as const,
  );
  return { ...judged, request, verdicts: Object.fromEntries(verdicts) };
}

function verdictOf(
  judge: Judge,
  operation: DocumentOperation | undefined,
  request: Recorded,
): Verdict {
  if (operation === undefined) {
    return [{ rule: "path", message: `${request.method} ${request.path} is no operation` }];
  }
  const { method, path } = operation;
  if (request.method !== method) return [{ rule: "method", message: `${request.method} was sent` }];
  if (!leadsTo(request.path, path)) return [{ rule: "path", message: `${request.path} was sent` }];
  return judge.judge(method, path, request);
}

/** So many of a list, from its whole length, and always the same. */
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
