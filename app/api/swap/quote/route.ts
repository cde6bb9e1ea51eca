import { quoteSwapContract } from "@/lib/contracts/quote-swap";
import { route, routes } from "@/lib/http/route";
import { quoteSwap } from "@/lib/services/quote-swap";

export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = routes(route(quoteSwap, quoteSwapContract));
