import { ToolError } from "@toolweave/core";
import type { DocumentFiles } from "../loading/document-files.ts";
import { withoutFragment } from "./document-set.ts";
import type { DocumentSet } from "./document-set.ts";
import type { LoadedDocument } from "./location.ts";
import { ReadFault } from "../loading/read-fault.ts";
import { getReference } from "../record.ts";
import { walkDocument } from "./walk-document.ts";

const concurrency = 8;
/** How many files one document may fetch. */
const maxFetches = 500;

/**
 * Fetches the files on the web that a document refers to and that may be opened, theirs too, so
 * that reading an operation needs no waiting later. A failure is kept in the set: it costs the
 * operations that need the file.
 *
 * @throws {ToolError} a file that the load before had cannot be had for the moment.
 */
export async function prefetchReferences(set: DocumentSet, files: DocumentFiles): Promise<void> {
  const documents: LoadedDocument[] = [set.root];
  const wanted = new Set<string>();
  const running = new Set<Promise<void>>();
  let fetches = 0;
  let outage: unknown;
  const load = async (url: string): Promise<void> => {
    try {
      documents.push(await fetchDocument(set, url, files));
    } catch (error) {
      // What was there before and cannot be had for a while is no change of the document.
      if (files.hadBefore(url) && ToolError.is(error) && error.retryable) outage ??= error;
      const reason = error instanceof Error ? error.message : "fetching failed";
      set.fail(
        url,
        error instanceof ReadFault ? reason : `fetching it failed: ${reason.replace(/\.$/, "")}`,
      );
    }
  };
  for (;;) {
    const document = documents.pop();
    if (document !== undefined) {
      for (const url of referredFiles(document)) {
        if (wanted.has(url.href) || set.tried(url.href)) continue;
        wanted.add(url.href);
        if (url.protocol === "file:" || set.policy.refusal(url) !== undefined) {
          const opened = set.open(url);
          if ("root" in opened) documents.push(opened);
          continue;
        }
        if (++fetches > maxFetches) {
          set.fail(url.href, `a document may not fetch more than ${maxFetches} files`);
          continue;
        }
        while (running.size >= concurrency) await Promise.race(running);
        const task: Promise<void> = load(url.href).finally(() => running.delete(task));
        running.add(task);
      }
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
  const refusal = set.policy.refusal(foundAt);
  if (refusal !== undefined) {
    throw new ReadFault(`it redirects to a place that is not opened: ${refusal}`);
  }
  return set.add(url, foundAt.href, fetched.root);
}

function referredFiles(document: LoadedDocument): URL[] {
  const files = new Map<string, URL>();
  walkDocument(document.root, document.url, (node, _pointer, base) => {
    const reference = getReference(node);
    if (reference !== undefined && !reference.startsWith("#")) {
      const url = URL.parse(reference, base);
      if (url !== null) {
        url.hash = "";
        files.set(url.href, url);
      }
    }
    return base;
  });
  return [...files.values()];
}
