export type UpstreamFaultKind = "busy" | "invalid" | "key_refused" | "lagging" | "timeout" | "unavailable";

/** How somebody outside of this process has answered of late. */
export interface UpstreamReport {
  /** Nodes by their use and position, never by their address. */
  name: string;
  state: "up" | "busy" | "failing" | "lagging" | "unchecked" | "wrong network";
  /** Of a node, behind the newest slot seen; null where it is none or has shown none. */
  lagSlots: number | null;
  /** Ms since the epoch; null before the first answer. */
  answeredAt: number | null;
  lastFault: UpstreamFaultKind | null;
}
