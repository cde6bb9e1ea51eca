export type UpstreamFaultKind = "busy" | "invalid" | "key_refused" | "lagging" | "timeout" | "unavailable";

export interface UpstreamReport {
  /** A node is named by its use and position, never by its URL. */
  name: string;
  state: "up" | "busy" | "failing" | "lagging" | "unchecked" | "wrong network";
  /** Slots behind the newest known one. Null for upstreams other than nodes, and before a node's first slot. */
  lagSlots: number | null;
  /** Ms since the epoch; null before the first answer. */
  answeredAt: number | null;
  lastFault: UpstreamFaultKind | null;
  /** What the upstream refused last, in words that follow its name. Absent when the kind of the fault says all. */
  lastRefusal?: string;
}
