import { ToolError } from "@toolweave/core";
import type { DocumentFiles } from "../loading/document-files.ts";
import { withoutFragment, type DocumentSet } from "./document-set.ts";
import type { LoadedDocument } from "./location.ts";
import { ReadFault } from "../loading/parse-document.ts";
import { getReference } from "../record.ts";
import { walkDocument } from "./schema-index.ts";

const concurrency = 8;
/** Maximum number of files that a document may fetch. */
const maxFetches = 500;

/**
 * Fetches the files on the web that a document refers to, directly or indirectly, and that may be opened, so that
 * operations can be read synchronously later. A failure is recorded in the set: it affects the operations that need the
 * file.
 *
 * @throws {ToolError} a file that the previous load had is temporarily unavailable.
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
      // A file that was there before and is temporarily unavailable is not a change of the document.
      if (files.hadPreviously(url) && ToolError.is(error) && error.retryable) outage ??= error;
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
      for (const url of findReferencedFiles(document)) {
        if (wanted.has(url.href) || set.wasTried(url.href)) continue;
        wanted.add(url.href);
        if (url.protocol === "file:" || set.policy.getRefusal(url) !== undefined) {
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
  const refusal = set.policy.getRefusal(foundAt);
  if (refusal !== undefined) {
    throw new ReadFault(`it redirects to a URL that may not be opened: ${refusal}`);
  }
  return set.add(url, foundAt.href, fetched.root);
}

function findReferencedFiles(document: LoadedDocument): URL[] {
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
