import { quoteSwapContract } from "@/lib/contracts/quote-swap";
import { bindRoute, createHandlers } from "@/lib/http/route";
import { quoteSwap } from "@/lib/services/quote-swap";

export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = createHandlers(bindRoute(quoteSwap, quoteSwapContract));
