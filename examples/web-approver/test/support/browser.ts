import { once } from "node:events";
import { request as send, type IncomingMessage } from "node:http";

/** The response. */
export interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage["headers"];
  readonly text: string;
}

/** A form of a page, with the data that a browser would send. */
export interface Form {
  readonly action: string;
  readonly fields: Readonly<Record<string, string>>;
}

/** The data to send instead; `undefined`: nothing. */
export type Headers = Readonly<Record<string, string | undefined>>;

/**
 * The features of a browser that the approver needs: one cookie, the Origin of its page, and forms.
 */
export class Browser {
  readonly #url: URL;
  cookie: string | undefined;

  constructor(startUrl: string) {
    this.#url = new URL(startUrl);
  }

  get host(): string {
    return this.#url.host;
  }

  /** Opens the start URL, like a person. */
  async signIn(): Promise<Answer> {
    const answer = await this.get(this.#url.pathname + this.#url.search);
    this.cookie = answer.headers["set-cookie"]?.[0]?.split(";")[0];
    return answer;
  }

  get(path: string, headers: Headers = {}): Promise<Answer> {
    return this.#send("GET", path, headers);
  }

  submit({ action, fields }: Form, headers: Headers = {}): Promise<Answer> {
    const type = { "content-type": "application/x-www-form-urlencoded" };
    const origin = { origin: this.#url.origin };
    const body = new URLSearchParams(fields).toString();
    return this.#send("POST", action, { ...origin, ...type, ...headers }, body);
  }

  /** The form in the list that answers the call of a tool. */
  async form(action: "/approve" | "/reject", tool: string): Promise<Form> {
    const { text } = await this.get("/");
    const article = text.split("<article>").find((part) => part.includes(`<h2>${tool}</h2>`));
    const form = article?.split("<form ").find((part) => part.includes(`action="${action}"`));
    if (form === undefined) throw new Error(`There is no form for ${tool}: ${text}`);
    const fields: Record<string, string> = {};
    for (const [, name = "", value = ""] of form.matchAll(
      /<input type="hidden" name="(\w+)" value="([^"]*)"/g,
    )) {
      fields[name] = unescape(value);
    }
    const [, displayed] = /<textarea [^>]*>\n([^<]*)<\/textarea>/.exec(form) ?? [];
    // Browsers normalize line ends.
    if (displayed !== undefined) fields["arguments"] = unescape(displayed).replaceAll("\n", "\r\n");
    return { action, fields };
  }

  async #send(method: string, path: string, headers: Headers, body = ""): Promise<Answer> {
    const all = { host: this.#url.host, cookie: this.cookie, ...headers };
    const sent = Object.entries(all).filter(([, value]) => value !== undefined);
    const request = send({
      host: this.#url.hostname,
      port: this.#url.port,
      method,
      path,
      agent: false,
      headers: Object.fromEntries(sent),
    });
    request.end(body);
    const [response] = (await once(request, "response")) as [IncomingMessage];
    let text = "";
    for await (const part of response.setEncoding("utf8")) text += String(part);
    return { status: response.statusCode ?? 0, headers: response.headers, text };
  }
}

const characters: Readonly<Record<string, string>> = {
  "&amp;": "&",
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#39;": "'",
};

function unescape(html: string): string {
  return html.replace(/&#?\w+;/g, (entity) => characters[entity] ?? entity);
}
