import { getPricesContract } from "@/lib/contracts/get-prices";
import { bindRoute, createHandlers } from "@/lib/http/route";
import { getPrices } from "@/lib/services/get-prices";

export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = createHandlers(bindRoute(getPrices, getPricesContract));
