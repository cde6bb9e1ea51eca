import { type AddressRange, parseAddressRanges } from "./address-ranges";

/**
 * Source of the client's address: the socket, whose address server.ts stamps; Vercel's header; or the n-th entry of
 * X-Forwarded-For from the right. With `peers`, that header counts only if the socket's address lies in one of them.
 */
export type ClientIpSource =
  | { kind: "socket" }
  | { kind: "vercel" }
  | { kind: "proxy"; hops: number; peers?: AddressRange[] };

/**
 * Parses `vercel`, `proxy:<hops>` or `proxy:<hops>@<network>+<network>`. Absent: the socket.
 * @returns the fault as text for anything else
 */
export function parseClientIp(text: string | undefined): ClientIpSource | string {
  if (text === undefined) return { kind: "socket" };
  if (text === "vercel") return { kind: "vercel" };
  const [, hops, peersText] = /^proxy:([1-9])(?:@(.*))?$/.exec(text) ?? [];
  if (hops === undefined) return "is neither `vercel` nor `proxy:<1-9>`";
  if (peersText === undefined) return { kind: "proxy", hops: Number(hops) };
  const peers = parseAddressRanges(peersText);
  if (peers === null) return "after @ come the proxies' addresses or networks such as 10.0.0.0/8, joined by +";
  return { kind: "proxy", hops: Number(hops), peers };
}
