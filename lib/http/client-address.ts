import type { IncomingMessage } from "node:http";
import { isIPv4, isIPv6 } from "node:net";
import ipaddr from "ipaddr.js";
import type { AddressRange } from "../domain/address-ranges";
import type { ClientIpSource } from "../domain/client-ip";
import type { RequestHeaders } from "./message";

/** The header in which server.ts writes the socket's address, replacing whatever a client sent under that name. */
export const ADDRESS_STAMP = "x-roundup-client-address";

/** Counts all requests without a readable address together, so that a missing header cannot bypass the limit. */
const UNKNOWN_ADDRESS = "unknown";

/**
 * Returns the address on which a call is counted: an IPv4 address, or the /64 of an IPv6 address. In X-Forwarded-For
 * only the entry of the outermost trusted proxy counts, found by its position from the right. A client can only add
 * entries on the left. A caller that reaches the service past the proxies counts by its socket.
 */
export function findClientAddress(headers: RequestHeaders, source: ClientIpSource): string {
  return normalizeAddress(readAddress(headers, source));
}

/** Returns whether the client's full address, not only its /64, lies in one of the ranges. */
export function isClientInRanges(headers: RequestHeaders, source: ClientIpSource, ranges: AddressRange[]): boolean {
  return isInRanges(readAddress(headers, source), ranges);
}

/** Returns whether a trusted proxy sent the request. Without configured peers, every peer behind proxies is trusted. */
export function isFromProxy(headers: RequestHeaders, source: ClientIpSource): boolean {
  if (source.kind !== "proxy" || source.peers === undefined) return source.kind !== "socket";
  return isInRanges(headers.get(ADDRESS_STAMP), source.peers);
}

function readAddress(headers: RequestHeaders, source: ClientIpSource): string | null | undefined {
  if (source.kind === "socket" || !isFromProxy(headers, source)) return headers.get(ADDRESS_STAMP);
  if (source.kind === "vercel") return headers.get("x-vercel-forwarded-for")?.split(",").at(-1);
  return headers.get("x-forwarded-for")?.split(",").at(-source.hops);
}

function isInRanges(text: string | null | undefined, ranges: AddressRange[]): boolean {
  const address = parseAddress((text ?? "").trim());
  return address !== null && ipaddr.subnetMatch(address, { inside: ranges }, "outside") === "inside";
}

/** Matches forms that proxies write besides a bare address: `1.2.3.4:567`, `[::1]` and `[::1]:567`. */
const ADDRESS_WITH_PORT_PATTERN = /^(?:\[(.*)\]|([\d.]+))(?::\d{1,5})?$/;

/** IPv4 is unchanged, IPv4-mapped IPv6 becomes IPv4, other IPv6 becomes its /64. Anything else is `unknown`. */
export function normalizeAddress(text: string | null | undefined): string {
  const entry = (text ?? "").trim();
  if (isIPv4(entry)) return entry;
  const address = parseAddress(entry);
  if (address === null) return UNKNOWN_ADDRESS;
  if (address instanceof ipaddr.IPv4) return address.toString();
  const networkGroups = address.parts.slice(0, 4).map((part) => part.toString(16));
  return `${networkGroups.join(":")}::/64`;
}

/** Parses an address, with or without a port. IPv4-mapped IPv6 becomes IPv4. Returns null for any other text. */
function parseAddress(entry: string): ipaddr.IPv4 | ipaddr.IPv6 | null {
  const [, bracketedText, dottedText] = ADDRESS_WITH_PORT_PATTERN.exec(entry) ?? [];
  const address = (bracketedText ?? dottedText ?? entry).replace(/%.*$/, "");
  if (isIPv4(address)) return ipaddr.IPv4.parse(address);
  if (!isIPv6(address)) return null;
  // ipaddr.js would read `::1.2.3.4`, which is not v4-mapped, as 1.2.3.4.
  const parsed = ipaddr.IPv6.parse(address.replace(/^::(?=\d+\.)/, "::0:"));
  return parsed.isIPv4MappedAddress() ? parsed.toIPv4Address() : parsed;
}

/** Writes the socket's address into rawHeaders and headers, because Node derives one from the other lazily. */
export function stampAddress(request: IncomingMessage): void {
  const { rawHeaders } = request;
  for (let i = rawHeaders.length - 2; i >= 0; i -= 2) {
    const name = rawHeaders[i]!;
    if (name.length === ADDRESS_STAMP.length && name.toLowerCase() === ADDRESS_STAMP) rawHeaders.splice(i, 2);
  }
  const address = request.socket.remoteAddress ?? "";
  rawHeaders.push(ADDRESS_STAMP, address);
  request.headers[ADDRESS_STAMP] = address;
}
