import { ToolError } from "@toolweave/core";
import type { DocumentFiles } from "../loading/document-files.ts";
import type { DocumentSet } from "./document-set.ts";
import { withoutFragment, type LoadedDocument } from "./location.ts";
import { ReadFault } from "../loading/parse-document.ts";
import type { ReferenceResolver } from "./resolve-reference.ts";

const concurrency = 8;
/** Maximum number of files that a document may fetch. */
const maxFetches = 500;

/**
 * Fetches the files on the web that a document refers to, directly or indirectly, and that may be opened, so that
 * operations can be read synchronously later. A failure is recorded in the set: it affects the operations that need the
 * file. Nothing is fetched for identifiers of schemas in the document.
 *
 * @throws {ToolError} a file that the previous load had is temporarily unavailable.
 */
export async function prefetchReferences(
  set: DocumentSet,
  files: DocumentFiles,
  resolver: ReferenceResolver,
): Promise<void> {
  const documents: LoadedDocument[] = [set.root];
  /** References to files. */
  const open: URL[][] = [];
  /** References that look like identifiers: a file that is not loaded yet may have the schema. */
  const identifiers: URL[][] = [];
  const fetched = new Map<string, Promise<void>>();
  const running = new Set<Promise<void>>();
  let outage: unknown;
  const load = async (url: string): Promise<void> => {
    try {
      documents.push(await fetchDocument(set, url, files));
    } catch (error) {
      // A file that was there before and is temporarily unavailable is not a change of the document.
      if (files.hadPreviously(url) && ToolError.is(error) && error.retryable) outage ??= error;
      const reason = error instanceof Error ? error.message : "fetching failed";
      set.fail(
        url,
        error instanceof ReadFault ? reason : `fetching it failed: ${reason.replace(/\.$/, "")}`,
      );
    }
  };
  /** Makes the first of the URIs available that can be. */
  const find = async (uris: readonly URL[]): Promise<void> => {
    if (resolver.isIdentified(uris)) return;
    for (const url of uris) {
      const { href } = url;
      if (!set.wasTried(href) && !fetched.has(href)) {
        if (url.protocol === "file:" || set.policy.getRefusal(url) !== undefined) {
          const opened = set.open(url);
          if ("root" in opened) documents.push(opened);
        } else if (fetched.size >= maxFetches) {
          set.fail(href, `a document may not fetch more than ${maxFetches} files`);
        } else fetched.set(href, load(href));
      }
      await fetched.get(href);
      if (set.getLoaded(href) !== undefined) return;
    }
  };
  for (;;) {
    const document = documents.pop();
    if (document !== undefined) {
      for (const uris of resolver.findFileReferences(document)) {
        const isFile = uris.some(({ pathname }) => /\.(?:json|ya?ml)$/i.test(pathname));
        (isFile ? open : identifiers).push(uris);
      }
      continue;
    }
    if (running.size === 0 && open.length === 0) open.push(...identifiers.splice(0));
    const next = open.shift();
    if (next !== undefined) {
      while (running.size >= concurrency) await Promise.race(running);
      const task: Promise<void> = find(next).finally(() => running.delete(task));
      running.add(task);
    } else if (running.size > 0) {
      await Promise.race(running);
    } else {
      if (outage !== undefined) throw outage;
      return;
    }
  }
}

async function fetchDocument(
  set: DocumentSet,
  url: string,
  files: DocumentFiles,
): Promise<LoadedDocument> {
  const fetched = await files.fetch(url);
  const foundAt = new URL(withoutFragment(fetched.url));
  const refusal = set.policy.getRefusal(foundAt);
  if (refusal !== undefined) {
    throw new ReadFault(`it redirects to a URL that may not be opened: ${refusal}`);
  }
  return set.add(url, foundAt.href, fetched.root);
}
