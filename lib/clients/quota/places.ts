import type { Places, ReleasePlace } from "../../ports/places";
import { type Bucket, NO_LIMIT } from "./bucket";
import type { QuotaPort, QuotaUser } from "./quota-port";

/** The largest number of waiting calls of one process. The last fifth of the places is for static keys. */
const MAX_WAITS = 1_000;
const MAX_WAITS_OF_ADDRESSES = 800;

export function createPlaces(cpuBucket: Bucket = NO_LIMIT): QuotaPort<Places> {
  const takeForTransaction = createPlacesOfKind(Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY);
  const takeForWait = createPlacesOfKind(MAX_WAITS, MAX_WAITS_OF_ADDRESSES);
  return { takeTurn: cpuBucket.take, takeForTransaction, takeForWait: (user) => takeForWait(user, Symbol("wait")) };
}

/** Creates places that hold one thing each, by its key. The service itself has no limit. */
function createPlacesOfKind(maxPlaces: number, maxPlacesOfAddresses: number) {
  const places = new Map<string | symbol, { owners: string[]; takeCount: number }>();
  /** The number of places of each holder, and of each payer. */
  const counts = new Map<string, number>();
  const getCount = (owner: string) => counts.get(owner) ?? 0;

  return (user: QuotaUser, key: string | symbol, payer?: string, isKnown = false): ReleasePlace | null => {
    const owners = [`${user.kind} ${user.id}`, ...(payer ? [`payer ${payer}`] : [])];
    const [heldCount, payerCount = 1] = owners.map(getCount);
    const maxHeld = (user.maxPlaces ?? Number.POSITIVE_INFINITY) * (payerCount > 0 ? 1 : 2);
    const hasPlaceLeft =
      heldCount! < maxHeld && places.size < (user.kind === "address" ? maxPlacesOfAddresses : maxPlaces);
    if (!places.has(key)) {
      if (!hasPlaceLeft && !isKnown) return null;
      places.set(key, { owners, takeCount: 0 });
      for (const owner of owners) counts.set(owner, getCount(owner) + 1);
    }
    const place = places.get(key)!;
    place.takeCount++;
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      if (--place.takeCount > 0) return;
      places.delete(key);
      for (const owner of place.owners)
        if (getCount(owner) > 1) counts.set(owner, getCount(owner) - 1);
        else counts.delete(owner);
    };
  };
}
