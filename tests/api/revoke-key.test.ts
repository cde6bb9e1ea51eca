import { beforeEach, expect, test } from "vitest";
import { callApi, createWallet, get, post, readData, type Wallet } from "../support/client/client";
import { expectFailure } from "../support/client/expect-failure";

let wallet: Wallet;
let key: { id: string; apiKey: string };
beforeEach(async () => {
  wallet = await createWallet();
  key = await readData(post("/api/keys/generate", {}, { headers: wallet.headers }));
});

const revokeKey = (id: string, headers = wallet.headers) => callApi("DELETE", `/api/keys/${id}`, { headers });
const callWithKey = () => post("/api/roundup", { txValueUsd: 1 }, { headers: { "x-api-key": key.apiKey } });
const listKeys = async () => (await readData(get("/api/keys", { headers: wallet.headers }))).keys;

test("200: the next call with the revoked key gets a 401", async () => {
  expect((await callWithKey()).status).toBe(200);
  const answer = await revokeKey(key.id);
  expect(answer.body).toEqual({ ok: true, data: { id: key.id, revoked: true } });
  expectFailure(await callWithKey(), "credentials_invalid");
  expect(await listKeys()).toEqual([]);
});

test("404: treats a different wallet's key like an unknown key", async () => {
  const stranger = await createWallet();
  const foreignKeyAnswer = await revokeKey(key.id, stranger.headers);
  expectFailure(foreignKeyAnswer, "not_found");
  const unknownKeyAnswer = await revokeKey("0123456789abcdef", stranger.headers);
  expect(foreignKeyAnswer.body!.error).toBe(unknownKeyAnswer.body!.error);
  expect((await callWithKey()).status).toBe(200);
});

test("404: refuses every text that is not a key id", async () => {
  const ids = ["x", "0".repeat(64), key.apiKey.slice(0, 40), `${key.id}0`, "__proto__", "key-place:x", "a%2Fb"];
  for (const id of ids) expectFailure(await revokeKey(id), "not_found", id);
  expect(await listKeys()).toHaveLength(1);
});

test("400: refuses an id that is too long or not printable ASCII", async () => {
  for (const id of ["0".repeat(65), "%00", "%0A", "a%20b", "%C3%A9", "%F0%9F%94%91"]) {
    const answer = await revokeKey(id);
    expectFailure(answer, "invalid_request", id);
    expect(answer.body.issues).toEqual([{ path: "id", message: "must be the id of a key" }]);
  }
});
