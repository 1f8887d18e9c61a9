/** A URL as errors show it: without user, password, query and fragment, where secrets may stand. */
export function displayUrl(url: string): string {
  const parsed = URL.parse(url);
  if (parsed === null) return url.replace(/[?#].*$/s, "");
  return parsed.protocol === "file:"
    ? `file://${parsed.pathname}`
    : `${parsed.protocol}//${parsed.host}${parsed.pathname}`;
}

/** The folder of a URL: everything up to its last slash. */
export function parentFolder(url: string): string {
  const { origin, protocol, pathname } = new URL(url);
  const folder = pathname.slice(0, pathname.lastIndexOf("/") + 1);
  return protocol === "file:" ? `file://${folder}` : `${origin}${folder}`;
}

/** A URL as seen from the folder of another: `models/pet.yaml`, else the URL as errors show it. */
export function relativeUrl(url: string, rootUrl: string | undefined): string {
  if (rootUrl === undefined) return displayUrl(url);
  const shown = displayUrl(url);
  const folder = parentFolder(rootUrl);
  if (!shown.startsWith(folder)) return shown;
  const relative = shown.slice(folder.length);
  try {
    return decodeURIComponent(relative);
  } catch {
    return relative;
  }
}

/** How errors name the target of a reference: nothing that may be secret, and no more than needed. */
export function displayReference(reference: string): string {
  const hash = reference.indexOf("#");
  const file = hash === -1 ? reference : reference.slice(0, hash);
  const fragment = hash === -1 ? "" : reference.slice(hash);
  const shown = file === "" ? "" : displayUrl(file);
  return `${shown}${fragment}`.slice(0, 200);
}
