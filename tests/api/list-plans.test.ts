import { expect, test } from "vitest";
import { listPlansContract } from "../../lib/contracts/list-plans";
import { data, get } from "../support/client/client";

test("200: returns the plans, defaults and assets that the documentation shows", async () => {
  expect(await data(get("/api/plans"))).toEqual(listPlansContract.exampleAnswer);
});
