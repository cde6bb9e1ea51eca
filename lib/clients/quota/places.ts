import type { Places, ReleasePlace } from "../../ports/places";
import type { QuotaPort, QuotaUser } from "./quota-port";

/** The largest number of waiting calls of one process. The last fifth of the places is for static keys. */
const MAX_WAITS = 1_000;
const MAX_WAITS_OF_ADDRESSES = 800;

export function createPlaces(): QuotaPort<Places> {
  const takeForTransaction = createPlacesOfKind(Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY);
  const takeForWait = createPlacesOfKind(MAX_WAITS, MAX_WAITS_OF_ADDRESSES);
  return { takeForTransaction, takeForWait: (user) => takeForWait(user, Symbol("wait"), false) };
}

/** Creates places that hold one thing each, by its key. The service itself has no limit. */
function createPlacesOfKind(maxPlaces: number, maxPlacesOfAddresses: number) {
  const places = new Map<string | symbol, { holder: string; takeCount: number }>();
  const placesByHolder = new Map<string, number>();
  const countPlaces = (holder: string, change: number) => {
    const count = (placesByHolder.get(holder) ?? 0) + change;
    if (count > 0) placesByHolder.set(holder, count);
    else placesByHolder.delete(holder);
  };

  return (user: QuotaUser, key: string | symbol, isKnown = false): ReleasePlace | null => {
    const holder = `${user.kind} ${user.id}`;
    const hasPlaceLeft =
      (placesByHolder.get(holder) ?? 0) < (user.maxPlaces ?? Number.POSITIVE_INFINITY) &&
      places.size < (user.kind === "address" ? maxPlacesOfAddresses : maxPlaces);
    if (!places.has(key)) {
      if (!hasPlaceLeft && !isKnown) return null;
      places.set(key, { holder, takeCount: 0 });
      countPlaces(holder, 1);
    }
    const place = places.get(key)!;
    place.takeCount++;
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      if (--place.takeCount > 0) return;
      places.delete(key);
      countPlaces(place.holder, -1);
    };
  };
}
