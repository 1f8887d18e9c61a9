import type { Manifest, SampleCall } from "@toolweave/conformance";
import { ajvValidator, type JsonObject, type Tool } from "@toolweave/core";
import { argumentsSchemaOf } from "@toolweave/core/adapter";
import {
  answeringServer,
  largeBytes,
  markers,
  type AnsweringServer,
  type MarkerKind,
  type Scene,
} from "./answering-server.ts";
import { opener } from "./documents.ts";
import { isObject, sampleValue } from "./sample-value.ts";

const secret = "s3cret-of-the-document-server";

/** A document's manifest, and how to end what it stands on. */
export interface DocumentManifest {
  readonly manifest: Manifest;
  readonly operations: number;
  readonly close: () => Promise<void>;
}

/** The manifest of a real document: a server with its answers, and sample calls. */
export async function documentManifest(
  name: string,
  more: Pick<Manifest, "knownFailing"> = {},
): Promise<DocumentManifest> {
  const open = opener(name);
  const probe = open({ baseUrl: "http://127.0.0.1/" });
  await probe.ready;
  const tools = [...probe.tools()];
  const server = await answeringServer(() => tools);
  const create = (): ReturnType<typeof open> =>
    open({
      baseUrl: server.url,
      auth: { bearer: secret, apiKey: secret, basic: { username: "someone", password: secret } },
    });
  const samples = await createSamples(tools, server);
  await probe.close();
  return {
    operations: tools.length,
    close: () => server.close(),
    manifest: {
      name,
      create,
      ...more,
      samples,
      generatedCalls: "all",
      state: () => server.changes(),
      secrets: [secret],
      outage: { begin: () => server.pause(), end: () => server.resume() },
      without: {
        change: "a document is read once",
        suspendingCalls: "an operation does not wait for a person",
        updatingCalls: "an operation answers once",
        ...missing(samples),
      },
    },
  };
}

function missing(samples: NonNullable<Manifest["samples"]>): Record<string, string> {
  const reasons: Record<string, string> = {};
  if (samples.effectCalls?.length === 0) reasons["effectCalls"] = "every operation only reads";
  for (const kind of ["failingCalls", "slowCalls", "largeCalls"] as const) {
    if (samples[kind]?.length === 0) reasons[kind] = "no operation takes what could say so";
  }
  return reasons;
}

async function createSamples(
  tools: readonly Tool[],
  server: AnsweringServer,
): Promise<NonNullable<Manifest["samples"]>> {
  const validator = ajvValidator();
  const createCall = async (
    tool: Tool,
    changes: JsonObject = {},
  ): Promise<SampleCall | undefined> => {
    const { name } = tool.spec;
    const schema = argumentsSchemaOf(tool);
    const args = { ...(sampleValue(schema, schema) as JsonObject), ...changes };
    try {
      const compiled = await validator.compile(schema);
      return compiled(args) === undefined ? { tool: name, arguments: args } : undefined;
    } catch {
      return undefined;
    }
  };
  const some = async <T>(
    most: number,
    make: (tool: Tool) => Promise<T | undefined>,
    wanted: (tool: Tool) => boolean,
  ): Promise<T[]> => {
    const made: T[] = [];
    for (const tool of tools) {
      if (made.length === most) break;
      const one = wanted(tool) ? await make(tool) : undefined;
      if (one !== undefined) made.push(one);
    }
    return made;
  };
  const marked = (scene: Scene): ((tool: Tool) => Promise<SampleCall | undefined>) => {
    return (tool) => {
      const argument = openArgument(tool);
      if (argument === undefined) return Promise.resolve(undefined);
      const { name, kind } = argument;
      return createCall(tool, { [name]: markers[scene][kind] });
    };
  };
  const reads = (tool: Tool): boolean => readMethod(tool) === "GET";
  return {
    succeedingCalls: await some(3, (tool) => createCall(tool), reads),
    failingCalls: await some(1, marked("missing"), reads),
    slowCalls: await some(1, marked("slow"), reads),
    largeCalls: (await some(1, marked("large"), reads)).map((call) => ({
      ...call,
      bytes: largeBytes,
    })),
    effectCalls: await some(
      1,
      async (tool) => {
        const call = await createCall(tool);
        return call === undefined ? undefined : { ...call, count: () => server.count(tool) };
      },
      (tool) => readMethod(tool) === "POST",
    ),
  };
}

/** An argument of a reading operation that may say anything of its kind: it is in the URL, or a header. */
function openArgument(tool: Tool): { name: string; kind: MarkerKind } | undefined {
  const { properties } = argumentsSchemaOf(tool);
  if (!isObject(properties)) return undefined;
  const found = Object.entries(properties).flatMap(([name, schema]) => {
    const kind = isObject(schema) ? findKind(schema) : undefined;
    return kind === undefined ? [] : [{ name, kind }];
  });
  return found.find(({ kind }) => kind === "text") ?? found[0];
}

function findKind(schema: JsonObject): MarkerKind | undefined {
  const { type, format } = schema;
  const bounds = ["enum", "const", "pattern", "maxLength", "minimum", "maximum"];
  if (bounds.some((bound) => schema[bound] !== undefined)) return undefined;
  if (type === "integer") return "integer";
  if (type !== "string") return undefined;
  if (format === "date" || format === "uuid") return format;
  return format === undefined ? "text" : undefined;
}

function readMethod({ spec }: Tool): string | undefined {
  const { method } = spec.provenance.origin as { readonly method?: string };
  return method?.toUpperCase();
}
