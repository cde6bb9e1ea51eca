import { getPriceHistoryContract } from "@/lib/contracts/get-price-history";
import { route, routes } from "@/lib/http/route";
import { getPriceHistory } from "@/lib/services/get-price-history";

export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = routes(route(getPriceHistory, getPriceHistoryContract));
