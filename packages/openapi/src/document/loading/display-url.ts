/** Formats a URL for errors: without user, password, query and fragment, which may contain secrets. */
export function displayUrl(url: string): string {
  const parsed = URL.parse(url);
  if (parsed === null) return url.replace(/[?#].*$/s, "");
  return parsed.protocol === "file:"
    ? `file://${parsed.pathname}`
    : `${parsed.protocol}//${parsed.host}${parsed.pathname}`;
}

/** Returns the folder of a URL: everything up to its last slash. */
export function parentFolder(url: string): string {
  const { origin, protocol, pathname } = new URL(url);
  const folder = pathname.slice(0, pathname.lastIndexOf("/") + 1);
  return protocol === "file:" ? `file://${folder}` : `${origin}${folder}`;
}

/** Returns a URL relative to the folder of another (`models/pet.yaml`), else the URL as errors display it. */
export function relativeUrl(url: string, rootUrl: string | undefined): string {
  if (rootUrl === undefined) return displayUrl(url);
  const displayed = displayUrl(url);
  const folder = parentFolder(rootUrl);
  if (!displayed.startsWith(folder)) return displayed;
  const relative = displayed.slice(folder.length);
  try {
    return decodeURIComponent(relative);
  } catch {
    return relative;
  }
}

/** Formats the target of a reference for errors, without parts that may be secret. */
export function displayReference(reference: string): string {
  const hash = reference.indexOf("#");
  const file = hash === -1 ? reference : reference.slice(0, hash);
  const fragment = hash === -1 ? "" : reference.slice(hash);
  const displayed = file === "" ? "" : displayUrl(file);
  return `${displayed}${fragment}`.slice(0, 200);
}
