import type { IncomingMessage } from "node:http";
import { isIPv4, isIPv6 } from "node:net";
import type { ClientIpSource } from "../env";

/** The header in which server.ts writes the socket's address, replacing whatever a client sent under that name. */
export const ADDRESS_STAMP = "x-roundup-client-address";

/** Where every request without a readable address is counted, together: a missing header must not be a way around the limit. */
const UNKNOWN = "unknown";

/**
 * Whose calls are counted together: an IPv4 address, or the /64 of an IPv6 one. A client's own X-Forwarded-For never
 * counts: only the entry that the outermost trusted proxy wrote, counted from the right.
 */
export function clientAddress(headers: Headers, source: ClientIpSource): string {
  if (source.kind === "socket") return normalizeAddress(headers.get(ADDRESS_STAMP));
  if (source.kind === "vercel") return normalizeAddress(headers.get("x-vercel-forwarded-for")?.split(",").at(-1));
  return normalizeAddress(headers.get("x-forwarded-for")?.split(",").at(-source.hops));
}

/** IPv4 as it is, v4-mapped IPv6 as IPv4, other IPv6 as its /64; anything else is `unknown`. */
export function normalizeAddress(text: string | null | undefined): string {
  const address = (text ?? "")
    .trim()
    .replace(/^\[(.*)\]$/, "$1")
    .replace(/%.*$/, "");
  if (isIPv4(address)) return address;
  if (!isIPv6(address)) return UNKNOWN;
  const groups = expand(address);
  if (groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff) {
    const [high = 0, low = 0] = groups.slice(6);
    return `${high >> 8}.${high & 255}.${low >> 8}.${low & 255}`;
  }
  return `${groups
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(":")}::/64`;
}

/** The eight 16-bit groups of a valid IPv6 address. */
function expand(address: string): number[] {
  const dotted = /^(.*:)(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(address);
  const hex = dotted
    ? `${dotted[1]}${((+dotted[2]! << 8) | +dotted[3]!).toString(16)}:${((+dotted[4]! << 8) | +dotted[5]!).toString(16)}`
    : address;
  const [head = "", tail] = hex.split("::");
  const left = head ? head.split(":") : [];
  const right = tail ? tail.split(":") : [];
  const zeros = tail === undefined ? [] : new Array<string>(8 - left.length - right.length).fill("0");
  return [...left, ...zeros, ...right].map((group) => Number.parseInt(group, 16));
}

/** Writes the socket's address where clientAddress reads it. Both views of the headers: Node makes one from the other lazily. */
export function stampAddress(request: IncomingMessage): void {
  const { rawHeaders } = request;
  for (let i = rawHeaders.length - 2; i >= 0; i -= 2) {
    if (rawHeaders[i]!.toLowerCase() === ADDRESS_STAMP) rawHeaders.splice(i, 2);
  }
  const address = request.socket.remoteAddress ?? "";
  rawHeaders.push(ADDRESS_STAMP, address);
  request.headers[ADDRESS_STAMP] = address;
}
