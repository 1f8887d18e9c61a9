export { ForwardProxy } from "./proxy/forward-proxy.ts";
export type { ForwardProxyOptions } from "./proxy/forward-proxy.ts";
