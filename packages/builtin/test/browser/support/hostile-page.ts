import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import { openServer, type WebServer } from "../../support/web-server.ts";

/** A server and a port for datagrams, which a page may not reach. */
export interface ForbiddenTarget {
  readonly server: WebServer;
  /** The ways by which the server was reached: the paths of its requests. */
  readonly reached: () => readonly string[];
  /** The number of datagrams. */
  readonly datagrams: () => number;
  readonly udpPort: number;
}

/** Opens a target that counts whatever reaches it. */
export async function openTarget(): Promise<ForbiddenTarget> {
  const server = await openServer((request, response) => {
    response.setHeader("access-control-allow-origin", "*");
    // Otherwise the page would go there.
    if (request.url === "/download") response.setHeader("content-disposition", "attachment");
    response.end("reached");
  });
  const socket: Socket = createSocket("udp4");
  let datagrams = 0;
  socket.on("message", () => (datagrams += 1));
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  onTestFinished(() => void socket.close());
  return {
    server,
    reached: () => [...new Set(server.requests.map(({ url }) => url ?? ""))].toSorted(),
    datagrams: () => datagrams,
    udpPort: (socket.address() as AddressInfo).port,
  };
}

/** A page that tries to reach a host in every way that a page has. */
export function hostilePage(host: string, udpPort: number): string {
  const target = `http://${host}`;
  return `<!doctype html><html><head><title>Hostile</title>
    <link rel="icon" href="${target}/icon">
    <link rel="stylesheet" href="${target}/stylesheet">
    <link rel="dns-prefetch" href="http://prefetched.test/">
    <link rel="preconnect" href="${target}">
    <link rel="prefetch" href="${target}/prefetch">
    <link rel="preload" as="image" href="${target}/preload">
    <link rel="modulepreload" href="${target}/modulepreload">
    <link rel="manifest" href="${target}/manifest">
    <script type="speculationrules">{"prerender": [{"source": "list", "urls": ["${target}/prerender"]}], "prefetch": [{"source": "list", "urls": ["${target}/speculation"]}]}</script>
    <style>@import "${target}/import"; @font-face { font-family: f; src: url("${target}/font"); } body { font-family: f; background: url("${target}/background"); }</style>
    </head><body>text
    <img src="${target}/img"><img srcset="${target}/srcset 2x"><video src="${target}/video" autoplay></video><audio src="${target}/audio" autoplay></audio>
    <iframe src="${target}/iframe"></iframe><iframe src="/redirect"></iframe><iframe src="file:///etc/passwd"></iframe>
    <object data="${target}/object"></object><embed src="${target}/embed">
    <script src="${target}/script"></script>
    <svg><image href="${target}/svg" /></svg>
    <a id="ping" ping="${target}/ping" href="#x">ping</a>
    <a id="download" href="${target}/download" download>download</a>
    <form id="form" action="${target}/form" method="post" target="frame"></form><iframe name="frame"></iframe>
    <script>
      const attempts = [
        () => fetch("${target}/fetch", { mode: "no-cors" }),
        () => fetch("/redirect"),
        () => { const request = new XMLHttpRequest(); request.open("GET", "${target}/xhr"); request.send(); },
        () => navigator.sendBeacon("${target}/beacon", "x"),
        () => new WebSocket("ws://${host}/websocket"),
        () => new EventSource("${target}/events"),
        () => window.open("${target}/open"),
        () => window.open("/redirect"),
        () => document.getElementById("ping").click(),
        () => document.getElementById("form").submit(),
        () => navigator.serviceWorker.register("/worker.js"),
        () => new Worker("/worker.js"),
        () => new SharedWorker("/worker.js"),
        () => import("${target}/module"),
        () => new WebTransport("https://127.0.0.1:${udpPort}/"),
        () => {
          const peer = new RTCPeerConnection({ iceServers: [{ urls: "stun:127.0.0.1:${udpPort}" }, { urls: "turn:${host}?transport=tcp", username: "a", credential: "b" }] });
          peer.createDataChannel("x");
          peer.createOffer().then((offer) => peer.setLocalDescription(offer));
        },
        () => new Image().src = "http://resolved.test/image",
        () => new PaymentRequest([{ supportedMethods: "${target}/payment" }], { total: { label: "x", amount: { currency: "EUR", value: "1" } } }).canMakePayment(),
      ];
      for (const attempt of attempts) {
        try { Promise.resolve(attempt()).catch(() => {}); } catch {}
      }
      // A refused download can take the page away, so it is the last attempt.
      setTimeout(() => { document.getElementById("download").click(); }, 1500);
    </script></body></html>`;
}

/** A script of a worker that tries the same. */
export function hostileWorker(host: string): string {
  return `self.addEventListener?.("install", () => {});
    fetch("http://${host}/worker-fetch", { mode: "no-cors" }).catch(() => {});
    try { new WebSocket("ws://${host}/worker-websocket"); } catch {}
    try { importScripts("http://${host}/worker-import"); } catch {}`;
}
