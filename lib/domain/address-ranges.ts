import ipaddr from "ipaddr.js";

/** A network in CIDR notation: an address, and the length of the prefix in bits. */
export type AddressRange = [ipaddr.IPv4 | ipaddr.IPv6, number];

/** Parses addresses and networks, joined by `+`. Returns null if one of them is neither. */
export function parseAddressRanges(text: string): AddressRange[] | null {
  const ranges = text.split("+").map(parseRange);
  return ranges.includes(null) ? null : (ranges as AddressRange[]);
}

/** Parses an address or a network. Returns null for anything else, and for IPv4-mapped IPv6, which never matches. */
function parseRange(text: string): AddressRange | null {
  const [address = "", bits] = text.split("/");
  const isIpv4 = ipaddr.IPv4.isValidFourPartDecimal(address);
  if (!isIpv4 && !ipaddr.IPv6.isValid(address)) return null;
  const network = `${address}/${bits ?? (isIpv4 ? 32 : 128)}`;
  if (!ipaddr.isValidCIDR(network) || text.split("/").length > 2) return null;
  const range = ipaddr.parseCIDR(network);
  return range[0] instanceof ipaddr.IPv6 && range[0].isIPv4MappedAddress() ? null : range;
}
