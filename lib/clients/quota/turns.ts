import type { QuotaUser } from "./quota-port";

export interface Turn {
  /** Orders the calls of one party: the lowest rank goes first. Calls of one rank keep their order. */
  rank: number;
  /** Returns false once the call is no longer wanted. It is then dropped when its turn comes. */
  isWanted(): boolean;
  /** Fails the call, and removes it from all turns. */
  drop(): void;
}

/** `lastTurn`: the number of its last turn, 0 for a new party. */
type Party<T> = { kind: QuotaUser["kind"]; calls: T[]; lastTurn: number };

/** With more parties than this, those without a waiting call are forgotten. It bounds the memory. */
const MAX_REMEMBERED = 1_000;

/** Addresses begin as if they had just had a turn, so that a flood has no turn before the first call of a static key. */
const FIRST_KIND = { lastTurn: 0, wasNew: false };
const FIRST_KINDS = { service: FIRST_KIND, "static-key": FIRST_KIND, address: { lastTurn: 1, wasNew: false } };

/**
 * Creates the order of waiting calls. The kinds of parties alternate. Within a kind, new parties alternate with those
 * that had a turn. The first new party to come goes first, and of the others the one whose last turn is longest ago.
 *
 * A party with N parties of its kind ahead waits for at most 2 N + 1 turns of that kind, whatever comes later. Ahead of a
 * new party are the new ones that came earlier. Ahead of any other are the known ones whose last turn is longer ago.
 */
export function createTurns<T extends Turn>() {
  const parties = new Map<string, Party<T>>();
  let kinds = FIRST_KINDS;
  let turnCount = 1;
  let callCount = 0;

  const find = ({ kind, id }: QuotaUser) => parties.get(`${kind} ${id}`);
  const listWaiting = () => [...parties.values()].filter(({ calls }) => calls.length > 0);
  const isOutOfTurn = ({ kind, lastTurn }: Party<T>) => (lastTurn === 0) === kinds[kind].wasNew;
  const compare = (a: Party<T>, b: Party<T>) =>
    kinds[a.kind].lastTurn - kinds[b.kind].lastTurn ||
    Number(isOutOfTurn(a)) - Number(isOutOfTurn(b)) ||
    a.lastTurn - b.lastTurn;
  const remove = (party: Party<T> | undefined, call: T) => {
    if (!party?.calls.includes(call)) return;
    party.calls.splice(party.calls.indexOf(call), 1);
    if (--callCount > 0) return;
    // No call waits, so the order of earlier turns no longer matters.
    parties.clear();
    kinds = FIRST_KINDS;
  };

  return {
    isEmpty: () => callCount === 0,
    list: (user: QuotaUser): readonly T[] => find(user)?.calls ?? [],
    add(user: QuotaUser, call: T): void {
      const party = find(user) ?? { kind: user.kind, calls: [], lastTurn: 0 };
      parties.set(`${user.kind} ${user.id}`, party);
      party.calls.push(call);
      callCount++;
    },
    remove: (user: QuotaUser, call: T) => remove(find(user), call),
    /** Removes and returns the next call, while one waits. Returns undefined if the next party wanted none of its calls. */
    takeNext(): T | undefined {
      const party = listWaiting().reduce((first, other) => (compare(other, first) < 0 ? other : first));
      for (const call of [...party.calls]) if (!call.isWanted()) call.drop();
      if (party.calls.length === 0) return undefined;
      const nextCall = party.calls.reduce((first, call) => (call.rank < first.rank ? call : first));
      kinds = { ...kinds, [party.kind]: { lastTurn: ++turnCount, wasNew: party.lastTurn === 0 } };
      party.lastTurn = turnCount;
      remove(party, nextCall);
      if (parties.size > MAX_REMEMBERED)
        for (const [key, { calls }] of parties) if (calls.length === 0) parties.delete(key);
      return nextCall;
    },
    /** Returns at most how many turns pass before a further call of a party, if no further party comes. */
    countTurnsBefore(user: QuotaUser, rank: number): number {
      const [own, waiting] = [find(user), listWaiting()];
      const rivals = waiting.filter((party) => party.kind === user.kind && party !== own);
      const countUpTo = (turn: number) => rivals.filter(({ lastTurn }) => lastTurn <= turn).length;
      const turnsBeforeOwn = own?.lastTurn ? countUpTo(own.lastTurn) : Math.min(rivals.length, 1) + 2 * countUpTo(0);
      const callsBefore = own?.calls.filter((call) => call.rank <= rank).length ?? 0;
      const otherKinds = new Set(waiting.map(({ kind }) => kind).filter((kind) => kind !== user.kind)).size;
      return (turnsBeforeOwn + callsBefore * (rivals.length + 1)) * (otherKinds + 1) + otherKinds;
    },
  };
}
