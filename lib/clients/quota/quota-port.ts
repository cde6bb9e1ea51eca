/** The party that upstream calls and places are counted for. */
export interface QuotaUser {
  /** `money`: builds, the relay, prices and reads with valid credentials. `other`: everything else. */
  priority: "money" | "other";
  kind: "service" | "static-key" | "address";
  /** The id of the static key, or the client's address. Empty for the service itself. */
  id: string;
  /** How many places it may hold. Absent: any number. */
  maxPlaces?: number;
  /** Other parties that wait for the same load. A waiting call of the load has the turns of all of them. */
  joiners?: QuotaUser[];
}

/** The service itself, for example for the prices, and for signature polls that several relays share. */
export const SERVICE_ITSELF: QuotaUser = { priority: "money", kind: "service", id: "" };

/** Creates the party of one load. It is a copy, because `Bucket.join` changes it. */
export const createLoadUser = ({ priority, kind, id }: QuotaUser): QuotaUser => ({ priority, kind, id });

/** A port whose methods take an additional first argument: the party that the call is counted for. */
export type QuotaPort<P> = {
  [Name in keyof P]: P[Name] extends (...args: infer A) => infer R ? (quotaUser: QuotaUser, ...args: A) => R : never;
};

export function bindQuotaUser<P extends object>(quotaUser: QuotaUser, port: QuotaPort<P>): P {
  return mapMethods(port, (call) => call.bind(null, quotaUser));
}

type Method = (...args: unknown[]) => unknown;

/** Returns an object with the methods of `port`, each replaced by the result of `replaceMethod`. */
export function mapMethods<Mapped>(port: object, replaceMethod: (method: Method) => Method): Mapped {
  const methods = Object.entries(port as Record<string, Method>);
  return Object.fromEntries(methods.map(([name, method]) => [name, replaceMethod(method)])) as Mapped;
}
