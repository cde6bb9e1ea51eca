/** What is known of a run of transactions between its first signature and its end. It outlives a reload. */
export interface Unfinished<R, D> {
  request: R;
  /** What has landed, in order. */
  done: { label: string; about: D; txSignature: string }[];
  /** Signed and posted, outcome not known yet. Posting the same bytes again is always safe. */
  inFlight: { label: string; about: D; signed: string } | null;
}
