interface Page {
  readonly url: string;
  readonly html: string;
}

/** A person at a browser. */
export interface Person {
  /** The text that the person enters into every field. Default: `ada`. */
  readonly name?: string;
  /** True: the person aborts on a page that offers to. Default: false. */
  readonly aborts?: boolean;
}

/**
 * Visits an address as a person at a browser: follows redirects, fills in every form, and stores
 * cookies.
 *
 * @returns the address outside of the server to which the person was sent; if it stayed on the
 * server: its last address.
 */
export async function visit(
  address: string,
  { name = "ada", aborts = false }: Person = {},
): Promise<string> {
  const { origin } = new URL(address);
  const cookies = new Map<string, string>();

  const go = async (url: string, form?: URLSearchParams): Promise<Page | string> => {
    const response = await fetch(url, {
      redirect: "manual",
      headers: { cookie: [...cookies].map((pair) => pair.join("=")).join("; ") },
      ...(form === undefined ? {} : { method: "POST", body: form }),
    });
    for (const cookie of response.headers.getSetCookie()) {
      const [, key = "", value = ""] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      cookies.set(key, value);
    }
    const location = response.headers.get("location");
    if (location === null) return { url, html: await response.text() };
    const next = new URL(location, url);
    return next.origin === origin ? go(next.href) : next.href;
  };

  let at = await go(address);
  for (let pages = 0; typeof at !== "string" && pages < 10; pages++) {
    const abort = aborts ? /href="([^"]*\/abort)"/.exec(at.html)?.[1] : undefined;
    const form = /<form[^>]*action="([^"]*)"[^>]*>([^]*?)<\/form>/.exec(at.html);
    if (abort !== undefined) at = await go(new URL(abort, at.url).href);
    else if (form === null) return at.url;
    else at = await go(new URL(form[1] ?? "", at.url).href, filledIn(form[2] ?? "", name));
  }
  return typeof at === "string" ? at : at.url;
}

function filledIn(form: string, text: string): URLSearchParams {
  const filled = new URLSearchParams();
  for (const [input] of form.matchAll(/<input[^>]*>/g)) {
    const name = /name="([^"]*)"/.exec(input)?.[1];
    if (name !== undefined) filled.set(name, /value="([^"]*)"/.exec(input)?.[1] ?? text);
  }
  return filled;
}
