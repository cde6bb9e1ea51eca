import { mapMethods } from "../process/map-methods";
import type { Budget, QuotaUser } from "./budget";

/** A port whose methods take an additional first argument: the quota user on whose quota the call is counted. */
export type QuotaPort<P> = {
  [Name in keyof P]: P[Name] extends (...args: infer A) => infer R ? (quotaUser: QuotaUser, ...args: A) => R : never;
};

/** Returns the port with `quotaUser` filled in for every call. */
export function bindQuotaUser<P extends object>(quotaUser: QuotaUser, port: QuotaPort<P>): P {
  return mapMethods(port, (call) => call.bind(null, quotaUser));
}

/** Returns the port with every call counted as one call of `budget`. */
export function withBudget<P extends object>(budget: Budget, port: P): QuotaPort<P> {
  return mapMethods(port, (call) => async (quotaUser, ...args) => {
    await budget.take(quotaUser as QuotaUser);
    return call(...args);
  });
}
