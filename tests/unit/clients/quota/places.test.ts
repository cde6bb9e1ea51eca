import { describe, expect, test } from "vitest";
import { createPlaces } from "../../../../lib/clients/quota/places";
import { type QuotaUser, SERVICE_ITSELF } from "../../../../lib/clients/quota/quota-port";

const createAddress = (id: string, maxPlaces = 20): QuotaUser => ({
  priority: "money",
  kind: "address",
  id,
  maxPlaces,
});
const createKey = (id: string, maxPlaces: number): QuotaUser => ({
  ...createAddress(id, maxPlaces),
  kind: "static-key",
});

describe("places of transactions", () => {
  /** Takes places for new transactions. Returns how many of them got one. */
  function takePlaces(places: ReturnType<typeof createPlaces>, user: QuotaUser, count: number, name = "new"): number {
    const taken = Array.from({ length: count }, (_, i) =>
      places.takeForTransaction(user, `${name} ${user.id} ${i}`, "payer"),
    );
    return taken.filter((release) => release !== null).length;
  }

  test("are as many as each caller may have, whatever the others hold", () => {
    const places = createPlaces();
    for (let i = 0; i < 50; i++) expect(takePlaces(places, createAddress(`address ${i}`), 60)).toBe(20);
    expect(takePlaces(places, createKey("merchant", 100), 200)).toBe(100);
    // A key and an address with one id are two callers.
    expect(takePlaces(places, createAddress("merchant"), 30, "other")).toBe(20);
    expect(takePlaces(places, SERVICE_ITSELF, 1_000)).toBe(1_000);
  });

  test("are given back once, when all who took the place have given it back", () => {
    const places = createPlaces();
    const user = createAddress("a", 1);
    const releases = [user, createKey("merchant", 5), user].map(
      (holder) => places.takeForTransaction(holder, "known", "payer")!,
    );
    expect(places.takeForTransaction(user, "new", "payer")).toBeNull();
    releases[0]!();
    releases[0]!();
    releases[1]!();
    expect(places.takeForTransaction(user, "new", "payer")).toBeNull();
    releases[2]!();
    expect(places.takeForTransaction(user, "new", "payer")).not.toBeNull();
  });

  test("are never refused to known transactions, which count", () => {
    const places = createPlaces();
    const user = createAddress("a", 2);
    for (const name of ["1", "2", "3"]) expect(places.takeForTransaction(user, name, "payer", true)).not.toBeNull();
    expect(places.takeForTransaction(user, "new", "payer")).toBeNull();
  });
});

describe("places beyond a caller's limit", () => {
  const caller = createAddress("shared", 20);

  test("let a payer without an unfinished transaction have one", () => {
    const places = createPlaces();
    for (let i = 0; i < 20; i++) places.takeForTransaction(caller, `neighbor ${i}`, "neighbor");
    expect(places.takeForTransaction(caller, "more", "neighbor")).toBeNull();
    const release = places.takeForTransaction(caller, "withdrawal", "owner");
    expect(release).not.toBeNull();
    expect(places.takeForTransaction(caller, "second", "owner")).toBeNull();
    release!();
    expect(places.takeForTransaction(caller, "second", "owner")).not.toBeNull();
  });

  test("are at most as many again, whatever the number of wallets", () => {
    const places = createPlaces();
    const takeAll = (name: string) =>
      Array.from({ length: 100 }, (_, i) => places.takeForTransaction(caller, `${name} ${i}`, `${name} ${i}`));
    expect(takeAll("wallet").filter((release) => release !== null)).toHaveLength(40);
    expect(places.takeForTransaction(createAddress("other", 20), "own", "own")).not.toBeNull();
  });
});

describe("places of waiting calls", () => {
  test("keep a fifth for static keys", () => {
    const places = createPlaces();
    const releases = Array.from({ length: 800 }, (_, i) => places.takeForWait(createAddress(`address ${i % 40}`)));
    expect(releases).not.toContain(null);
    expect(places.takeForWait(createAddress("late"))).toBeNull();
    for (let i = 0; i < 200; i++) expect(places.takeForWait(createKey(`key ${i % 10}`, 20))).not.toBeNull();
    expect(places.takeForWait(createKey("late", 20))).toBeNull();
    for (const release of releases.slice(0, 201)) release!();
    expect(places.takeForWait(createAddress("late"))).not.toBeNull();
  });

  test("are 20 of an address", () => {
    const places = createPlaces();
    const takeWait = () => places.takeForWait(createAddress("a"));
    const releases = Array.from({ length: 20 }, takeWait);
    expect([releases.includes(null), takeWait()]).toEqual([false, null]);
    releases[0]!();
    expect(takeWait()).not.toBeNull();
  });
});
