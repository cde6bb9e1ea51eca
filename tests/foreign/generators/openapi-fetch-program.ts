import createClient from "openapi-fetch";
import type { paths } from "./openapi-typescript";

type Execution = paths["/api/swap/execute"]["post"]["responses"];
type Landed = Execution[200]["content"]["application/json"]["data"];
type Pending = Execution[202]["content"]["application/json"]["data"];
/** A transaction whose outcome is unknown has no slot. */
true satisfies "slot" extends Exclude<keyof Landed, keyof Pending> ? true : never;

const [url, apiKey] = process.argv.slice(2) as [string, string];
const client = createClient<paths>({ baseUrl: url, headers: { "x-api-key": apiKey } });

const plans = await client.GET("/api/plans");
if (plans.data?.ok !== true) throw new Error("no plans");
const steps: number = plans.data.data.plans.forest.roundToUsd;
const roundUp = await client.POST("/api/roundup", { body: { txValueUsd: 27.63, plan: "tree" } });
const refusal = await client.POST("/api/roundup", { body: { txValueUsd: -1 } });
if (roundUp.data?.ok !== true || refusal.error?.ok !== false) throw new Error("no refusal");
console.log(JSON.stringify([steps, roundUp.data.data.roundUpUsd, refusal.error.code]));
