/** An operation of the API as an attacker would send it. */
export interface AttackedOperation {
  readonly method: string;
  readonly path: string;
  /** JSON. */
  readonly body?: string;
}

/**
 * Runs in the page of an attacker: sends each operation in every way that a page has, and returns what the page could
 * read. It must not refer to anything outside of itself.
 */
export async function attackFromPage({
  target,
  operations,
}: {
  readonly target: string;
  readonly operations: readonly AttackedOperation[];
}): Promise<{ readonly sent: number; readonly read: readonly string[] }> {
  const read: string[] = [];
  let sent = 0;
  const ended = (element: EventTarget, ...types: readonly string[]): Promise<void> =>
    new Promise((resolve) => {
      for (const type of types) element.addEventListener(type, () => resolve(), { once: true });
    });
  const request = async (path: string, init: RequestInit): Promise<void> => {
    sent += 1;
    try {
      const response = await fetch(target + path, { credentials: "include", ...init });
      const text = await response.text();
      if (response.type !== "opaque") read.push(`fetch ${path} ${response.status} ${text}`);
    } catch {
      // Nothing could be read.
    }
  };
  const element = async (tag: string, attributes: Record<string, string>): Promise<void> => {
    sent += 1;
    const created = document.createElement(tag);
    const done = ended(created, "load", "error");
    for (const [name, value] of Object.entries(attributes)) created.setAttribute(name, value);
    document.body.append(created);
    await done;
    if (created instanceof HTMLImageElement && created.naturalWidth > 0) {
      read.push(`image ${attributes["src"]}`);
    }
    if (created instanceof HTMLIFrameElement) {
      try {
        read.push(`frame ${created.contentDocument?.body.textContent ?? ""}`);
      } catch {
        // The frame is of another origin.
      }
    }
    created.remove();
  };
  const form = async (
    path: string,
    method: string,
    enctype: string,
    body: string,
  ): Promise<void> => {
    sent += 1;
    const frame = document.createElement("iframe");
    frame.name = `frame-${Math.random()}`;
    document.body.append(frame);
    const created = document.createElement("form");
    Object.assign(created, { action: target + path, method, enctype, target: frame.name });
    const input = document.createElement("input");
    // As text/plain the body is JSON: {"…":"=","digest":…}.
    [input.name, input.value] = [`${body.slice(0, -1)},"x":"`, `"}`];
    created.append(input);
    document.body.append(created);
    const done = ended(frame, "load");
    created.submit();
    await done;
    try {
      read.push(`form ${frame.contentDocument?.body.textContent ?? ""}`);
    } catch {
      // The frame is of another origin.
    }
    frame.remove();
  };
  for (const { method, path, body = "{}" } of operations) {
    const types = ["application/json", "text/plain", "application/x-www-form-urlencoded"];
    const withBody = types.flatMap((type) =>
      (["cors", "no-cors", "same-origin"] as const).map((mode) =>
        request(path, { method: "POST", mode, headers: { "content-type": type }, body }),
      ),
    );
    await Promise.all([
      ...(["cors", "no-cors", "same-origin"] as const).map((mode) => request(path, { mode })),
      ...["HEAD", "OPTIONS", "PUT", "PATCH", "DELETE", method].map((each) =>
        request(path, { method: each, ...(/^(GET|HEAD)$/.test(each) ? {} : { body }) }),
      ),
      request(path, { headers: { authorization: "Bearer guess" } }),
      ...withBody,
      element("script", { src: target + path }),
      element("script", { src: target + path, type: "module" }),
      element("link", { href: target + path, rel: "stylesheet" }),
      element("img", { src: target + path }),
      element("img", { src: target + path, crossorigin: "use-credentials" }),
      element("iframe", { src: target + path }),
      form(path, "get", "text/plain", body),
      ...types.slice(1).map((type) => form(path, "post", type, body)),
      new Promise<void>((resolve) => {
        sent += 1;
        const events = new EventSource(target + path, { withCredentials: true });
        events.addEventListener("open", () => read.push(`events ${path}`));
        events.addEventListener("message", ({ data }) => read.push(`event ${String(data)}`));
        events.addEventListener("error", () => {
          events.close();
          resolve();
        });
      }),
      new Promise<void>((resolve) => {
        sent += 1;
        const socket = new WebSocket(target.replace("http", "ws") + path);
        socket.addEventListener("open", () => read.push(`socket ${path}`));
        socket.addEventListener("close", () => resolve());
      }),
    ]);
    navigator.sendBeacon(target + path, body);
    try {
      navigator.sendBeacon(target + path, new Blob([body], { type: "application/json" }));
    } catch {
      // The browser refuses it.
    }
    sent += 2;
  }
  try {
    // From its own worker, and one of the target.
    await navigator.serviceWorker.register("/worker.js");
    const { active } = await navigator.serviceWorker.ready;
    const channel = new MessageChannel();
    const done = new Promise<readonly string[]>((resolve) => {
      channel.port1.addEventListener("message", ({ data }: MessageEvent<readonly string[]>) => {
        resolve(data);
      });
      channel.port1.start();
    });
    active?.postMessage({ target, operations }, [channel.port2]);
    read.push(...(await done));
  } catch {
    // A page that is not secure has no worker.
  }
  for (const path of ["/", "/api/openapi.json"]) {
    try {
      await navigator.serviceWorker.register(target + path);
      read.push(`worker ${path}`);
    } catch {
      // Refused.
    }
  }
  return { sent, read };
}

/** The worker of the attacker. */
export const attackWorker: string = `
self.addEventListener("message", async ({ data: { target, operations }, ports: [port] }) => {
  const read = [];
  for (const { method, path, body } of operations) {
    for (const mode of ["cors", "no-cors"]) {
      try {
        const response = await fetch(target + path, { method, mode, credentials: "include", body });
        if (response.type !== "opaque") read.push("worker " + response.status + " " + await response.text());
      } catch {}
    }
  }
  port.postMessage(read);
});
`;
