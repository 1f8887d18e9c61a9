/**
 * An absolute path of a file of the host's: below one of the directories that systems have, of a
 * drive, or a `file:` URL. Other texts with slashes, such as the path of a URL, are none.
 */
const path =
  /(?<![\w./:\\-])(?:file:\/\/|[a-z]:[\\/]|\/(?:home|users|root|srv|var|opt|usr|tmp|etc|private|mnt|media|run|lib|workspaces?|volumes)\/)[^\s'"`<>|:,;)]*/gi;

/** The text before the path of a request's URL; in capitals it stands before no file's path. */
const method = /\b(?:GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS) $/;
const maxMethodLength = "OPTIONS ".length + 1;

/** A message with the last part of each such path in the path's place. */
export function stripPaths(message: string): string {
  return message.replaceAll(path, (found, at: number) =>
    method.test(message.slice(Math.max(0, at - maxMethodLength), at)) ? found : lastPart(found),
  );
}

/** The same, and without the paths that a system's error names beside its message. May throw. */
export function stripPathsOf(thrown: unknown, message: string): string {
  let stripped = message;
  if (typeof thrown === "object" && thrown !== null) {
    const { path, dest } = thrown as { path?: unknown; dest?: unknown };
    for (const named of [path, dest]) {
      if (typeof named === "string" && /^(?:\/|\\|[a-z]:)./i.test(named)) {
        stripped = stripped.replaceAll(named, () => lastPart(named));
      }
    }
  }
  return stripPaths(stripped);
}

function lastPart(path: string): string {
  return path.split(/[\\/]/).findLast(Boolean) ?? "";
}
