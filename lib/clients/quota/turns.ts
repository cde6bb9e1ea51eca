import type { QuotaUser } from "./quota-port";

/** A call that waits for its turn. */
export interface Turn {
  /** Orders the calls of one party: the lowest rank goes first. Calls of one rank keep their order. */
  rank: number;
  /** Returns false once the call is no longer wanted. It is then dropped when its turn comes. */
  isWanted(): boolean;
  /** Fails the call, and removes it from all turns. */
  drop(): void;
}

/** `lastTurn`: the number of its last turn, 0 before the first. */
type Party<T> = { kind: QuotaUser["kind"]; calls: T[]; lastTurn: number };

/** With more parties than this, those without a waiting call are forgotten. It bounds the memory. */
const MAX_REMEMBERED = 1_000;

/**
 * Creates the order of waiting calls. The kinds of parties alternate. Within a kind, the party goes first whose last
 * turn is longest ago, and one without a turn goes before all others. So between two calls of one party, each waiting
 * party of its kind gets one. A party that calls rarely does not wait for those that flood, however many they are.
 */
export function createTurns<T extends Turn>() {
  const parties = new Map<string, Party<T>>();
  // Addresses begin as if they had just had a turn, so that a flood has no turn before the first call of a static key.
  const lastTurns = { service: 0, "static-key": 0, address: 1 };
  let turnCount = 1;
  let callCount = 0;

  const find = ({ kind, id }: QuotaUser) => parties.get(`${kind} ${id}`);
  const listWaiting = () => [...parties.values()].filter(({ calls }) => calls.length > 0);
  const takeEarlier = (a: Party<T>, b: Party<T>) =>
    (lastTurns[b.kind] - lastTurns[a.kind] || b.lastTurn - a.lastTurn) < 0 ? b : a;
  const remove = (party: Party<T> | undefined, call: T) => {
    if (!party?.calls.includes(call)) return;
    party.calls.splice(party.calls.indexOf(call), 1);
    callCount--;
    // No call waits, so the order of earlier turns no longer matters.
    if (callCount === 0) parties.clear();
  };

  return {
    isEmpty: () => callCount === 0,
    /** Returns the waiting calls of a party. */
    list: (user: QuotaUser): readonly T[] => find(user)?.calls ?? [],
    add(user: QuotaUser, call: T): void {
      const party = find(user) ?? { kind: user.kind, calls: [], lastTurn: 0 };
      parties.set(`${user.kind} ${user.id}`, party);
      party.calls.push(call);
      callCount++;
    },
    /** Removes a call of a party, if it still waits. */
    remove: (user: QuotaUser, call: T) => remove(find(user), call),
    /** Removes and returns the next call, while one waits. Returns undefined if the next party wanted none of its calls. */
    takeNext(): T | undefined {
      const party = listWaiting().reduce(takeEarlier);
      for (const call of [...party.calls]) if (!call.isWanted()) call.drop();
      if (party.calls.length === 0) return undefined;
      const nextCall = party.calls.reduce((first, call) => (call.rank < first.rank ? call : first));
      party.lastTurn = lastTurns[party.kind] = ++turnCount;
      remove(party, nextCall);
      if (parties.size > MAX_REMEMBERED)
        for (const [key, { calls }] of parties) if (calls.length === 0) parties.delete(key);
      return nextCall;
    },
    /** Returns at most how many turns pass before a further call of a party, if no further party comes. */
    countTurnsBefore(user: QuotaUser, rank: number): number {
      const [own, waiting] = [find(user), listWaiting()];
      const rivals = waiting.filter((party) => party.kind === user.kind && party !== own);
      const rivalsBefore = rivals.filter(({ lastTurn }) => lastTurn <= (own?.lastTurn ?? 0)).length;
      const callsBefore = own?.calls.filter((call) => call.rank <= rank).length ?? 0;
      const otherKinds = new Set(waiting.map(({ kind }) => kind).filter((kind) => kind !== user.kind)).size;
      return (rivalsBefore + callsBefore * (rivals.length + 1)) * (otherKinds + 1) + otherKinds;
    },
  };
}
