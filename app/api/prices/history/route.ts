import { getPriceHistoryContract } from "@/lib/contracts/get-price-history";
import { bindRoute, createHandlers } from "@/lib/http/route";
import { getPriceHistory } from "@/lib/services/get-price-history";

export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = createHandlers(
  bindRoute(getPriceHistory, getPriceHistoryContract),
);
