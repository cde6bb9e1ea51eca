import type { DataOf, InputOf } from "../contracts/define";
import type { getEventsContract } from "../contracts/get-events";
import { STORE_KEYS } from "../domain/store-keys";
import type { Deps } from "../ports/deps";
import type { Caller, RequestContext } from "../ports/request-context";
import { type FeedEvent, readFeed, toCallerFeed, toWalletFeed } from "./records/feeds";
import { readReferenceBuilds } from "./records/references";
import { compareWithBuild, toBalanceChanges } from "./steps/amounts";
import { resolveCallerWallet } from "./steps/caller-wallet";

const DEFAULT_LIMIT = 100;
/** The pause before a call that found no place to wait is repeated, ms. Calls wait for 20 s at most. */
const NO_PLACE_RETRY_MS = 5_000;

/**
 * Returns the events of a feed after a sequence number: the feed of the named wallet, of the caller's wallet, or of the
 * static key if neither is given. If there are none, waits at most as long as the caller asks. If too many calls wait
 * already, does not wait, and says when to call again.
 */
export async function getEvents(
  deps: Deps,
  { wallet: namedWallet, after = 0, limit = DEFAULT_LIMIT, wait: waitSeconds = 0 }: InputOf<typeof getEventsContract>,
  { caller }: Pick<RequestContext, "caller">,
): Promise<DataOf<typeof getEventsContract>> {
  const wallet = resolveCallerWallet(namedWallet, caller);
  const feed = wallet === null ? toCallerFeed(caller) : toWalletFeed(wallet);
  let { events, nextSequence } = await readFeed(deps, feed, after, limit);
  if (events.length === 0 && waitSeconds > 0) {
    const releasePlace = deps.places.takeForWait();
    if (!releasePlace) return { feed, events: [], next: after, retryAfterMs: NO_PLACE_RETRY_MS };
    await deps.storeWatch
      .waitForNumber(STORE_KEYS.feedHead.toKey(feed), nextSequence, waitSeconds * 1_000)
      .finally(releasePlace);
    ({ events, nextSequence } = await readFeed(deps, feed, after, limit));
  }
  return { feed, events: await addBuilds(deps, caller, events), next: events.at(-1)?.sequence ?? after };
}

async function addBuilds(deps: Deps, caller: Caller, events: FeedEvent[]) {
  const orders = events.flatMap(({ wallet, reference }) => (reference === null ? [] : { wallet, reference }));
  const builds = await readReferenceBuilds(deps, caller, orders);
  return events.map(({ savings, solChangeLamports, tokenChanges, ...event }) => {
    const build = event.reference === null ? null : builds.shift()!;
    return {
      ...event,
      time: new Date(event.time).toISOString(),
      amounts: toBalanceChanges({ solChangeLamports, tokenChanges }),
      ...compareWithBuild(build, event.type.endsWith(".confirmed") ? savings : null),
    };
  });
}
