import { getPricesContract } from "@/lib/contracts/get-prices";
import { route, routes } from "@/lib/http/route";
import { getPrices } from "@/lib/services/get-prices";

export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = routes(route(getPrices, getPricesContract));
