import { calculateRoundUp, listPlans } from "./orval";

const [url, apiKey] = process.argv.slice(2) as [string, string];
const send = globalThis.fetch;
globalThis.fetch = (path, init) =>
  send(new URL(String(path), url), { ...init, headers: { ...init?.headers, "x-api-key": apiKey } });

const plans = await listPlans();
if (plans.status !== 200 || plans.data.ok !== true) throw new Error("no plans");
const steps: number = plans.data.data.plans.forest.roundToUsd;
const roundUp = await calculateRoundUp({ txValueUsd: 27.63, plan: "tree" });
if (roundUp.status !== 200 || roundUp.data.ok !== true) throw new Error("no round-up");
const refusal = await calculateRoundUp({ txValueUsd: -1 });
if (refusal.status !== 400 || refusal.data.ok !== false) throw new Error("no refusal");
console.log(JSON.stringify([steps, roundUp.data.data.roundUpUsd, refusal.data.code]));
