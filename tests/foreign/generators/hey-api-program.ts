import { client } from "./hey-api/client.gen";
import { calculateRoundUp, listPlans } from "./hey-api/sdk.gen";

const [url, apiKey] = process.argv.slice(2) as [string, string];
client.setConfig({ baseUrl: url, headers: { "x-api-key": apiKey } });

const plans = await listPlans({ throwOnError: true });
const isListed: true = plans.data.ok;
const steps: number = plans.data.data.plans.forest.roundToUsd;
const roundUp = await calculateRoundUp({ body: { txValueUsd: 27.63, plan: "tree" }, throwOnError: true });
const refusal = await calculateRoundUp({ body: { txValueUsd: -1 } });
if (!isListed || refusal.error?.ok !== false) throw new Error("no refusal");
console.log(JSON.stringify([steps, roundUp.data.data.roundUpUsd, refusal.error.code]));
