import { crc32 } from "node:zlib";
import { beforeEach, describe, expect, inject, test } from "vitest";
import { expectFailure, expectHouseRules } from "../support/client/answers";
import { API_KEY_SHAPE } from "../support/client/api-keys";
import { call, data, get, newWallet, post, signText, type Wallet } from "../support/client/client";

const DAY_MS = 86_400_000;
const { apiKey: staticKey } = inject("doors");

let wallet: Wallet;
beforeEach(async () => {
  wallet = await newWallet();
});

const generate = (body: unknown = {}, headers: Record<string, string> = wallet.headers) =>
  post("/api/keys/generate", body, { headers });
/** The credentials of the headers, as body fields. */
const inBody = ({ headers }: Wallet) => ({ wallet: headers["x-wallet"], signature: headers["x-signature"] });
const keysOf = async ({ headers }: Wallet) => (await data(get("/api/keys", { headers }))).keys;
const roundUpWith = (headers: Record<string, string>) => post("/api/roundup", { txValueUsd: 3.4 }, { headers });

describe("200", () => {
  test("makes a key, shown once and valid for 90 days, from wallet and signature in the headers", async () => {
    const answer = await generate();
    expectHouseRules(answer);
    expect(answer.headers.get("cache-control")).toBe("no-store");
    const { apiKey, id, createdAt, expiresAt, ...rest } = await data(answer);
    expect(rest).toEqual({ wallet: wallet.address, name: null, usage: expect.stringContaining("x-api-key") });
    expect(apiKey).toMatch(API_KEY_SHAPE);
    expect(apiKey).toContain(`_${id}_`);
    expect(Date.parse(expiresAt) - Date.parse(createdAt)).toBe(90 * DAY_MS);
    expect((await get("/api/keys", { headers: wallet.headers })).text).not.toContain(apiKey.slice(24));
  });

  test("accepts wallet and signature in the body without headers", async () => {
    const created = await data(generate(inBody(wallet), {}));
    expect(created.wallet).toBe(wallet.address);
    expect((await keysOf(wallet)).map(({ id }) => id)).toEqual([created.id]);
  });

  test("accepts a signature in the body over the wallet in the headers", async () => {
    const { signature } = inBody(wallet);
    expect((await data(generate({ signature }))).wallet).toBe(wallet.address);
  });

  test("accepts a name of 1 to 60 characters, trimmed, and expiresInDays of 1 to 365", async () => {
    const days = (created: { createdAt: string; expiresAt: string }) =>
      (Date.parse(created.expiresAt) - Date.parse(created.createdAt)) / DAY_MS;
    const shortest = await data(generate({ name: "  a  ", expiresInDays: 1 }));
    expect(shortest.name).toBe("a");
    expect(days(shortest)).toBe(1);
    const longest = await data(generate({ name: "ключ 🔑 ".padEnd(60, "x"), expiresInDays: 365 }));
    expect(longest.name).toBe("ключ 🔑 ".padEnd(60, "x"));
    expect(days(longest)).toBe(365);
  });

  test("ends the key with a CRC-32 of the preceding text, so that clients can detect a typo", async () => {
    const { apiKey } = await data(generate());
    const checksum = crc32(apiKey.slice(0, -8)).toString(16).padStart(8, "0");
    expect(apiKey.slice(-8)).toBe(checksum);
  });

  test("makes a different key each time, and each works on the protected endpoints", async () => {
    const keys = await Promise.all([1, 2, 3].map(async () => (await data(generate())).apiKey as string));
    expect(new Set(keys).size).toBe(3);
    for (const apiKey of keys) expect((await roundUpWith({ "x-api-key": apiKey })).status).toBe(200);
  });
});

describe("a key cannot do what only a wallet may", () => {
  test("401: makes, lists and revokes no keys, not even itself", async () => {
    const { apiKey, id } = await data(generate());
    for (const key of [apiKey, staticKey]) {
      const headers = { "x-api-key": key };
      expectFailure(await generate({}, headers), "credentials_missing");
      expectFailure(await get("/api/keys", { headers }), "credentials_missing");
      expectFailure(await call("DELETE", `/api/keys/${id}`, { headers }), "credentials_missing");
    }
    expect((await keysOf(wallet)).length).toBe(1);
    expect((await roundUpWith({ "x-api-key": apiKey })).status).toBe(200);
  });
});

describe("409 too_many_keys", () => {
  test("refuses the 11th live key of a wallet, but not of another wallet; revoking one makes room for exactly one", async () => {
    for (let i = 0; i < 10; i++) await data(generate({ name: `key ${i}` }));
    expectFailure(await generate(), "too_many_keys");
    const keys = await keysOf(wallet);
    expect(keys.map(({ name }) => name)).toEqual(Array.from({ length: 10 }, (_, i) => `key ${i}`));

    expect((await data(generate({}, (await newWallet()).headers))).apiKey).toMatch(API_KEY_SHAPE);

    await data(call("DELETE", `/api/keys/${keys[4]!.id}`, { headers: wallet.headers }));
    await data(generate({ name: "one more" }));
    expectFailure(await generate(), "too_many_keys");
  });

  test("makes exactly 10 working keys of 25 simultaneous requests", async () => {
    const answers = await Promise.all(Array.from({ length: 25 }, () => generate()));
    const made = await Promise.all(answers.filter(({ status }) => status === 200).map(data));
    expect(made.length).toBe(10);
    for (const answer of answers) if (answer.status !== 200) expectFailure(answer, "too_many_keys");
    const listed = (await keysOf(wallet)).map(({ id }) => id).sort();
    expect(listed).toEqual(made.map(({ id }) => id).sort());
    const uses = await Promise.all(made.map(({ apiKey }) => roundUpWith({ "x-api-key": apiKey })));
    expect(uses.map(({ status }) => status)).toEqual(Array(10).fill(200));
  });
});

describe("401", () => {
  test("credentials_missing: refuses no credentials, or half of them in the body", async () => {
    const { wallet: address, signature } = inBody(wallet);
    expectFailure(await generate({}, {}), "credentials_missing");
    expectFailure(await generate({ wallet: address }, {}), "credentials_missing");
    expectFailure(await generate({ signature }, {}), "credentials_missing");
    expectFailure(await generate({ wallet: address }), "credentials_missing");
  });

  test("credentials_invalid: refuses a different wallet's signature, or one over a different text, in body or headers", async () => {
    const other = await newWallet();
    const { message } = await data(get("/api/wallet/derive"));
    for (const signature of [inBody(other).signature, signText(wallet.keys, message), "A".repeat(88), "AA=="]) {
      expectFailure(await generate({ wallet: wallet.address, signature }, {}), "credentials_invalid");
      const headers = { "x-wallet": wallet.address, "x-signature": signature! };
      expectFailure(await generate({}, headers), "credentials_invalid");
    }
    expect(await keysOf(wallet)).toEqual([]);
  });

  test("credentials_invalid: refuses valid credentials in the body beside wrong ones in the headers, and vice versa", async () => {
    const wrong = { "x-wallet": wallet.address, "x-signature": "A".repeat(88) };
    expectFailure(await generate(inBody(wallet), wrong), "credentials_invalid");
    expectFailure(await generate({ wallet: wallet.address, signature: "A".repeat(88) }), "credentials_invalid");
    expect(await keysOf(wallet)).toEqual([]);
  });
});

describe("400, and no key is made", () => {
  test("a refused request uses none of the ten places", async () => {
    for (let i = 0; i < 10; i++) {
      expectFailure(await generate({ expiresInDays: 0 }), "invalid_request");
      expectFailure(await generate({ wallet: wallet.address, signature: "A".repeat(88) }), "credentials_invalid");
    }
    for (let i = 0; i < 10; i++) await data(generate());
  });
});
